import { dayOf } from "../../appliance/base/calendar.ts";
import { OF_READINGS } from "../../appliance/base/text/dimensions.ts";
import { Block } from "../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../appliance/store/blocks/codec.ts";
import {
  type DayDetail,
  DETAIL_COLUMNS,
  DETAIL_DIMENSIONS,
  MAX_DETAIL_ROWS,
} from "../../appliance/store/blocks/detail.ts";
import { firstDayOf, monthOf } from "../../appliance/store/blocks/month.ts";
import { MAX_VALUES, MAX_VALUES_PER_DAY } from "../../appliance/store/counting.ts";
import { DIMENSIONS, type Dimension, FLAG } from "../../appliance/store/log/record.ts";
import {
  type Database,
  databaseFile,
  openForWriting,
} from "../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../appliance/store/sqlite/settle.ts";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";

/** The last day of both kinds of sites. */
export const LAST_DAY: number = dayOf(Date.UTC(2026, 2, 31));
/** The number of values of each dimension of a busy site. */
const BUSY_VALUES: Readonly<Partial<Record<Dimension, number>>> = {
  path: 500,
  host: 1,
  ref: 300,
  ref_group: 5,
  source: 120,
  lang: 40,
  tz: 60,
  browser: 9,
  ...{
    os: 8,
    device: 3,
    viewport: 3,
    country: 80,
    utm_source: 16,
    utm_medium: 4,
    utm_campaign: 24,
  },
  event: 5,
  event_target: 40,
};
/** The number of different days, which are repeated, since making one takes long. */
const KINDS_OF_DAYS = 8;

/** A file with one site of 50,000 views a day, detail kept of all of them. */
export function makeBusySite(dataDir: string, days: number, seed: number): string {
  const random = randomFrom(seed);
  const kinds = Array.from({ length: KINDS_OF_DAYS }, () => busyDay(random));
  return makeMonths(dataDir, days, (block, day) => {
    const kept = kinds[day % KINDS_OF_DAYS] as KeptDay;
    const at = day - firstDayOf(block.month);
    keep(block.detailOf(at), kept);
    for (const [i, name] of DETAIL_DIMENSIONS.entries()) {
      const dimension = block.dimension(name);
      const size = BUSY_VALUES[name] ?? 1;
      for (let value = dimension.texts.length; value < size; value++)
        dimension.take(`${name}/some-longer-name-${value}`);
      const sums = new Float64Array(size);
      for (const value of kept.columns[i] as Uint16Array)
        if (value > 0) sums[value - 1] = (sums[value - 1] as number) + 1;
      for (const [value, n] of sums.entries())
        if (n > 0) dimension.table(at).push(value, n, Math.ceil(n / 2), Math.ceil(n / 3));
    }
    for (let hour = 0; hour < 24; hour++)
      for (const counter of ["pv", "uv", "sessions"] as const)
        block.add(counter, at, hour, Math.ceil(MAX_DETAIL_ROWS / 24));
  });
}

/**
 * A file whose months are full within every bound, in each dimension, with texts that hardly pack.
 * @param of the site, the last day, and the number of days with the most detail
 */
export function makeFullSite(
  dataDir: string,
  months: number,
  of: { site?: string; lastDay?: number; detailDays?: number; seed?: number } = {},
): string {
  const { site = "busy", lastDay = LAST_DAY, detailDays = 0, seed = 42 } = of;
  const random = randomFrom(seed);
  const rowsOf = fullDay(randomFrom(seed));
  const words = Array.from({ length: MAX_VALUES }, () => madeUpText(random));
  const fill = (block: Block, day: number) => {
    const at = day - firstDayOf(block.month);
    for (const name of DIMENSIONS) {
      const dimension = block.dimension(name);
      for (let n = 0; n < MAX_VALUES_PER_DAY; n++) {
        const value = (at * MAX_VALUES_PER_DAY + n) % (MAX_VALUES - 1);
        const text = `${block.month}${name}${words[(value + 31 * block.month) % MAX_VALUES]}`;
        dimension.count(at, text, { views: 1 + (value % 7), visitors: 1, sessions: 1 });
      }
    }
    block.add("pv", at, 12, Math.max(8 * MAX_VALUES_PER_DAY, MAX_DETAIL_ROWS));
    if (day > lastDay - detailDays) keep(block.detailOf(at), rowsOf(at));
  };
  return makeMonths(dataDir, 30 * months, fill, { site, lastDay });
}

function madeUpText(random: () => number): string {
  return Array.from({ length: 8 }, () => Math.floor(random() * 2 ** 52).toString(36)).join("");
}

const NOT_OF_EVENTS: ReadonlySet<Dimension> = new Set(["again", ...OF_READINGS]);
const FEW: ReadonlySet<Dimension> = new Set(["ref_group", "device", "country", ...NOT_OF_EVENTS]);

/** Makes the detail of a day of a full site, with random values of that day. */
function fullDay(random: () => number): (at: number) => KeptDay {
  const place = (at: number) =>
    // Few values have most, as everywhere.
    (at * MAX_VALUES_PER_DAY + Math.floor(MAX_VALUES_PER_DAY ** (random() ** 2))) %
    (MAX_VALUES - 1);
  // A column that no event has is in one row, which is enough to need room for all.
  const drawn = (name: Dimension, at: number) => 1 + (FEW.has(name) ? place(0) % 20 : place(at));
  const rowsOf = (name: Dimension) => (NOT_OF_EVENTS.has(name) ? 1 : MAX_DETAIL_ROWS);
  return (at) => ({
    columns: DETAIL_COLUMNS.map((name) =>
      new Uint16Array(MAX_DETAIL_ROWS).map((_, row) => (row < rowsOf(name) ? drawn(name, at) : 0)),
    ),
    hours: new Uint8Array(MAX_DETAIL_ROWS).fill(12),
    bits: new Uint8Array(MAX_DETAIL_ROWS),
  });
}

/** Fills a day with the most rows that it may keep. */
function keep(detail: DayDetail, { columns, hours, bits }: KeptDay): void {
  Object.assign(detail, { rows: MAX_DETAIL_ROWS, seen: MAX_DETAIL_ROWS, hours, bits });
  detail.values.splice(0, detail.values.length, ...columns);
}

interface KeptDay {
  readonly columns: readonly Uint16Array[];
  readonly hours: Uint8Array;
  readonly bits: Uint8Array;
}

function busyDay(random: () => number): KeptDay {
  const rows = MAX_DETAIL_ROWS;
  const column = (size: number) =>
    // Few values have most, as everywhere.
    Uint16Array.from({ length: rows }, () => Math.min(size, Math.floor(size ** random())));
  const isEvent = (name: Dimension) => name.startsWith("event");
  return {
    columns: DETAIL_COLUMNS.map((name) =>
      isEvent(name) ? new Uint16Array(rows) : column(BUSY_VALUES[name] ?? 1),
    ),
    hours: Uint8Array.from({ length: rows }, () => Math.floor(24 * random())),
    bits: Uint8Array.from({ length: rows }, () =>
      random() < 0.4 ? FLAG.visitor | FLAG.pathVisitor | FLAG.session : 0,
    ),
  };
}

function makeMonths(
  dataDir: string,
  days: number,
  fillDay: (block: Block, day: number) => void,
  { site, lastDay } = { site: "busy", lastDay: LAST_DAY },
): string {
  const file = databaseFile(dataDir);
  const db = openForWriting(file);
  const body = { id: site, host: null, badge: false, declared: false, retired: false };
  db.prepare("INSERT INTO document (kind, id, body, revision) VALUES ('site', '1', ?, 1)").run(
    JSON.stringify({ ...body, token: null, share: null }),
  );
  db.exec("UPDATE revision SET last_site = 1");
  let block: Block | undefined;
  for (let day = lastDay - days + 1; day <= lastDay; day++) {
    if (block?.month !== monthOf(day)) {
      writeBlock(db, block);
      block = new Block(monthOf(day));
    }
    fillDay(block, day);
  }
  writeBlock(db, block);
  db.close();
  return file;
}

function writeBlock(db: Database, block: Block | undefined): void {
  if (block !== undefined)
    putBlock(db, { site: 1, month: block.month, source: 0, part: 0, ...encodeBlock(block) });
}
