import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Day } from "../../appliance/base/calendar.ts";
import { OTHER } from "../../appliance/base/names.ts";
import { BLOCK_COUNTERS, type Block } from "../../appliance/store/blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../appliance/store/blocks/codec.ts";
import { ALL_KEPT, compactBlock } from "../../appliance/store/blocks/compact.ts";
import { DETAIL_COLUMNS } from "../../appliance/store/blocks/detail.ts";
import { ALL_MONTHS, firstDayOf } from "../../appliance/store/blocks/month.ts";
import { bringSite, type CopiedCounts, copy } from "../../appliance/store/copy/bring.ts";
import type { CopyEnd } from "../../appliance/store/copy/end.ts";
import { addTo, counterDays, monthsOf, pastOf } from "../../appliance/store/copy/reading.ts";
import type { CopyOptions } from "../../appliance/store/copy/run.ts";
import { pairsOf } from "../../appliance/store/copy/sites.ts";
import { compare } from "../../appliance/store/copy/whole.ts";
import type { SiteKey } from "../../appliance/store/counting.ts";
import type { Dimension } from "../../appliance/store/log/record.ts";
import { addPast } from "../../appliance/store/settling/statements.ts";
import type { BlockKey } from "../../appliance/store/snapshot.ts";
import {
  type Database,
  databaseFile,
  openForWriting,
  withDatabase,
} from "../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../appliance/store/sqlite/settle.ts";
import { wholeBlock } from "../../appliance/store/sqlite/snapshot.ts";
import { runAll } from "../../appliance/store/sqlite/sql.ts";
import { addDays } from "./counted-days.ts";
import { FakeClock } from "./fake-clock.ts";
import { addSite, findSite } from "./stored-sites.ts";

/** Copies, and compares. @returns what it said, too */
export async function copyAll(
  from: CopyEnd,
  to: CopyEnd,
  more: Partial<CopyOptions> = {},
): Promise<CopiedCounts & { said: readonly string[] }> {
  const said: string[] = [];
  const say = (sentence: string) => said.push(sentence);
  const brought = await copy({ ...copying(from, to), say, ...more });
  return { ...brought, said };
}

function copying(from: CopyEnd, to: CopyEnd): CopyOptions {
  const { signal } = new AbortController();
  return { from, to, clock: new FakeClock(), signal, say: () => {}, show: () => {} };
}

/** Compares without bringing anything, or bringing what is missing. */
export async function checkAll(from: CopyEnd, to: CopyEnd, brings = false) {
  const { pairs, missing } = await pairsOf(from, to);
  const bring = (pair: (typeof pairs)[number]) => bringSite(copying(from, to), pair);
  const catchUp = brings ? bring : undefined;
  return compare({ from, to, catchUp, show: () => {} }, pairs, missing);
}

/** All that was counted, by site, to compare. */
export async function contentOf(end: CopyEnd): Promise<unknown> {
  const content: Record<string, unknown> = {};
  const surveys = [];
  for (const { number } of await end.sources())
    surveys.push(...(await end.surveys(number, 0, 1_000_000)));
  for (const { key, id, retired } of await end.sites()) {
    const which = { site: key, source: undefined };
    const { months, past } = await end.read(async ({ snapshot, rows }) => ({
      months: await monthsOf(snapshot, which, ALL_MONTHS, "detail"),
      past: await pastOf(rows, which),
    }));
    content[id] = {
      retired,
      past: Object.fromEntries([...past].sort()),
      totals: Object.fromEntries([...(await totalsOf(end, key))].sort()),
      days: months.flatMap(({ block, days }) => days.map((day) => [day, contentOfDay(block, day)])),
      surveys: surveys
        .filter(({ site }) => site === key)
        .map(({ version, day, payload }) => `${version} ${day} ${payload}`)
        .sort(),
    };
  }
  return content;
}

/** Counters of all time, days past retention included. */
export function totalsOf(end: CopyEnd, site: SiteKey): Promise<ReadonlyMap<string, number>> {
  const which = { site, source: undefined };
  return end.read(async ({ snapshot, rows }) => {
    const sums = new Map(await pastOf(rows, which));
    for (const day of (await counterDays(snapshot, which)).values()) addTo(sums, day);
    return sums;
  });
}

/** All that a block says of a day, in no order. */
function contentOfDay(block: Block, day: Day): unknown {
  const at = day - firstDayOf(block.month);
  const detail = block.detail[at];
  return {
    counters: BLOCK_COUNTERS.map((counter) => [...block.hoursOf(counter, at)].join()),
    values: [...block.dimensions]
      .flatMap(([name, { texts, days }]) => {
        const rows: string[] = [];
        days[at]?.each((value, { views, visitors, sessions }) =>
          rows.push(`${name} ${texts[value]}: ${views} ${visitors} ${sessions}`),
        );
        return rows;
      })
      .sort(),
    every: detail?.every,
    detail: Array.from({ length: detail?.rows ?? 0 }, (_, row) =>
      [
        detail?.hours[row],
        detail?.bits[row],
        ...DETAIL_COLUMNS.map((name, column) => {
          const value = detail?.values[column]?.[row] ?? 0;
          return value === 0 ? "" : block.dimension(name).texts[value - 1];
        }),
      ].join("|"),
    ).sort(),
  };
}

/** Writes days into the data of a folder, whose sites are made. */
export function fill(dataDir: string, days: Parameters<typeof addDays>[1]): void {
  change(dataDir, (db) => {
    for (const { site } of days) if (findSite(db, site) === undefined) addSite(db, site);
    addDays(db, days);
  });
}

/** Changes the data of a folder by hand. */
export function change(dataDir: string, task: (db: Database) => void): void {
  const file = databaseFile(dataDir);
  mkdirSync(dirname(file), { recursive: true });
  withDatabase(openForWriting(file), task);
}

/** Takes days out of the blocks of a folder as retention does; their counters are of the past then. */
export function dropDays(dataDir: string, days: readonly Day[]): void {
  const isKept = (day: Day) => !days.includes(day);
  change(dataDir, (db) =>
    eachBlock(db, (site, block) => {
      const kept = { counts: isKept, today: Number.POSITIVE_INFINITY };
      const { block: rest, gone } = compactBlock(block, kept);
      runAll(db, addPast([{ site, source: 0, counters: gone }], { atOnce: 1 }));
      return rest;
    }),
  );
}

/** Bounds the blocks of a folder, as upkeep does those of months that are over. */
export function boundBlocks(dataDir: string): void {
  const kept = { ...ALL_KEPT, today: Number.POSITIVE_INFINITY };
  change(dataDir, (db) => eachBlock(db, (_, block) => compactBlock(block, kept).block));
}

/** Counts a value as OTHER, as folding does where there are too many. */
export function foldValue(dataDir: string, name: Dimension, text: string): void {
  change(dataDir, (db) =>
    eachBlock(db, (_, block) => {
      const { texts } = block.dimension(name);
      const at = texts.indexOf(text);
      if (at >= 0) texts[at] = OTHER;
      return block;
    }),
  );
}

function eachBlock(db: Database, changed: (site: number, block: Block) => Block): void {
  for (const key of db.prepare("SELECT site, month, source, part FROM block").all() as BlockKey[]) {
    const row = wholeBlock(db, key) ?? assert.fail();
    const block = decodeBlock({ month: key.month, ...row });
    putBlock(db, { ...key, ...encodeBlock(changed(key.site, block)) });
  }
}
