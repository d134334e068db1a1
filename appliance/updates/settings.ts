/** When the box looks for releases, and installs them: `ask` tells of one and waits for its owner. */
export const UPDATE_MODES = ["ask", "auto", "off"] as const;
export type UpdateMode = (typeof UPDATE_MODES)[number];

/** How the box comes by releases. */
export interface UpdateSettings {
  readonly mode: UpdateMode;
  /**
   * Where the files of the newest release are, with the slash at the end; empty: no host is asked.
   */
  readonly url: string;
  /** The key that signs the releases, as a minisign public key; empty: the keys of this release. */
  readonly key: string;
}

/** Whether a host is asked for releases. */
export function asksHost({ mode, url }: UpdateSettings): boolean {
  return mode !== "off" && url !== "";
}

/**
 * Where the project's own releases are. There is no such host yet. The maintainer who makes the first
 * release fills it in, like `https://HOST/OWNER/tallydeck/releases/latest/download/`.
 */
export const PROJECT_RELEASES = "";

/** The form of a place of releases, to end a sentence. */
export const UPDATE_URL_RULE =
  "an https:// address where manifest.json is, like https://example.org/tallydeck/releases/latest/download/";
const LONGEST_URL = 1_024;

/** The address in its one form; undefined for what is none. */
export function updateUrl(text: string): string | undefined {
  if (text.length > LONGEST_URL || !/^https:\/\//i.test(text) || !URL.canParse(text)) return;
  const url = new URL(text);
  if ([url.username, url.password, url.search, url.hash].some((part) => part !== "")) return;
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}
