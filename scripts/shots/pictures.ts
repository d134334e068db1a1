import type { Page } from "playwright-core";

/** A picture of a page of the box. */
export interface Picture {
  /** A sentence about it. */
  readonly says: string;
  /** The listener: the dashboard's, the Web UI's, or the Web UI's of a box that is new. */
  readonly of: "collector" | "control" | "new";
  readonly path: string;
  /** The width and height of the window in CSS pixels. */
  readonly size: readonly [number, number];
  readonly isDark?: true;
  /** A release is ready. */
  readonly hasUpdate?: true;
  /** Brings the page into the state that is shown. */
  readonly prepare?: (page: Page, said: readonly string[]) => Promise<void>;
  /** A selector, where the picture shows only a part of the window. */
  readonly part?: string;
}

const NOTES = "/dashboard?site=fieldnotes";
const APP = "/dashboard?site=deckhand";

/** Signs in with the newest code of a new box. */
async function signInByCode(page: Page, said: readonly string[]): Promise<void> {
  const code = said.map((line) => /\b\d{3} ?\d{3}\b/.exec(line)?.[0]).findLast(Boolean);
  await page.getByLabel("Six digits").fill(code ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  const offer = page.getByRole("region", { name: "Make it yours" });
  await offer.getByRole("button", { name: "Close" }).click();
}

/** Waits until all seven lists of a site are drawn, which come one after the other. */
async function seeLists(page: Page): Promise<void> {
  await page.locator(".dimension").nth(6).waitFor();
  await page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
}

/** The ending of the files in web/pictures. */
export const ENDING = ".webp";
/** The name of the one that moves. */
export const ANIMATED = "visit";

const WIDE = [1280, 900] as const;

function picture(
  says: string,
  of: Picture["of"],
  path: string,
  size: Picture["size"],
  more: Omit<Picture, "says" | "of" | "path" | "size"> = {},
): Picture {
  return { says, of, path, size, ...more };
}

/** Name of the file in web/pictures, without its ending → what it shows. */
export const PICTURES: Readonly<Record<string, Picture>> = {
  dashboard: picture("A site of the demo.", "collector", NOTES, WIDE, { prepare: seeLists }),
  "dashboard-dark": picture("An app of the demo, dark.", "collector", APP, WIDE, {
    isDark: true,
    prepare: seeLists,
  }),
  overview: picture("All sites at a glance.", "collector", "/dashboard", [1000, 290]),
  phone: picture("A site on a phone.", "collector", NOTES, [360, 780], { prepare: seeLists }),
  surveys: picture("The answers to surveys.", "collector", `${APP}&tab=surveys&period=all`, WIDE, {
    prepare: (page) => page.getByText("Net promoter score").waitFor(),
  }),
  map: picture("The map of time zones.", "collector", `${APP}&period=30d`, [1000, 700], {
    prepare: async (page) => {
      await seeLists(page);
      await page.getByRole("tab", { name: "Offsets" }).click();
      await page.getByRole("button", { name: "UTC+01:00", exact: true }).click();
      await page.locator("dialog[open] path.land").waitFor();
    },
  }),
  empty: picture("A site without views.", "collector", "/dashboard?site=blog", [1000, 620]),
  help: picture("How to count a site.", "collector", "/help?site=fieldnotes", [900, 1000]),
  "control-deck": picture(
    "A deck's keys, and a push channel on one.",
    "control",
    "/?deck=virtual-mk2&slot=k2",
    [1280, 820],
  ),
  "control-plus": picture(
    "A deck with dials.",
    "control",
    "/?deck=virtual-plus&slot=z2",
    [1280, 640],
  ),
  "control-akp05-dark": picture(
    "A deck of another maker, dark.",
    "control",
    "/?deck=virtual-akp05e&slot=z0",
    [1280, 640],
    { isDark: true },
  ),
  "control-phone": picture(
    "A deck on a phone.",
    "control",
    "/?deck=virtual-mk2&slot=k0",
    [360, 780],
  ),
  "control-push": picture("Push channels and tokens.", "control", "/?tab=push", [1280, 620]),
  "control-box-dark": picture("The machine, dark.", "control", "/?tab=box", [1000, 520], {
    isDark: true,
  }),
  "control-update": picture("A release that is ready.", "control", "/?tab=box", [1000, 1200], {
    part: 'section[aria-labelledby="update-title"]',
    hasUpdate: true,
  }),
  widgets: picture("Every widget in its looks.", "control", "/?deck=virtual-xl", WIDE, {
    part: ".deck",
  }),
  // Last, since the box is another.
  "control-start": picture("The first sign-in at a new box.", "new", "/", [1000, 520], {
    prepare: signInByCode,
  }),
  "control-setup-code": picture("The deck of a new box.", "new", "/", [1000, 560], {
    prepare: async (page, said) => {
      await signInByCode(page, said);
      await page.getByRole("button", { name: "Deck", exact: true }).click();
      await page.locator("[data-slot] img").first().waitFor();
    },
  }),
};

/** The files in web/pictures. */
export const FILES = [...Object.keys(PICTURES), ANIMATED].map((name) => name + ENDING);
