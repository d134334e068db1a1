/**
 * The beginnings of secrets, so that scanners can find them, and pages tell what they hold: the
 * token of a site or of the admin, that of a shared link, that of a visitor who came from the Web
 * UI, and the code that such a visitor came with.
 */
export const SCHEMES = { read: "tdr_", share: "tds_", session: "tdv_", code: "tdc_" } as const;

/** True for the token of a shared link: it opens the traffic of one site and nothing else. */
export function isShareToken(token: string): boolean {
  return token.startsWith(SCHEMES.share);
}

/** True for a token that ends by itself. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(SCHEMES.session);
}
