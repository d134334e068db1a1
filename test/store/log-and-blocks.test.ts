import assert from "node:assert/strict";
import { join } from "node:path";
import type { Day } from "../../appliance/base/calendar.ts";
import {
  type BlockRow,
  type LogRow,
  type Settlement,
  SLICE_BYTES,
  type SlicedBlock,
  type Snapshot,
} from "../../appliance/store/snapshot.ts";
import { CountedDays } from "../../appliance/store/sqlite/counted-days.ts";
import { openForWriting } from "../../appliance/store/sqlite/database.ts";
import { settleFile } from "../../appliance/store/sqlite/settle.ts";
import { SqliteSnapshot } from "../../appliance/store/sqlite/snapshot.ts";
import { eachFolder } from "../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../helpers/postgres.ts";
import { addSite, siteRow } from "../helpers/stored-sites.ts";
import { LogNode } from "./postgres/log-node.ts";

/** A place for batches and blocks. */
interface Place {
  /** Whose batches it commits. */
  readonly node: number;
  append(...bodies: Uint8Array[]): Promise<void>;
  /** @returns false where it was prepared on other blocks */
  settle(settlement: Settlement): Promise<boolean>;
  read<T>(task: (snapshot: Snapshot) => Promise<T> | T): Promise<T>;
  /** The days that something was counted on. */
  countedDays(): Promise<Day[]>;
  addSite(id: string): Promise<void>;
  close(): Promise<void>;
}

const ALL = 2 ** 30;
const NONE: ReadonlyMap<number, number> = new Map();
const NOTHING = {
  folded: [],
  puts: [],
  drops: [],
  past: [],
  days: [],
  gone: [],
} satisfies Omit<Settlement, "generation">;

/** Bytes of all kinds, zero and quotes among them. */
function bytes(length: number, first: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (first + at * 7) & 255);
}

function block(site: number, month: number, part: number, first = 1): BlockRow {
  return {
    site,
    month,
    source: 0,
    part,
    counters: bytes(300, first),
    counts: bytes(20_000, first + 1),
    detail: bytes(0, 0),
  };
}

/** The rows with plain arrays, for comparing. */
function plain(rows: readonly (LogRow | BlockRow)[]) {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
      ]),
    ),
  );
}

/** Tests of all places for batches and blocks. */
function itKeeps(open: () => Promise<Place>): void {
  let place: Place;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(() => place.close());

  const generation = () => place.read((snapshot) => snapshot.generation());
  const log = (after = NONE, maxBytes = ALL) =>
    place.read((snapshot) => snapshot.log(after, maxBytes));
  const blocks = (sites: number[], from = 0, to = 9_999) =>
    place.read((snapshot) =>
      snapshot.blocks(sites, { from, to }, ["counters", "counts", "detail"]),
    );
  const settle = async (settlement: Partial<Settlement>) =>
    place.settle({ generation: await generation(), ...NOTHING, ...settlement });

  it("shows a batch once, with the bytes that it came with", async () => {
    const bodies = [bytes(1, 0), bytes(256, 0), bytes(40_000, 3)];
    await place.append(bodies[0] as Uint8Array);
    await place.append(bodies[1] as Uint8Array, bodies[2] as Uint8Array);
    const rows = await log();
    assert.deepEqual(
      plain(rows),
      plain(bodies.map((body, at) => ({ node: place.node, n: at + 1, source: 0, body }))),
    );
  });

  it("shows the log beyond a number, and no more than so many bytes, but one at least", async () => {
    for (let i = 0; i < 5; i++) await place.append(bytes(100, i));
    const numbers = async (after: number, maxBytes: number) =>
      (await log(new Map([[place.node, after]]), maxBytes)).map(({ n }) => n);
    assert.deepEqual(await numbers(0, 250), [1, 2]);
    assert.deepEqual(await numbers(2, 300), [3, 4, 5]);
    assert.deepEqual(await numbers(3, 10), [4]);
    assert.deepEqual(await numbers(5, ALL), []);
  });

  it("takes what is folded out of the log, and nothing else", async () => {
    for (let i = 0; i < 4; i++) await place.append(bytes(10, i));
    assert.ok(await settle({ folded: [[place.node, 3]], puts: [block(1, 600, 1)] }));
    const ns = (await log()).map(({ n }) => n);
    assert.deepEqual(ns, [4]);
    assert.equal((await place.read((snapshot) => snapshot.folded())).get(place.node), 3);
    await place.append(bytes(10, 9));
    const found = (await log()).map(({ n }) => n);
    assert.deepEqual(found, [4, 5]);
  });

  it("counts as folded what once was, though less of it is folded again", async () => {
    for (let i = 0; i < 4; i++) await place.append(bytes(10, i));
    for (const n of [3, 2]) assert.ok(await settle({ folded: [[place.node, n]] }));
    assert.equal((await place.read((snapshot) => snapshot.folded())).get(place.node), 3);
  });

  it("goes on with its numbers when all of the log is folded", async () => {
    await place.append(bytes(10, 1));
    await settle({ folded: [[place.node, 1]] });
    await place.append(bytes(10, 2));
    const ns = (await log()).map(({ n }) => n);
    assert.deepEqual(ns, [2]);
  });

  it("adds blocks, puts others in their place, and drops some", async () => {
    await settle({ puts: [block(1, 600, 1), block(1, 600, 2), block(2, 601, 1)] });
    const merged = block(1, 600, 0, 77);
    const changed = block(2, 601, 1, 5);
    await settle({
      puts: [merged, changed],
      drops: [
        { site: 1, month: 600, source: 0, part: 1 },
        { site: 1, month: 600, source: 0, part: 2 },
      ],
    });
    assert.deepEqual(plain(await blocks([2, 1])), plain([merged, changed]));
  });

  it("adds and drops more at once than one statement writes", async () => {
    const sites = Array.from({ length: 250 }, (_, i) => i + 1);
    const puts = sites.map((site) => ({ ...block(site, 600, 0, site), counts: bytes(9, site) }));
    const past = sites.map((site) => ({ site, source: 0, counters: new Map([["pv", site]]) }));
    await settle({ puts, past });
    assert.deepEqual(plain(await blocks(sites)), plain(puts));
    const sums = await place.read((snapshot) => snapshot.past(sites));
    const found = sums.map((counters) => counters.get("pv"));
    assert.deepEqual(found, sites);
    await settle({ drops: puts.slice(1) });
    assert.deepEqual(plain(await blocks(sites)), plain(puts.slice(0, 1)));
  });

  it("shows the blocks of some sites and months, in order, with the pieces that are asked for", async () => {
    await settle({
      puts: [block(2, 600, 0), block(1, 602, 1), block(1, 602, 0), block(1, 599, 0)],
    });
    const keys = (await blocks([1, 2, 3], 600, 602)).map(
      ({ site, month, part }) => `${site} ${month} ${part}`,
    );
    assert.deepEqual(keys, ["1 602 0", "1 602 1", "2 600 0"]);
    const [only] = await place.read((snapshot) =>
      snapshot.blocks([2], { from: 600, to: 600 }, ["counts"]),
    );
    assert.deepEqual(
      [only?.counters.length, only?.counts.length, only?.detail.length],
      [0, 20_000, 0],
    );
  });

  it("reads a large piece slice by slice, and leaves none of it where another takes its place", async () => {
    const large = { ...block(1, 600, 0), counts: bytes(2.5 * SLICE_BYTES, 3) };
    await settle({ puts: [large, { ...block(1, 601, 0), detail: bytes(SLICE_BYTES, 1) }] });
    const page = (maxBytes: number) =>
      place.read(async (snapshot) => {
        const months = { from: 600, to: 601 };
        const rows = await snapshot.slicedBlocks([1], months, ["counts", "detail"], {
          after: null,
          maxBytes,
        });
        const whole = async (piece: SlicedBlock["counts"]) => {
          if (piece instanceof Uint8Array) return piece;
          const slices = [piece.first, await piece.slice(1), await piece.slice(2)];
          assert.ok(slices.every((slice) => slice.length <= SLICE_BYTES));
          return Buffer.concat(slices);
        };
        return Promise.all(rows.map(async ({ month, counts }) => [month, await whole(counts)]));
      });
    const [first] = await page(ALL);
    assert.deepEqual(plain([first as never]), plain([[600, large.counts] as never]));
    assert.equal((await page(100_000)).length, 1);
    const [whole] = await blocks([1]);
    assert.deepEqual(plain([whole as BlockRow]), plain([large]));
    const [listed] = await place.read((snapshot) => snapshot.list(null, 1));
    assert.equal(listed?.bytes, 300 + large.counts.length);
    assert.equal(listed?.detailBytes, 0);
    await settle({ puts: [block(1, 600, 0)] });
    assert.deepEqual(plain((await blocks([1], 600, 600)) as BlockRow[]), plain([block(1, 600, 0)]));
    await settle({ puts: [large] });
    await settle({ drops: [large] });
    await settle({ puts: [{ ...large, counts: large.counts.slice(0, SLICE_BYTES) }] });
    const [again] = await blocks([1], 600, 600);
    assert.equal(again?.counts.length, SLICE_BYTES);
  });

  it("lists blocks with their sizes, a page after a key", async () => {
    const detailed = { ...block(2, 600, 0), detail: bytes(50, 0) };
    await settle({ puts: [block(1, 600, 0), block(1, 600, 3), detailed] });
    const first = await place.read((snapshot) => snapshot.list(null, 2));
    assert.deepEqual(
      first.map((row) => ({ ...row })),
      [0, 3].map((part) => ({
        site: 1,
        month: 600,
        source: 0,
        part,
        bytes: 20_300,
        detailBytes: 0,
      })),
    );
    const rest = await place.read((snapshot) => snapshot.list(first[1] ?? null, 2));
    assert.deepEqual(
      rest.map((row) => ({ ...row })),
      [{ site: 2, month: 600, source: 0, part: 0, bytes: 20_350, detailBytes: 50 }],
    );
  });

  it("lists whatever may be due: parts, months of days that are over, and detail up to a month", async () => {
    const detailed = (month: number) => ({ ...block(1, month, 0), detail: bytes(50, 0) });
    const months = [596, 597, 598, 599, 604].map((month) => block(1, month, 0));
    await settle({ puts: [...months, detailed(600), detailed(601), block(2, 604, 65_536)] });
    const due = { from: 597, to: 598, detailTo: 600 };
    const listed = await place.read((snapshot) => snapshot.list(null, 20, due));
    const keys = listed.map(({ site, month }) => `${site} ${month}`);
    for (const key of ["1 597", "1 598", "1 600", "2 604"]) assert.ok(keys.includes(key), key);
    assert.deepEqual(keys, keys.toSorted());
  });

  it("does nothing of what was prepared on other blocks", async () => {
    await place.append(bytes(10, 1));
    const before = await generation();
    await settle({ puts: [block(1, 600, 1)] });
    const late = {
      ...NOTHING,
      generation: before,
      folded: [[place.node, 1]] as const,
      puts: [block(2, 600, 1)],
      drops: [{ site: 1, month: 600, source: 0, part: 1 }],
      past: [{ site: 1, source: 0, counters: new Map([["pv", 3]]) }],
      days: [20_000],
    };
    assert.equal(await place.settle(late), false);
    assert.equal((await log()).length, 1);
    assert.equal((await blocks([1, 2])).length, 1);
    const found = (await place.read((snapshot) => snapshot.past([1])))[0];
    assert.deepEqual(found, new Map<string, number>());
    assert.deepEqual(await place.countedDays(), []);
  });

  it("adds up what goes past retention", async () => {
    const gone = (site: number, ...counters: [string, number][]) => ({
      site,
      source: 0,
      counters: new Map(counters),
    });
    await settle({ past: [gone(1, ["pv", 2 ** 40], ["uv", 1]), gone(1, ["pv", 1])] });
    await settle({ past: [gone(1, ["pv", 2]), gone(3, ["bot", 5])] });
    const [one, none, three] = await place.read((snapshot) => snapshot.past([1, 2, 3]));
    assert.deepEqual([...(one ?? [])].sort(), [
      ["pv", 2 ** 40 + 3],
      ["uv", 1],
    ]);
    assert.deepEqual([...(none ?? [])], []);
    assert.deepEqual([...(three ?? [])], [["bot", 5]]);
  });

  it("knows the days that were counted on, until nothing is left of them", async () => {
    await settle({ days: [20_000, 20_001, 20_000] });
    await settle({ days: [20_001, 20_002], gone: [20_000] });
    assert.deepEqual(await place.countedDays(), [20_001, 20_002]);
  });

  it("knows the sites that exist", async () => {
    const before = await place.read((snapshot) => snapshot.siteKeys());
    await place.addSite("another");
    const after = await place.read((snapshot) => snapshot.siteKeys());
    assert.equal(after.size, before.size + 1);
  });
}

describe("batches and blocks", () => {
  describe("in a file", () => {
    const folder = eachFolder();

    itKeeps(async () => {
      const db = openForWriting(join(folder(), "blocks.db"));
      const countedDays = new CountedDays(db);
      // As a commit numbers them, which takes no bytes but those of a batch.
      const append = db.prepare(
        `INSERT INTO log (n, body) SELECT 1 + max(coalesce(max(n), 0),
           (SELECT n FROM folded)), ? FROM log`,
      );
      return {
        node: 0,
        async append(...bodies) {
          for (const body of bodies) append.run(body);
        },
        settle: async (settlement) =>
          db.transaction(() => settleFile(db, countedDays, settlement)).immediate(),
        read: async (task) => task(new SqliteSnapshot(db)),
        countedDays: async () =>
          db.prepare("SELECT day FROM counted_day ORDER BY day").pluck().all() as Day[],
        addSite: async (id) => addSite(db, id),
        close: async () => {
          db.close();
        },
      };
    });
  });

  describe("in PostgreSQL", () => {
    const database = eachDatabase();

    itKeeps(async () => {
      const server = await sharedPostgres();
      const url = server.url({ database: database() });
      await LogNode.migrate(url);
      const node = new LogNode(url);
      const sql = (text: string) => server.sql(text, database());
      return {
        node: node.node.id,
        async append(...bodies) {
          const answer = await node.commit(bodies);
          assert.ok(answer.ok);
        },
        settle: (settlement) => node.settle(settlement),
        read: (task) => node.read(task),
        countedDays: async () =>
          (await sql("SELECT day FROM counted_day ORDER BY day")).map(({ day }) => day as Day),
        addSite: async (id) => {
          await sql(siteRow(1, id));
        },
        close: () => node.close(),
      };
    });
  });
});
