/** A text longer than this is worked on each time: what strangers send must not fill the memory. */
const LONGEST = 512;

/**
 * A pure function of one text that remembers its last results, `limit` at most, those asked for
 * lately first. `make` must not throw.
 */
export function remember<T>(make: (text: string) => T, limit = 1_000): (text: string) => T {
  const generation = Math.max(1, Math.floor(limit / 2));
  let recent = new Map<string, T>();
  let older = new Map<string, T>();

  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    if (text.length > LONGEST) return make(text);
    const made = older.get(text) ?? make(text);
    // Two generations instead of an ordered list: a hit moves nothing, and an entry that was not
    // asked for during a whole generation is dropped with it.
    if (recent.size >= generation) {
      older = recent;
      recent = new Map();
    }
    recent.set(detached(text), made);
    return made;
  };
}

/** The same text without the long one it was cut from, which the engine would keep alive. */
function detached(cut: string): string {
  return Buffer.from(cut, "utf16le").toString("utf16le");
}
