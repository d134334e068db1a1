/** The address of the collector a page was opened from, without the page's own name. */
export function baseUrl(pageHref: string): string {
  return new URL(".", pageHref).href.replace(/\/$/, "");
}

/** `v` of `/e` and `/a`: base64 of the URI-encoded JSON. */
export function encodePayload(payload: Record<string, string>): string {
  return btoa(encodeURIComponent(JSON.stringify(payload)));
}
