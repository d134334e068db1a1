import type { Page } from "playwright-core";

/** A picture of a page of the box. */
export interface Picture {
  /** What is opened: the dashboard's listener, the Web UI's, or the Web UI of a box that is new. */
  readonly of: "collector" | "control" | "new";
  readonly path: string;
  /** Of the window, CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly isDark?: true;
  /** A release is ready. */
  readonly hasUpdate?: true;
  /** What there is to do before it is taken. */
  readonly prepare?: (page: Page, said: readonly string[]) => Promise<void>;
  /** What it shows of the page, where that is not all of the window. */
  readonly part?: string;
}

const NOTES = "/dashboard?site=fieldnotes";
const APP = "/dashboard?site=deckhand";

/** With the code that the new box said last. */
async function signInByCode(page: Page, said: readonly string[]): Promise<void> {
  const code = said.map((line) => /\b\d{3} ?\d{3}\b/.exec(line)?.[0]).findLast(Boolean);
  await page.getByLabel("Six digits").fill(code ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  const offer = page.getByRole("dialog", { name: "Make it yours" });
  await offer.getByRole("button", { name: "Close" }).last().click();
}

/** Of the files in web/pictures. */
export const ENDING = ".webp";

/** Name of the file in web/pictures, without its ending → what it shows. */
export const PICTURES: Readonly<Record<string, Picture>> = {
  dashboard: { of: "collector", path: NOTES, width: 1280, height: 900 },
  "dashboard-dark": { of: "collector", path: APP, width: 1280, height: 900, isDark: true },
  overview: { of: "collector", path: "/dashboard", width: 1000, height: 420 },
  phone: { of: "collector", path: NOTES, width: 360, height: 780 },
  surveys: { of: "collector", path: `${APP}&tab=surveys&period=all`, width: 1280, height: 900 },
  map: {
    of: "collector",
    path: `${APP}&period=30d`,
    width: 1000,
    height: 700,
    prepare: async (page) => {
      await page.getByRole("tab", { name: "Offsets" }).click();
      await page.getByRole("button", { name: "UTC+01:00", exact: true }).click();
      await page.locator("dialog[open] path.land").waitFor();
    },
  },
  empty: { of: "collector", path: "/dashboard?site=blog", width: 1000, height: 620 },
  help: { of: "collector", path: "/help?site=fieldnotes", width: 900, height: 1000 },
  "control-deck": {
    of: "control",
    path: "/?deck=virtual-mk2&slot=k2",
    width: 1280,
    height: 820,
  },
  "control-plus": {
    of: "control",
    path: "/?deck=virtual-plus&slot=z2",
    width: 1280,
    height: 640,
  },
  "control-akp05-dark": {
    of: "control",
    path: "/?deck=virtual-akp05e&slot=z0",
    width: 1280,
    height: 640,
    isDark: true,
  },
  "control-phone": { of: "control", path: "/?deck=virtual-mk2&slot=k0", width: 360, height: 780 },
  "control-push": { of: "control", path: "/?tab=push", width: 1280, height: 620 },
  "control-box-dark": { of: "control", path: "/?tab=box", width: 1280, height: 820, isDark: true },
  "control-update": {
    of: "control",
    path: "/?tab=box",
    width: 1000,
    height: 1200,
    part: 'section[aria-labelledby="update-title"]',
    hasUpdate: true,
  },
  "control-start": { of: "new", path: "/", width: 1000, height: 520, prepare: signInByCode },
  "control-setup-code": {
    of: "new",
    path: "/",
    width: 1000,
    height: 560,
    prepare: async (page, said) => {
      await signInByCode(page, said);
      await page.getByRole("button", { name: "Deck", exact: true }).click();
      await page.locator("[data-slot] img").first().waitFor();
    },
  },
  widgets: {
    of: "control",
    path: "/?deck=virtual-xl",
    width: 1280,
    height: 900,
    part: ".deck",
  },
};
