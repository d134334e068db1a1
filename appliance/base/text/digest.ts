/** The days that a digest is about: yesterday, or the seven until then. */
export type DigestSpan = (typeof DIGEST_SPANS)[number];

export const DIGEST_SPANS = ["day", "week"] as const;
