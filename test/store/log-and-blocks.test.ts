import assert from "node:assert/strict";
import { join } from "node:path";
import type { Day } from "../../appliance/base/calendar.ts";
import type {
  BlockKey,
  BlockRow,
  LogRow,
  Settlement,
  SettlingSnapshot,
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
  read<T>(task: (snapshot: SettlingSnapshot) => Promise<T> | T): Promise<T>;
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
  detail: [],
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
    pieces: new Map(),
  };
}

/** The rows with plain arrays, for comparing. */
function plain(rows: readonly (LogRow | BlockRow)[]) {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key,
        value instanceof Map ? [...value].map(([n, piece]) => [n, hex(piece)]) : hex(value),
      ]),
    ),
  );
}

function hex(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
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
    place.read((snapshot) => snapshot.rows(sites, { from, to }, "detail"));
  const piece = (n: number, length: number) => [n, bytes(length, 3)] as const;
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

  it("shows the blocks of some sites and months, in order, with what is asked for of them", async () => {
    const pieces = new Map([piece(-3, 9), piece(18_262, 9)]);
    await settle({
      puts: [{ ...block(2, 600, 0), pieces }, block(1, 602, 1), block(1, 602, 0), block(1, 599, 0)],
    });
    const keys = (await blocks([1, 2, 3], 600, 602)).map(
      ({ site, month, part }) => `${site} ${month} ${part}`,
    );
    assert.deepEqual(keys, ["1 602 0", "1 602 1", "2 600 0"]);
    const depths = ["counters", "counts", "detail"] as const;
    const read = depths.map(async (depth) => {
      const months = { from: 600, to: 600 };
      const [row] = await place.read((snapshot) => snapshot.rows([2], months, depth));
      return [row?.counters.length, row?.counts.length, [...(row?.pieces.keys() ?? [])]];
    });
    assert.deepEqual(await Promise.all(read), [
      [300, 0, []],
      [300, 20_000, [-3]],
      [300, 20_000, [-3, 18_262]],
    ]);
  });

  it("reads blocks a page at a time, and some pieces of one", async () => {
    const numbers = [-2, 18_262, 18_263, 18_264];
    const pieces = new Map(numbers.map((n) => piece(n, 1_000)));
    const puts = [{ ...block(1, 600, 0), pieces }, ...[601, 602].map((n) => block(1, n, 0))];
    await settle({ puts });
    const page = (after: BlockKey | null, maxBytes: number) =>
      place.read(async (snapshot) => {
        const months = { from: 600, to: 602 };
        const columns = ["counts", "pieces"] as const;
        const rows = await snapshot.blocks([1], months, columns, { after, maxBytes });
        return rows.map((row) => [row.month, row.counts.length, [...(row.pieces?.keys() ?? [])]]);
      });
    const [first, second, third] = [
      [600, 20_000, numbers],
      [601, 20_000, []],
      [602, 20_000, []],
    ];
    assert.deepEqual(await page(null, ALL), [first, second, third]);
    assert.deepEqual(await page(null, 40_000), [first, second]);
    assert.deepEqual(await page(puts[1] as BlockKey, 1), [third]);
    const some = (from: number, to: number, maxBytes: number) =>
      place.read(async (snapshot) => {
        const found = await snapshot.pieces(puts[0] as BlockKey, from, to, maxBytes);
        return found.map(({ n, bytes: read }) => [n, read.length]);
      });
    assert.deepEqual(await some(-62, -1, ALL), [[-2, 1_000]]);
    assert.deepEqual(await some(18_263, 18_270, 1), [[18_263, 1_000]]);
    assert.deepEqual(await some(18_262, 18_264, 2_500), [
      [18_262, 1_000],
      [18_263, 1_000],
    ]);
    assert.deepEqual(await some(18_265, 18_270, ALL), []);
  });

  it("leaves no piece of a block where another takes its place, or none does", async () => {
    const pieces = new Map([piece(-3, 9), piece(18_262, 9)]);
    for (const next of [new Map([piece(-3, 70)]), new Map<number, Uint8Array>()]) {
      await settle({ puts: [{ ...block(1, 600, 0), pieces }] });
      await settle({ puts: [{ ...block(1, 600, 0), pieces: next }] });
      assert.deepEqual(plain(await blocks([1])), plain([{ ...block(1, 600, 0), pieces: next }]));
    }
    await settle({ puts: [{ ...block(1, 600, 0), pieces }] });
    await settle({ drops: [block(1, 600, 0)] });
    await settle({ puts: [block(1, 600, 0)] });
    assert.deepEqual(plain(await blocks([1])), plain([block(1, 600, 0)]));
  });

  it("lists parts of days, a page after a key", async () => {
    await settle({
      puts: [block(1, 600, 0), block(1, 600, 3), block(2, 600, 1), block(2, 601, 0)],
    });
    const list = (after: BlockKey | null, limit: number) =>
      place.read(async (snapshot) => {
        const keys = await snapshot.parts(after, limit);
        return keys.map(({ site, month, part }) => `${site} ${month} ${part}`);
      });
    assert.deepEqual(await list(null, 9), ["1 600 3", "2 600 1"]);
    assert.deepEqual(await list(null, 1), ["1 600 3"]);
    assert.deepEqual(await list(block(1, 600, 3), 9), ["2 600 1"]);
  });

  it("knows the days that have detail, and drops that of a day", async () => {
    const detailed = (site: number, ...days: number[]) => ({
      ...block(site, 600, 0),
      pieces: new Map([piece(-1, 7), ...days.map((day) => piece(day, 10 * site))]),
    });
    const days = () => place.read((snapshot) => snapshot.detailDays());
    const bytesLeft = () => place.read((snapshot) => snapshot.detailBytes());
    assert.deepEqual(await days(), []);
    assert.equal(await bytesLeft(), 0);
    const [one, other] = [18_262, 18_270];
    await settle({ puts: [detailed(3, one), detailed(1, other, one), detailed(2, one)] });
    assert.deepEqual(await days(), [one, other]);
    const sizes = (limit: number) =>
      place.read(async (snapshot) =>
        (await snapshot.detailOf(one, limit)).map(({ site, bytes: size }) => [site, size]),
      );
    assert.deepEqual(await sizes(9), [
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
    assert.deepEqual(await sizes(1), [[1, 10]]);
    await settle({ detail: [{ day: one, to: 2 }] });
    assert.deepEqual(await sizes(9), [[3, 30]]);
    assert.deepEqual(await days(), [one, other]);
    await settle({ detail: [{ day: one, to: 3 }] });
    assert.deepEqual(await days(), [other]);
    assert.equal(await bytesLeft(), 10);
    assert.deepEqual(plain(await blocks([1])), plain([detailed(1, other)]));
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
