/** Longer texts are not cached, so that strangers cannot fill the memory. */
const LONGEST = 512;

/**
 * Caches the results of a pure function of one text, `limit` at most, and keeps those used recently. `make` must not
 * throw.
 */
export function memoize<T>(make: (text: string) => T, limit = 1_000): (text: string) => T {
  const generation = Math.max(1, Math.floor(limit / 2));
  let recent = new Map<string, T>();
  let older = new Map<string, T>();

  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    if (text.length > LONGEST) return make(text);
    const made = older.get(text) ?? make(text);
    // Two generations replace an ordered list: a cache hit moves nothing, and an entry without a hit during a
    // whole generation is dropped with it.
    if (recent.size >= generation) {
      older = recent;
      recent = new Map();
    }
    recent.set(detached(text), made);
    return made;
  };
}

/** The same text without the long one it was cut from, which the engine would keep alive. */
export function detached(cut: string): string {
  return Buffer.from(cut, "utf16le").toString("utf16le");
}
