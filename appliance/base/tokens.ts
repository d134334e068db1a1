/**
 * The beginnings of secrets, which scanners find them by, and pages their kind: the token of a site or the admin, the
 * token of a shared link, the session of a reader who came from the Web UI, the code of such a reader, and the token of a home
 * that fetches from here.
 */
export const SCHEMES = {
  read: "tdr_",
  share: "tds_",
  session: "tdv_",
  code: "tdc_",
  home: "tdh_",
} as const;

/** Whether a token is that of a shared link, which opens the traffic of one site only. */
export function isShareToken(token: string): boolean {
  return token.startsWith(SCHEMES.share);
}

/** Whether a token is one of a session, which ends by itself. */
export function isSessionToken(token: string): boolean {
  return token.startsWith(SCHEMES.session);
}

/** The most characters of the name of a shared link. */
export const MAX_SHARE_NAME = 40;
