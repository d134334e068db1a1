const FIRST_SLOTS = 4_096;
const MAX_LOAD = 0.75;
/** Some 80 MB: more is not to be had on a small board. */
const MAX_IDS = 3_000_000;
/** 2^32 divided by the golden ratio: ids in a row land far from each other. */
const SPREAD = 0x9e3779b1;

/**
 * Two numbers by value id, outside of JavaScript's heap: a heap that is full of a large map ends the
 * whole process, and not only the worker it belongs to.
 */
export class IdTable {
  /** 0 where a slot is free. */
  #ids = new Float64Array(FIRST_SLOTS);
  #firsts = new Float64Array(FIRST_SLOTS);
  #seconds = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  /** Adds to the numbers of `id`, which begin at zero. @throws {RangeError} when there are too many */
  add(id: number, first: number, second: number): void {
    let slot = this.#slotOf(id);
    if (this.#ids[slot] === 0) {
      if (this.#size >= MAX_LOAD * this.#ids.length) {
        this.#grow();
        slot = this.#slotOf(id);
      }
      this.#ids[slot] = id;
      this.#size += 1;
    }
    this.#firsts[slot] = (this.#firsts[slot] ?? 0) + first;
    this.#seconds[slot] = (this.#seconds[slot] ?? 0) + second;
  }

  has(id: number): boolean {
    return this.#ids[this.#slotOf(id)] === id;
  }

  first(id: number): number | undefined {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === id ? this.#firsts[slot] : undefined;
  }

  second(id: number): number | undefined {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === id ? this.#seconds[slot] : undefined;
  }

  get size(): number {
    return this.#size;
  }

  *[Symbol.iterator](): Generator<readonly [id: number, first: number, second: number]> {
    for (const [slot, id] of this.#ids.entries())
      if (id !== 0) yield [id, this.#firsts[slot] ?? 0, this.#seconds[slot] ?? 0];
  }

  /** Where `id` is, or may be put. */
  #slotOf(id: number): number {
    const mask = this.#ids.length - 1;
    let slot = (Math.imul(id, SPREAD) >>> 8) & mask;
    while (this.#ids[slot] !== 0 && this.#ids[slot] !== id) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    if (this.#size >= MAX_IDS) throw new RangeError("there are too many values to be counted");
    const ids = this.#ids;
    const firsts = this.#firsts;
    const seconds = this.#seconds;
    this.#ids = new Float64Array(2 * ids.length);
    this.#firsts = new Float64Array(this.#ids.length);
    this.#seconds = new Uint32Array(this.#ids.length);
    for (const [from, id] of ids.entries()) {
      if (id === 0) continue;
      const slot = this.#slotOf(id);
      this.#ids[slot] = id;
      this.#firsts[slot] = firsts[from] ?? 0;
      this.#seconds[slot] = seconds[from] ?? 0;
    }
  }
}
