import { type Dimension, FLAG } from "../log/record.ts";
import { Block, type BlockCounter } from "./block.ts";
import { DayTable } from "./day-table.ts";
import { type DayDetail, DETAIL_DIMENSIONS, IS_EVENT } from "./detail.ts";
import { DimensionBlock, MAX_DAYS } from "./dictionary.ts";

export const TESTS = ["is", "not", "begins"] as const;

/** What a view or an event has to be. Those with `is` of one dimension are alternatives. */
export interface Condition {
  readonly dimension: Dimension;
  readonly test: (typeof TESTS)[number];
  readonly value: string;
}

/** An event's name and target; all else is counted of views, unless only events are asked for. */
const OF_EVENTS: ReadonlySet<Dimension> = new Set(["event", "event_target"]);

/**
 * A block that counts only what fits, of the days that keep detail; where one row stands for many,
 * it counts as many. Under a condition on the path, visitors are those of the path.
 * @param takes which days of the month are looked at
 */
export function filterBlock(
  block: Block,
  where: readonly Condition[],
  takes: (day: number) => boolean = () => true,
): Block {
  const filtered = new Block(block.month);
  const tests = testsOf(block.dimensions, where);
  const isOfPath = where.some(({ dimension }) => dimension === "path" || dimension === "event");
  const isOfEvents = where.some(
    ({ dimension, test }) => test !== "not" && OF_EVENTS.has(dimension),
  );
  const counts = new ValueCounts();
  for (let day = 0; day < MAX_DAYS; day++) {
    const detail = block.detail[day];
    if (detail === undefined || !takes(day)) continue;
    const rows = rowsThatFit(detail.rows, (place) => detail.values[place], tests);
    countDay(filtered, day, detail, rows, isOfPath ? FLAG.pathVisitor : FLAG.visitor);
    for (const [place, name] of DETAIL_DIMENSIONS.entries()) {
      const texts = block.dimensions.get(name)?.texts;
      if (texts === undefined) continue;
      const ofEvents = isOfEvents || OF_EVENTS.has(name) ? IS_EVENT : 0;
      const table = counts.of(name, detail, { place, rows, ofEvents }, texts.length);
      if (table === undefined) continue;
      if (!filtered.dimensions.has(name)) filtered.dimensions.set(name, new DimensionBlock(texts));
      filtered.dimension(name).days[day] = table;
    }
  }
  return filtered;
}

/** For a dimension, which of its values (0 for none, else one more than its place) fit. */
export interface Test {
  /** In DETAIL_DIMENSIONS. */
  readonly place: number;
  readonly fits: Uint8Array;
}

/** What conditions mean for detail that names these texts. */
export function testsOf(
  dimensions: ReadonlyMap<Dimension, Pick<DimensionBlock, "texts">>,
  where: readonly Condition[],
): Test[] {
  return [...Map.groupBy(where, ({ dimension }) => dimension)].map(([dimension, conditions]) => {
    const texts = dimensions.get(dimension)?.texts ?? [];
    const alternatives = conditions.filter(({ test }) => test === "is").map(({ value }) => value);
    const others = conditions.filter(({ test }) => test !== "is");
    const isOne = (text: string) =>
      (alternatives.length === 0 || alternatives.includes(text)) &&
      others.every(({ test, value }) => (test === "not" ? text !== value : text.startsWith(value)));
    return {
      place: DETAIL_DIMENSIONS.indexOf(dimension),
      // What has no value is none, and begins with nothing.
      fits: Uint8Array.from([
        alternatives.length === 0 && others.every(({ test }) => test === "not") ? 1 : 0,
        ...texts.map((text) => (isOne(text) ? 1 : 0)),
      ]),
    };
  });
}

/** Which of so many rows fit, ascending. @param columnAt the values of a dimension, as in DayDetail */
export function rowsThatFit(
  count: number,
  columnAt: (place: number) => Uint16Array | undefined,
  tests: readonly Test[],
): Uint32Array {
  const rows = new Uint32Array(count);
  let left = 0;
  while (left < count) rows[left] = left++;
  for (const { place, fits } of tests) {
    const column = columnAt(place);
    let kept = 0;
    for (let i = 0; i < left; i++) {
      const row = rows[i] as number;
      if (column !== undefined && fits[column[row] as number] === 1) rows[kept++] = row;
    }
    left = kept;
  }
  return rows.subarray(0, left);
}

function countDay(
  block: Block,
  day: number,
  { hours, bits, every }: DayDetail,
  rows: Uint32Array,
  visitor: number,
): void {
  const flagged: readonly (readonly [BlockCounter, number])[] = [
    ["uv", visitor],
    ["sessions", FLAG.session],
    ["bounce", FLAG.bounce],
    ["engaged", FLAG.engaged],
  ];
  for (const row of rows) {
    const flags = bits[row] as number;
    if (flags & IS_EVENT) continue;
    const hour = hours[row] as number;
    block.add("pv", day, hour, every);
    for (const [counter, flag] of flagged) if (flags & flag) block.add(counter, day, hour, every);
  }
}

/** Sums up rows by value; its memory is used again for each day and dimension. */
class ValueCounts {
  #views = new Float64Array();
  #visitors = new Float64Array();
  #sessions = new Float64Array();

  of(
    name: Dimension,
    { values, bits, every }: DayDetail,
    { place, rows, ofEvents }: { place: number; rows: Uint32Array; ofEvents: number },
    size: number,
  ): DayTable | undefined {
    this.#clear(size);
    const column = values[place] as Uint16Array;
    const visitor = name === "path" ? FLAG.pathVisitor : FLAG.visitor;
    for (const row of rows) {
      const value = (column[row] as number) - 1;
      const flags = bits[row] as number;
      if (value < 0 || (flags & IS_EVENT) !== ofEvents) continue;
      this.#views[value] = (this.#views[value] as number) + every;
      if (flags & visitor) this.#visitors[value] = (this.#visitors[value] as number) + every;
      if (flags & FLAG.session) this.#sessions[value] = (this.#sessions[value] as number) + every;
    }
    return this.#table(size);
  }

  #table(size: number): DayTable | undefined {
    const table = new DayTable();
    for (let value = 0; value < size; value++) {
      const views = this.#views[value] as number;
      if (views > 0)
        table.push(value, views, this.#visitors[value] as number, this.#sessions[value] as number);
    }
    return table.values.length > 0 ? table : undefined;
  }

  #clear(size: number): void {
    if (this.#views.length < size) {
      this.#views = new Float64Array(2 * size);
      this.#visitors = new Float64Array(2 * size);
      this.#sessions = new Float64Array(2 * size);
      return;
    }
    for (const sums of [this.#views, this.#visitors, this.#sessions]) sums.fill(0, 0, size);
  }
}
