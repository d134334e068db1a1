/** The modes of updates: `ask` offers a release, and waits for the owner. */
export const UPDATE_MODES = ["ask", "auto", "off"] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

export interface UpdateSettings {
  readonly mode: UpdateMode;
  /** The folder with the newest release, with a slash at the end; empty for no host. */
  readonly url: string;
  /** The key that signs the releases, as a minisign public key; empty: the keys of this release. */
  readonly key: string;
}

export function asksHost({ mode, url }: UpdateSettings): boolean {
  return mode !== "off" && url !== "";
}

/**
 * The folder with the project's own releases. There is none yet: the maintainer of the first release has to fill it in,
 * like `https://HOST/OWNER/tallydeck/releases/latest/download/`.
 */
export const PROJECT_RELEASES = "";

/** The form of a place of releases, to end a sentence. */
export const UPDATE_URL_RULE =
  "an https:// address where manifest.json is, like https://example.org/tallydeck/releases/latest/download/";
const LONGEST_URL = 1_024;

/** Normalizes an address; undefined where it is invalid. */
export function updateUrl(text: string): string | undefined {
  if (text.length > LONGEST_URL || !/^https:\/\//i.test(text) || !URL.canParse(text)) return;
  const url = new URL(text);
  if ([url.username, url.password, url.search, url.hash].some((part) => part !== "")) return;
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
