const ENTITY_TAG = /(?:W\/)?("[^"]*")|\*/g;

/**
 * Whether `If-None-Match` names an ETag, by weak comparison (RFC 9110, section 13.1.2): proxies that
 * compress make a strong one weak. `*` names any; "" names none.
 */
export function namesEtag(ifNoneMatch: string, etag: string): boolean {
  const opaque = etag.replace(/^W\//, "");
  const named = ifNoneMatch.matchAll(ENTITY_TAG);
  return [...named].some(([whole, tag]) => whole === "*" || tag === opaque);
}
