import { type Condition, rowsAsked } from "../../../appliance/base/text/condition.ts";
import { COUNTED_OF, type ListName, rowsOf } from "../../../appliance/base/text/dimensions.ts";
import { BLOCK_COUNTERS, Block, type BlockCounter } from "../../../appliance/store/blocks/block.ts";
import { BlockReader } from "../../../appliance/store/blocks/block-reader.ts";
import { decodeBlock, encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { DETAIL_DIMENSIONS } from "../../../appliance/store/blocks/detail.ts";
import { filterBlock } from "../../../appliance/store/blocks/filter.ts";
import { type FoldRules, fold } from "../../../appliance/store/blocks/fold.ts";
import { firstDayOf, type Month, monthOf } from "../../../appliance/store/blocks/month.ts";
import {
  type Batch,
  BatchEncoder,
  decodeBatch,
  rowsBySite,
} from "../../../appliance/store/log/batch.ts";
import { FLAG, type HitRecord, READING } from "../../../appliance/store/log/record.ts";

const SITE = 1;
export const ALL_DETAIL: FoldRules = { detailFrom: 0 };
export const NO_DETAIL: FoldRules = { detailFrom: Number.POSITIVE_INFINITY };

/** Folds records as they would come: in batches, and with each block written and read between two. */
export function folded(
  records: readonly HitRecord[],
  rules = ALL_DETAIL,
  size = 7,
): Map<Month, Block> {
  let blocks = new Map<Month, Block>();
  for (let at = 0; at < records.length; at += size) {
    foldInto(blocks, records.slice(at, at + size), rules);
    blocks = new Map([...blocks].map(([month, block]) => [month, rewritten(block)]));
  }
  return blocks;
}

/** Records as one batch that was encoded. */
export function batchOf(records: readonly HitRecord[]): Batch {
  const encoder = new BatchEncoder();
  for (const record of records) encoder.add(record);
  return decodeBatch(encoder.encode());
}

/** Folds those of SITE. */
export function foldInto(
  blocks: Map<Month, Block>,
  records: readonly HitRecord[],
  rules: FoldRules,
): void {
  const batch = batchOf(records);
  fold(blocks, batch, rowsBySite(batch).get(SITE) ?? [], rules);
}

/** A block as it is once it was written and read. */
export function rewritten(block: Block): Block {
  return decodeBlock({ month: block.month, ...encodeBlock(block) });
}

/** All that blocks count, as lines of a fact and its count. */
export function told(blocks: Iterable<Block>): Map<string, number> {
  const facts = new Map<string, number>();
  for (const block of blocks)
    for (let day = 0; day < 31; day++) {
      const on = firstDayOf(block.month) + day;
      for (const counter of BLOCK_COUNTERS)
        for (const [hour, n] of block.hoursOf(counter, day).entries())
          if (n > 0) facts.set(`${on} ${hour} ${counter}`, n);
      for (const [name, { texts, days }] of block.dimensions)
        days[day]?.each((value, { views, visitors, sessions }) => {
          const counts =
            name === "event_value" ? { sum: views - visitors } : { views, visitors, sessions };
          for (const [of, n] of Object.entries(counts))
            if (n !== 0) facts.set(`${on} ${name}=${texts[value]} ${of}`, n);
        });
    }
  return facts;
}

/** The same, counted one by one. */
export function counted(
  records: readonly HitRecord[],
  where: readonly Condition[] = [],
): Map<string, number> {
  const isOfPath = where.some(({ dimension }) => dimension === "path");
  const asked = rowsAsked(where);
  const facts = new Map<string, number>();
  const add = (fact: string, n: number) => facts.set(fact, (facts.get(fact) ?? 0) + n);
  for (const { site, kind, flags, moment, times, values } of records) {
    if (site !== SITE) continue;
    const day = Math.floor(moment / 24);
    const has = (flag: number) => (flags & flag) !== 0;
    const counters: Record<BlockCounter, boolean> = {
      pv: kind === "view",
      uv: kind === "view" && has(isOfPath ? FLAG.pathVisitor : FLAG.visitor),
      sessions: kind === "view" && has(FLAG.session),
      bounce: kind === "view" && has(FLAG.bounce),
      engaged: kind === "view" && has(FLAG.engaged),
      app: kind === "ping",
      crawler: kind === "crawler",
      synthetic: kind === "synthetic",
    };
    for (const [counter, counts] of Object.entries(counters))
      if (counts) add(`${day} ${moment % 24} ${counter}`, times);
    const rows = kind !== "event" ? "views" : flags === READING ? "readings" : "events";
    for (const [name, text] of values) {
      if ((rowsOf(name) === "views" ? asked : rowsOf(name)) !== rows) continue;
      if (name === "event_value") {
        const event = values.find(([name]) => name === "event")?.[1];
        add(`${day} ${name}=${event} sum`, Number(text) * times);
        continue;
      }
      add(`${day} ${name}=${text} views`, times);
      if (rows !== "views") continue;
      if (has(isOfPath || name === "path" ? FLAG.pathVisitor : FLAG.visitor))
        add(`${day} ${name}=${text} visitors`, times);
      if (has(FLAG.session)) add(`${day} ${name}=${text} sessions`, times);
    }
  }
  return new Map([...facts].filter(([, n]) => n !== 0));
}

/** The matching part of a block, as a block. */
export async function filtered(block: Block, where: readonly Condition[]): Promise<Block> {
  const reader = new BlockReader({ month: block.month, ...encodeBlock(block) });
  const fitting = new Block(block.month);
  for (const of of COUNTED_OF) {
    const counters = of === "views" ? fitting : new Block(block.month);
    const question = {
      where,
      of: () => of,
      days: [0, 30],
      names: new Set<ListName>([...DETAIL_DIMENSIONS, "event_value"]),
    } as const;
    await filterBlock(reader, question, counters, (name, { day, length, places, counts }) => {
      if (name === "entry") return;
      const texts = block.dimensions.get(name)?.texts ?? [];
      for (let i = 0; i < length; i++) {
        const sum = counts[i] as number;
        const n = {
          views: 0,
          visitors: 0,
          sessions: 0,
          [sum < 0 ? "visitors" : of]: Math.abs(sum),
        };
        fitting.dimension(name).count(day, texts[places[i] as number] as string, n);
      }
    });
  }
  return fitting;
}

/** A view and what it has besides. */
export function view(more: Partial<HitRecord> = {}): HitRecord {
  const { values = [] } = more;
  return { site: SITE, kind: "view", flags: 0, moment: NOON, times: 1, ...more, values };
}

export const NOON = 20_500 * 24 + 12;
/** The day of the month. */
export const DAY = 20_500 - firstDayOf(monthOf(20_500));
