import { IdTable } from "./id-table.ts";
import type { CountsSource, SiteDays } from "./source.ts";
import type { DimensionTally, Tally } from "./tallies.ts";

/** Offset in days from the first one, count, offset, count, … */
type List = Float64Array;

/** The counts by day of what an answer carries. */
export class DayCounts {
  /** One piece of memory for all: as many small arrays would take ten times it. */
  readonly #counts: Float64Array;
  /** By the id of each value that is carried: its place in `#starts` and `#ends`. */
  readonly #placeOf = new IdTable();
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  /** By the id of each value that is not carried: the place of its dimension in `#others`. */
  readonly #otherOf = new IdTable();
  /** The sums, by day, of a dimension's others. */
  readonly #others: Float64Array[] = [];

  private constructor({ from, to }: SiteDays, dimensions: readonly DimensionTally[]) {
    let room = 0;
    let place = 0;
    this.#starts = new Uint32Array(dimensions.reduce((sum, { kept }) => sum + kept.length, 0));
    for (const { kept, otherIds } of dimensions) {
      for (const { id, days } of kept) {
        this.#placeOf.add(id, place, 0);
        this.#starts[place++] = room;
        room += 2 * days;
      }
      for (const id of otherIds) this.#otherOf.add(id, this.#others.length, 0);
      this.#others.push(new Float64Array(otherIds.length > 0 ? to - from + 1 : 0));
    }
    this.#ends = this.#starts.slice();
    this.#counts = new Float64Array(room);
  }

  static async read(
    source: CountsSource,
    range: SiteDays,
    dimensions: readonly DimensionTally[],
  ): Promise<DayCounts> {
    const counts = new DayCounts(range, dimensions);
    await source.eachDay(range, (day, id, n) => counts.#see(day - range.from, id, n));
    return counts;
  }

  of({ id }: Tally): List {
    const place = this.#placeOf.first(id) as number;
    return this.#counts.subarray(this.#starts[place], this.#ends[place]);
  }

  ofOthers({ otherIds: [any = 0] }: DimensionTally): List {
    const sums = [...(this.#othersOf(any) ?? [])];
    return Float64Array.from(sums.flatMap((n, offset) => (n > 0 ? [offset, n] : [])));
  }

  #othersOf(id: number): Float64Array | undefined {
    const place = this.#otherOf.first(id);
    return place === undefined ? undefined : this.#others[place];
  }

  #see(offset: number, id: number, n: number): void {
    const place = this.#placeOf.first(id);
    if (place !== undefined) this.#add(place, offset, n);
    else addTo(this.#othersOf(id), offset, n);
  }

  /** Offsets come in ascending order, the same one perhaps twice. */
  #add(place: number, offset: number, n: number): void {
    const end = this.#ends[place] as number;
    if (end > (this.#starts[place] as number) && this.#counts[end - 2] === offset) {
      addTo(this.#counts, end - 1, n);
      return;
    }
    this.#counts[end] = offset;
    this.#counts[end + 1] = n;
    this.#ends[place] = end + 2;
  }
}

function addTo(sums: Float64Array | undefined, at: number, n: number): void {
  if (sums !== undefined) sums[at] = (sums[at] ?? 0) + n;
}
