import { dimensionOf, type ListName } from "../../base/text/dimensions.ts";
import type { BlockReader } from "../blocks/block-reader.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import { type HashPart, type PlaceSums, type ValueSum, ValueTable } from "./value-table.ts";

/** The most values of a dimension in an answer. The rest becomes OTHER. */
export const MAX_ANSWERED_VALUES = 2_000;
/** The memory that sums take; beyond it, some are made after the others, reading all again. */
const MAX_SUM_BYTES = 10 * 1_048_576;

/** Takes the counts of blocks, one block after the other, ascending by month. */
export interface BlockSink {
  /** Counts of some dimensions follow of this block. */
  begin(block: BlockReader, names: Iterable<ListName>): Promise<void>;
  /** Takes the counts of a day, each value once. The arrays are valid during the call only. */
  count(name: ListName, counts: ValueCounts): void;
  /** Called after the last values of this block. */
  end(block: BlockReader): Promise<void>;
}

/** Reads all of a range: the same each time that it is called. */
export type ValuePass = (names: ReadonlySet<ListName>, sink: BlockSink) => Promise<void>;

/**
 * The values of a dimension in an answer, highest first; equal ones in the order of their texts.
 */
export interface DimensionTotals {
  readonly name: ListName;
  readonly kept: ValueSum[];
  /** The sum of all values that are not in `kept`; undefined where there are none. */
  other: number | undefined;
}

/** Sums up the values of dimensions, in memory that is bounded however many there are. */
export async function valueTotals(
  pass: ValuePass,
  names: readonly ListName[],
): Promise<DimensionTotals[]> {
  const totals = new Map<ListName, DimensionTotals>();
  let left: Job[] = names.map((name) => ({ name, part: { n: 0, of: 1 } }));
  let most = left.length;
  while (left.length > 0) {
    // Parts of one dimension go one after the other.
    const jobs = [...Map.groupBy(left, ({ name }) => name).values()]
      .flatMap(([job]) => job ?? [])
      .slice(0, most);
    const sink = new SumSink(jobs);
    await pass(sink.names, sink);
    for (const [name, table] of sink.tables) {
      addTo(totals, name, table);
      table.close();
    }
    left = [...left.filter((job) => !jobs.includes(job)), ...sink.postponed];
    // The next pass takes as many as have fitted, and one more where there was room.
    most = sink.tables.size + (sink.postponed.length === 0 ? 1 : 0);
  }
  return names.flatMap((name) => {
    const found = totals.get(name);
    return found === undefined || (found.kept.length === 0 && found.other === undefined)
      ? []
      : [found];
  });
}

function addTo(totals: Map<ListName, DimensionTotals>, name: ListName, table: ValueTable): void {
  const { kept, other } = table.highest(MAX_ANSWERED_VALUES);
  const known = totals.get(name) ?? { name, kept: [], other: undefined };
  totals.set(name, known);
  known.kept.push(...kept);
  known.kept.sort(compareSums);
  if (other !== undefined) known.other = (known.other ?? 0) + other;
  cut(known, MAX_ANSWERED_VALUES);
}

function compareSums(a: ValueSum, b: ValueSum): number {
  if (a.total !== b.total) return b.total - a.total;
  return a.text < b.text ? -1 : 1;
}

/** Cuts a dimension to so many values, and adds the others to OTHER. */
export function cut(dimension: DimensionTotals, length: number): void {
  for (const { total } of dimension.kept.splice(length))
    dimension.other = (dimension.other ?? 0) + total;
}

function roomier(size: number, sums: PlaceSums | undefined): PlaceSums {
  const roomy = { totals: new Float64Array(2 * size), days: new Uint16Array(2 * size), size };
  if (sums !== undefined) {
    roomy.totals.set(sums.totals);
    roomy.days.set(sums.days);
  }
  return roomy;
}

/** Values to be summed up. */
interface Job {
  readonly name: ListName;
  readonly part: HashPart;
}

/** Sums up the values of each dimension; where they take too much, some are for a later pass. */
class SumSink implements BlockSink {
  readonly tables = new Map<ListName, ValueTable>();
  /** Fewer as soon as some are postponed. */
  readonly names = new Set<ListName>();
  readonly postponed: Job[] = [];
  /** Sums of the block that is being read, by place in its dictionary. */
  readonly #open = new Map<ListName, PlaceSums>();
  /** The sums of earlier blocks, all zero again. */
  readonly #spare: PlaceSums[] = [];

  constructor(jobs: readonly Job[]) {
    for (const { name, part } of jobs) {
      this.names.add(name);
      this.tables.set(name, new ValueTable(part));
    }
  }

  async begin(): Promise<void> {}

  count(name: ListName, { length, places, counts }: ValueCounts): void {
    if (!this.tables.has(name) || length === 0) return;
    const { totals, days } = this.#sumsOf(name, 1 + (places[length - 1] as number));
    for (let i = 0; i < length; i++) {
      const n = counts[i] as number;
      if (n === 0) continue;
      const place = places[i] as number;
      totals[place] = (totals[place] as number) + n;
      days[place] = (days[place] as number) + 1;
    }
  }

  async end(block: BlockReader): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    try {
      for (const [name, sums] of open) {
        await block.load(dimensionOf(name));
        const texts = block.dimension(dimensionOf(name))?.texts;
        if (texts !== undefined) this.tables.get(name)?.add(texts, sums);
        block.release();
      }
    } finally {
      for (const [, sums] of open) {
        sums.totals.fill(0, 0, sums.size);
        sums.days.fill(0, 0, sums.size);
        sums.size = 0;
        this.#spare.push(sums);
      }
    }
    while (this.#bytes > MAX_SUM_BYTES) this.#postpone();
  }

  /** The sums of a dimension, with room for `size` places. */
  #sumsOf(name: ListName, size: number): PlaceSums {
    const open = this.#open.get(name) ?? this.#spare.pop();
    const sums = open !== undefined && open.totals.length >= size ? open : roomier(size, open);
    sums.size = Math.max(size, sums.size);
    this.#open.set(name, sums);
    return sums;
  }

  get #bytes(): number {
    let bytes = 0;
    for (const table of this.tables.values()) bytes += table.bytes;
    return bytes;
  }

  /** Leaves the largest dimension to a later pass; of the only one, half. */
  #postpone(): void {
    const [[name, table] = NONE, ...others] = [...this.tables].sort(
      ([, a], [, b]) => b.bytes - a.bytes,
    );
    if (others.length > 0) {
      this.tables.delete(name);
      this.names.delete(name);
      this.postponed.push({ name, part: table.part });
      table.close();
      return;
    }
    const [half, part] = table.half();
    table.close();
    this.tables.set(name, half);
    this.postponed.push({ name, part });
  }
}

const NONE: readonly [ListName, ValueTable] = ["path", new ValueTable({ n: 0, of: 1 })];
