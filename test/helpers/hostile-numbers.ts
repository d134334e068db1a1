import type Database from "better-sqlite3";
import { COUNTABLE } from "../../appliance/base/bounds.ts";
import { dayOf } from "../../appliance/base/calendar.ts";
import { Block } from "../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../appliance/store/blocks/codec.ts";
import { DETAIL_DIMENSIONS, MAX_DETAIL_ROWS } from "../../appliance/store/blocks/detail.ts";
import { MAX_DICTIONARY } from "../../appliance/store/blocks/dictionary.ts";
import { firstDayOf, monthOf } from "../../appliance/store/blocks/month.ts";
import { BatchEncoder } from "../../appliance/store/log/batch.ts";
import { DIMENSIONS, type HitRecord } from "../../appliance/store/log/record.ts";
import { runningPart } from "../../appliance/store/settling/parts.ts";
import { putBlock } from "../../appliance/store/sqlite/settle.ts";
import { FakeClock } from "./fake-clock.ts";

type Change = (db: Database.Database) => void;

/** The day of a fake clock. */
const TODAY = dayOf(new FakeClock().now());
const MONTH = monthOf(TODAY);
/** The day of the month. */
const DAY = TODAY - firstDayOf(MONTH);
/** Beyond it the next number is not exact. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Files whose numbers are hostile, and whose values are as Tallydeck counts them. */
export const HARMLESS_NUMBERS: Readonly<Record<string, Change>> = {
  "the log is folded up to the last number there is": (db) => setFolded(db, LAST),
  "batches have the last numbers there are": (db) => {
    db.exec(`UPDATE log SET n = n + ${LAST} - (SELECT max(n) FROM log)`);
    setFolded(db, LAST - 1_000);
  },
  "a part is the last of its day": (db) =>
    db.prepare("UPDATE block SET part = ?").run(runningPart(DAY + 1, 0) - 1),
  "a site has the last number that hits can have": (db) => {
    for (const table of ["block", "survey"])
      db.exec(`UPDATE ${table} SET site = 2147483646 WHERE site = 1`);
    db.exec("UPDATE document SET id = '2147483646' WHERE kind = 'site' AND id = '1'");
    db.exec("UPDATE revision SET last_site = 2147483646");
    db.exec("DELETE FROM log");
    addBatch(db, Array<HitRecord>(3).fill(view({ site: 2_147_483_646 })));
  },
  "200,000 batches hold nothing": (db) =>
    db
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
         INSERT INTO log (n, body) SELECT 1000 + i, ? FROM n`,
      )
      .run(new BatchEncoder().encode()),
};

/** Files with what no fold could have made, and what is said of them. */
export const HOSTILE_NUMBERS: Readonly<Record<string, readonly [RegExp, Change]>> = {
  "a counter is the largest number there is": [
    /a block that counts more than anybody can/,
    (db) => addBlock(db, (block) => block.add("pv", DAY - 1, 3, LAST)),
  ],
  "counters of many months are too much together": [
    /more than anybody can count/,
    (db) => addLargeMonths(db, 60),
  ],
  "values count more than all that was counted": [
    /a block that counts more by value than in all/,
    (db) =>
      addBlock(db, (block) => {
        block.add("pv", DAY, 3, 10);
        block.dimension("path").count(DAY, "/", { views: 11, visitors: 0, sessions: 0 });
      }),
  ],
  "a value has more visitors than views": [
    /a block that has more visitors than views/,
    (db) =>
      addBlock(db, (block) => {
        block.add("pv", DAY, 3, 10);
        block.dimension("path").count(DAY, "/", { views: 5, visitors: 6, sessions: 0 });
      }),
  ],
  "detail has more than was counted": [
    /a block that keeps detail of more than it counts/,
    (db) =>
      addBlock(db, (block) => {
        block.add("pv", DAY, 3, 10);
        block.detailOf(DAY).add(3, 0, new Uint16Array(DETAIL_DIMENSIONS.length), 11);
      }),
  ],
  "a part of a day holds another day": [
    /a part of a day that holds others/,
    (db) => addBlock(db, (block) => block.add("pv", DAY + 1, 3, 10)),
  ],
  "a month has more parts than hours": [
    /one of more parts than a month has hours/,
    (db) => {
      for (let part = 100; part < 900; part++)
        addBlock(db, (block) => block.add("pv", DAY, 3, 10), { part });
    },
  ],
  "1,000,000 blocks are of one month": [
    /one of more parts than a month has hours/,
    (db) => {
      addBlock(db, (block) => block.add("pv", DAY, 3, 10), { part: 1 });
      db.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        INSERT INTO block SELECT site, month, source, ${runningPart(DAY, 0)} + i, counters, counts
          FROM block, n WHERE part = ${runningPart(DAY, 1)}`);
    },
  ],
  "20 parts of a month take 1.3 GB": [
    /a part of a day that holds others/,
    (db) => {
      addBlock(db, fillDetail, { part: 1 });
      db.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO block SELECT site, month, source, ${runningPart(DAY, 0)} + i, counters, counts
          FROM block, n WHERE part = ${runningPart(DAY, 1)}`);
    },
  ],
  "a block has all dictionaries full": [
    /a block that takes more memory than there is for one/,
    (db) => addFull(db),
  ],
  "a batch has alike hits beyond what anybody can send": [
    /a batch that counts more than anybody can/,
    (db) => addBatch(db, [view({ times: 0xffff_ffff })]),
  ],
  "a batch has a hit that was none": [
    /a batch that counts more than anybody can/,
    (db) => addBatch(db, [view({ times: 0 }), view({ times: 9, flags: 1 })]),
  ],
  "a batch has a view of two pages": [
    /a batch that has several values where a hit has one/,
    (db) =>
      addBatch(db, [
        view({
          values: [
            ["path", "/a"],
            ["path", "/b"],
          ],
        }),
      ]),
  ],
  "a batch has an event without a name": [
    /a batch that has an event without a name/,
    (db) => addBatch(db, [view({ kind: "event" })]),
  ],
  "a survey has the last number there is": [
    /a row of its table survey is not as Tallydeck writes it/,
    (db) => db.exec(`UPDATE survey SET id = ${LAST}`),
  ],
};

function setFolded(db: Database.Database, n: number): void {
  db.prepare("UPDATE folded SET n = ?").run(BigInt(n));
}

function view(more: Partial<HitRecord> = {}): HitRecord {
  const values = more.values ?? [["path", "/a"] as const];
  return { site: 1, kind: "view", flags: 0, moment: TODAY * 24 + 12, times: 1, ...more, values };
}

function addBatch(db: Database.Database, records: readonly HitRecord[]): void {
  const encoder = new BatchEncoder();
  for (const record of records) encoder.add(record);
  db.prepare("INSERT INTO log (n, body) SELECT coalesce(max(n), 0) + 1, ? FROM log").run(
    encoder.encode(),
  );
}

/** A block of the first site. @param part of the first day, counted from 1; 0 for what is settled */
function addBlock(
  db: Database.Database,
  fill: (block: Block) => void,
  { month = MONTH, part = 50 } = {},
): void {
  const block = new Block(month);
  fill(block);
  const number = part === 0 ? 0 : runningPart(DAY, part);
  putBlock(db, { site: 1, month, source: 0, part: number, ...encodeBlock(block) });
}

/** Adds months with the largest counts in 20 hours each: 51 of them are all that can be counted. */
export function addLargeMonths(db: Database.Database, months: number): void {
  const fill = (block: Block) => {
    for (let hour = 0; hour < 20; hour++) block.add("pv", 1, hour, COUNTABLE.ofHour);
  };
  for (let month = 1; month <= months; month++)
    addBlock(db, fill, { month: MONTH - month, part: 0 });
}

/** All rows of detail that a month may keep, all alike. */
function fillDetail(block: Block): void {
  const none = new Uint16Array(DETAIL_DIMENSIONS.length);
  for (let day = 0; day < 31; day++) {
    block.add("pv", day, 3, MAX_DETAIL_ROWS);
    block.detailOf(day).add(3, 0, none, MAX_DETAIL_ROWS);
  }
}

function addFull(db: Database.Database): void {
  addBlock(db, (block) => {
    block.add("pv", DAY, 3, 1);
    for (const name of DIMENSIONS)
      for (let n = 0; n < MAX_DICTIONARY - 1; n++)
        block.dimension(name).placeOf(n.toString(36).padEnd(60, "x"));
  });
}
