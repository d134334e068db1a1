import { randomInt } from "node:crypto";
import type { BlockReader } from "../blocks/block-reader.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import type { HashSeed } from "../blocks/texts.ts";
import type { Dimension } from "../log/record.ts";
import { type HashPart, TextRoom, type ValueSum, ValueTable } from "./value-table.ts";

/** An answer carries at most so many values of a dimension, the highest; the rest is OTHER. */
export const MAX_ANSWERED_VALUES = 2_000;
/** So many values are summed up at once, 32 to 64 bytes each; of more, some after the others. */
const MAX_VALUES_AT_ONCE = 300_000;
/** What is kept of their texts meanwhile; those of which none is kept are read again. */
const MAX_TEXT_BYTES = 8 * 1_048_576;

/** Takes what blocks counted, one block after the other, ascending by month. */
export interface BlockSink {
  /** Counts of a day, each value once; to be read at once. */
  count(block: BlockReader, name: Dimension, counts: ValueCounts): void;
  /** Nothing more of what was counted follows of this block. */
  end(block: BlockReader): void;
}

/** Reads all of a range: the same each time that it is called. */
export type ValuePass = (names: ReadonlySet<Dimension>, sink: BlockSink) => Promise<void>;

/** A value that an answer carries. */
export interface ValueTotal {
  readonly text: string;
  readonly total: number;
  /** On so many days it was counted, or a few more. */
  readonly days: number;
  /** Of its text as UTF-8. */
  readonly bytes: number;
  readonly low: number;
  readonly high: number;
}

/** What an answer carries of a dimension, highest first; equal ones in the order of their texts. */
export interface DimensionTotals {
  readonly name: Dimension;
  readonly kept: ValueTotal[];
  /** The sum of all that is not in `kept`; undefined where that is nothing. */
  other: number | undefined;
}

/** What was summed up, and by which seed its hashes are. */
export interface ValueTotals {
  readonly seed: HashSeed;
  readonly dimensions: readonly DimensionTotals[];
}

/** Sums up the values of dimensions, in memory that is bounded however many there are. */
export async function valueTotals(
  pass: ValuePass,
  names: readonly Dimension[],
): Promise<ValueTotals> {
  const seed: HashSeed = [randomInt(2 ** 32), randomInt(2 ** 32)];
  const dimensions = await totalsOf(pass, names, { seed, part: { n: 0, of: 1 } });
  return {
    seed,
    dimensions: dimensions.filter(({ kept, other }) => kept.length > 0 || other !== undefined),
  };
}

interface Part {
  readonly seed: HashSeed;
  readonly part: HashPart;
}

async function totalsOf(
  pass: ValuePass,
  names: readonly Dimension[],
  { seed, part }: Part,
): Promise<DimensionTotals[]> {
  const sums = new SumSink({ seed, part });
  try {
    await pass(new Set(names), sums);
  } catch (error) {
    if (!(error instanceof TooManyAtOnce)) throw error;
    return halved(pass, names, { seed, part });
  }
  const found = names.flatMap((name) => sums.highest(name));
  const missing = found.filter(({ kept }) => kept.some(({ text }) => text === undefined));
  const texts = new TextSink(seed, missing);
  if (missing.length > 0) await pass(new Set(missing.map(({ name }) => name)), texts);
  return found.map(({ name, kept, other }) => ({
    name,
    other,
    kept: kept.map((sum) => totalOf(sum, sum.text ?? texts.of(name, sum))),
  }));
}

/** Where too many values meet: some dimensions after the others, or some of the values of one. */
async function halved(
  pass: ValuePass,
  names: readonly Dimension[],
  { seed, part }: Part,
): Promise<DimensionTotals[]> {
  if (names.length > 1) {
    const half = Math.ceil(names.length / 2);
    return [
      ...(await totalsOf(pass, names.slice(0, half), { seed, part })),
      ...(await totalsOf(pass, names.slice(half), { seed, part })),
    ];
  }
  const parts: DimensionTotals[] = [];
  for (const n of [part.n, part.n + part.of])
    parts.push(...(await totalsOf(pass, names, { seed, part: { n, of: 2 * part.of } })));
  const [first, second] = parts;
  if (first === undefined || second === undefined) return parts;
  first.kept.push(...second.kept);
  first.kept.sort(compareTotals);
  if (second.other !== undefined) first.other = (first.other ?? 0) + second.other;
  cut(first, MAX_ANSWERED_VALUES);
  return [first];
}

function compareTotals(a: ValueTotal, b: ValueTotal): number {
  return b.total - a.total || Buffer.compare(Buffer.from(a.text), Buffer.from(b.text));
}

/** Leaves so many values, and counts the others as OTHER. */
export function cut(dimension: DimensionTotals, length: number): void {
  for (const { total } of dimension.kept.splice(length))
    dimension.other = (dimension.other ?? 0) + total;
}

function totalOf({ low, high, total, days }: ValueSum, text: Buffer): ValueTotal {
  return { low, high, total, days, text: text.toString(), bytes: text.length };
}

interface DimensionSums {
  readonly name: Dimension;
  readonly kept: readonly ValueSum[];
  readonly other: number | undefined;
}

class TooManyAtOnce extends Error {}

/** Sums up the values of each dimension. */
class SumSink implements BlockSink {
  readonly #seed: HashSeed;
  readonly #part: HashPart;
  readonly #texts = new TextRoom(MAX_TEXT_BYTES);
  readonly #tables = new Map<Dimension, ValueTable>();
  /** Of the block that is being read, by place in its dictionary. */
  readonly #open = new Map<Dimension, { totals: Float64Array; days: Uint16Array }>();

  constructor({ seed, part }: Part) {
    this.#seed = seed;
    this.#part = part;
  }

  count(block: BlockReader, name: Dimension, { length, places, counts }: ValueCounts): void {
    let open = this.#open.get(name);
    if (open === undefined) {
      const size = block.size(name);
      open = { totals: new Float64Array(size), days: new Uint16Array(size) };
      this.#open.set(name, open);
    }
    const { totals, days } = open;
    for (let i = 0; i < length; i++) {
      const n = counts[i] as number;
      if (n === 0) continue;
      const place = places[i] as number;
      totals[place] = (totals[place] as number) + n;
      days[place] = (days[place] as number) + 1;
    }
  }

  /** @throws {TooManyAtOnce} */
  end(block: BlockReader): void {
    for (const [name, sums] of this.#open) {
      const texts = block.dimension(name)?.texts;
      let table = this.#tables.get(name);
      if (table === undefined) {
        table = new ValueTable(this.#texts);
        this.#tables.set(name, table);
      }
      if (texts !== undefined) table.add(texts, sums, this.#seed, this.#part);
      block.release();
    }
    this.#open.clear();
    let size = 0;
    for (const table of this.#tables.values()) size += table.size;
    if (size > MAX_VALUES_AT_ONCE) throw new TooManyAtOnce();
  }

  highest(name: Dimension): DimensionSums[] {
    const table = this.#tables.get(name);
    if (table === undefined) return [];
    const kept = table.highest(MAX_ANSWERED_VALUES);
    return [{ name, kept, other: table.other }];
  }
}

/** Finds the texts of values that are known by their hashes. */
class TextSink implements BlockSink {
  readonly #seed: HashSeed;
  readonly #dimensions: readonly DimensionSums[];
  readonly #found = new Map<Dimension, Map<string, Buffer>>();

  constructor(seed: HashSeed, dimensions: readonly DimensionSums[]) {
    this.#seed = seed;
    this.#dimensions = dimensions;
    for (const { name } of dimensions) this.#found.set(name, new Map());
  }

  count(): void {}

  end(block: BlockReader): void {
    for (const { name, kept } of this.#dimensions) {
      const texts = block.dimension(name)?.texts;
      const found = this.#found.get(name);
      if (texts === undefined || found === undefined) continue;
      const wanted = new Set(kept.filter(({ text }) => text === undefined).map(keyOf));
      const [lows, highs] = texts.hashes(this.#seed);
      for (let place = 0; place < texts.size; place++) {
        const key = keyOf({ low: lows[place] as number, high: highs[place] as number });
        if (wanted.has(key) && !found.has(key)) found.set(key, Buffer.from(texts.bytes(place)));
      }
      block.release();
    }
  }

  of(name: Dimension, sum: ValueSum): Buffer {
    return this.#found.get(name)?.get(keyOf(sum)) ?? Buffer.alloc(0);
  }
}

function keyOf({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${low} ${high}`;
}
