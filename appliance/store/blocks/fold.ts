import { OTHER } from "../../base/names.ts";
import { rowsOf } from "../../base/text/dimensions.ts";
import type { Batch } from "../log/batch.ts";
import { type Dimension, FLAG, KINDS, readEventValue } from "../log/record.ts";
import type { ValueMap } from "../sites/value-rules.ts";
import { Block, type BlockCounter } from "./block.ts";
import type { Counts } from "./day-table.ts";
import { columnsOf, DETAIL_COLUMNS, IS_EVENT } from "./detail.ts";
import type { DimensionBlock } from "./dictionary.ts";
import { firstDayOf, type Month, monthOf } from "./month.ts";

/** The days that keep detail of a site's views and events, and the values that are taken in. */
export interface FoldRules {
  /** The first day (since 1970) that keeps detail; Infinity for none. */
  readonly detailFrom: number;
  /** Under low space, the texts that blocks hold already: any other counts as OTHER. */
  readonly known?: ReadonlyMap<Dimension, ReadonlySet<string>> | undefined;
  /** Values that count as others. */
  readonly map?: ValueMap | undefined;
}

const HOURS = 24;
const NO_BLOCK = new Block(0);
const NO_TEXTS: ReadonlySet<string> = new Set();
const [VIEW, EVENT, INTERACTION, PING, CRAWLER] = KINDS.keys();

/**
 * Folds records of one site into its blocks, within all bounds of a block.
 * @param blocks the blocks of the site by month; missing months are added
 * @param rows the rows of the batch that belong to this site
 * @param rules the same at each call for these blocks
 */
export function fold(
  blocks: Map<Month, Block>,
  batch: Batch,
  rows: Iterable<number>,
  rules: FoldRules,
): void {
  const found = new Uint16Array(DETAIL_COLUMNS.length);
  const names = batch.slots.map(({ dimension }) => dimension);
  const events = batch.slots.find(({ dimension }) => dimension === "event")?.texts;
  const slots = batch.slots.map(({ dimension, texts }, slot) => ({
    dimension,
    texts,
    // A hit fills the slots of a dimension from the first one on.
    place: columnsOf(dimension)[names.slice(0, slot).filter((one) => one === dimension).length],
    // All else of an event or a reading is there for filters.
    isOfEvents: rowsOf(dimension) !== "views",
    isSum: dimension === "event_value",
    others: rules.map?.get(dimension),
    known: rules.known === undefined ? undefined : (rules.known.get(dimension) ?? NO_TEXTS),
  }));
  /** The block's dimensions by slot. */
  const dimensions: (DimensionBlock | undefined)[] = [];
  let today = Number.NaN;
  let block = NO_BLOCK;
  for (const row of rows) {
    const moment = batch.moments[row] as number;
    if (Math.floor(moment / HOURS) !== today) {
      today = Math.floor(moment / HOURS);
      block = blockOf(blocks, monthOf(today));
      dimensions.length = 0;
    }
    const day = today - firstDayOf(block.month);
    const hour = moment % HOURS;
    const marks = batch.flags[row] as number;
    const times = batch.times[row] as number;
    const kind = batch.kinds[row] as number;
    const flags = kind === EVENT ? 0 : marks;
    const isDetailed = (kind === VIEW || kind === EVENT) && today >= rules.detailFrom;
    countKind(block, { day, hour, kind, flags, times });
    found.fill(0);
    // A visitor's first view of a day is on one page only, so each path counts its visitors by a flag of its own.
    const ofPath = countsOf(FLAG.pathVisitor, flags, times);
    const ofOthers = countsOf(FLAG.visitor, flags, times);
    for (let slot = 0; slot < slots.length; slot++) {
      const { dimension, texts, place, isOfEvents, isSum, known, others } = slots[
        slot
      ] as (typeof slots)[number];
      const said = batch.texts[(texts[row] as number) - 1];
      if (said === undefined) continue;
      const text = others?.get(said) ?? said;
      const isCounted = kind !== EVENT || isOfEvents;
      if (!isCounted && !isDetailed) continue;
      const values = dimensions[slot] ?? block.dimension(dimension);
      dimensions[slot] = values;
      const takesNew = known === undefined || known.has(text);
      if (isSum) {
        const event = batch.texts[(events?.[row] ?? 0) - 1];
        if (event === undefined) continue;
        const name = rules.map?.get("event")?.get(event) ?? event;
        const isKnown = known === undefined || known.has(name);
        values.count(day, name, sumOf(readEventValue(text) ?? 0, times), isKnown);
      }
      const counted =
        isCounted && !isSum
          ? values.count(day, text, dimension === "path" ? ofPath : ofOthers, takesNew)
          : undefined;
      if (!isDetailed || place === undefined) continue;
      // A row keeps its text where the day counts it as OTHER, so that a filter still finds the row.
      const isKept = counted !== undefined && values.texts[counted] === text;
      const value = isKept ? counted : (values.take(text, takesNew) ?? values.placeOf(OTHER));
      found[place] = value + 1;
    }
    if (!isDetailed) continue;
    block.detailOf(day).add(hour, marks | (kind === EVENT ? IS_EVENT : 0), found, times);
  }
}

/**
 * Counts records of one site by the month, without their values. A day that has no counters, as one of events alone, is
 * held.
 * @param blocks empty ones, by month; missing months are added
 */
export function countRows(blocks: Map<Month, Block>, batch: Batch, rows: Iterable<number>): void {
  for (const row of rows) {
    const moment = batch.moments[row] as number;
    const today = Math.floor(moment / HOURS);
    const block = blockOf(blocks, monthOf(today));
    const day = today - firstDayOf(block.month);
    block.hold(1 << day);
    countKind(block, {
      day,
      hour: moment % HOURS,
      kind: batch.kinds[row] as number,
      flags: batch.flags[row] as number,
      times: batch.times[row] as number,
    });
  }
}

function countKind(
  block: Block,
  {
    day,
    hour,
    kind,
    flags,
    times,
  }: { day: number; hour: number; kind: number; flags: number; times: number },
): void {
  const add = (counter: BlockCounter) => block.add(counter, day, hour, times);
  if (kind === PING) add("app");
  else if (kind === CRAWLER) add("crawler");
  else if (kind === VIEW) {
    add("pv");
    if (flags & FLAG.visitor) add("uv");
    if (flags & FLAG.session) add("sessions");
    if (flags & FLAG.bounce) add("bounce");
    if (flags & FLAG.engaged) add("engaged");
  } else if (kind !== EVENT && kind !== INTERACTION) add("synthetic");
}

/** The sums of numbers above zero and below it, which counts cannot be. */
function sumOf(value: number, times: number): Counts {
  return { views: Math.max(0, value) * times, visitors: Math.max(0, -value) * times, sessions: 0 };
}

/** @param visitor the flag that a visitor is known by */
function countsOf(visitor: number, flags: number, times: number): Counts {
  return {
    views: times,
    visitors: flags & visitor ? times : 0,
    sessions: flags & FLAG.session ? times : 0,
  };
}

function blockOf(blocks: Map<Month, Block>, month: Month): Block {
  let block = blocks.get(month);
  if (block === undefined) {
    block = new Block(month);
    blocks.set(month, block);
  }
  return block;
}
