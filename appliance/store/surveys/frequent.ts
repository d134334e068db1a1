/**
 * Finds the names that come most often among any number of them, without holding all: when it holds
 * twice as many as it keeps, it drops those that came least often, of equals the older. A name that
 * comes again and again stays, whatever names are made up in between; counts are only good to
 * compare.
 */
export class Frequent {
  readonly #kept: number;
  readonly #counts = new Map<string, number>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (this.#counts.size < 2 * this.#kept) return;
    const stay = this.#highest(this.#kept);
    for (const known of this.#counts.keys()) if (!stay.has(known)) this.#counts.delete(known);
  }

  /** Those that came most often, in the order in which they came first. */
  top(limit: number): string[] {
    const highest = this.#highest(limit);
    return [...this.#counts.keys()].filter((name) => highest.has(name));
  }

  #highest(limit: number): ReadonlySet<string> {
    const counts = Uint32Array.from(this.#counts.values()).sort();
    const least = counts.at(-limit) ?? 0;
    let equals = limit - counts.filter((n) => n > least).length;
    const highest = new Set<string>();
    for (const [name, n] of [...this.#counts].reverse())
      if (n > least || (n === least && equals-- > 0)) highest.add(name);
    return highest;
  }
}
