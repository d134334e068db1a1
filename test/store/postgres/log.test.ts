import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { SurveyRow } from "../../../appliance/store/counting.ts";
import { decodeBatch } from "../../../appliance/store/log/batch.ts";
import { APPEND, HELLO, LAST_IN_LOG, LOOK_UP } from "../../../appliance/store/postgres/log.ts";
import { PASS } from "../../../appliance/store/postgres/settle.ts";
import { LOG, WORDS } from "../../../appliance/store/postgres/snapshot.ts";
import { markDayAgo } from "../../../appliance/store/settling/day-marks.ts";
import {
  DROP_DETAIL,
  PASS_GENERATION,
  settlementStatements,
} from "../../../appliance/store/settling/statements.ts";
import {
  blocksOf,
  DETAIL_DAYS,
  DETAIL_OF,
  FOLDED,
  GENERATION,
  PIECES,
  pageOfParts,
  pastOfSites,
  SITE_KEYS,
} from "../../../appliance/store/shared-snapshot.ts";
import { BLOCK_COLUMNS } from "../../../appliance/store/snapshot.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { eachDatabase, type Login, type Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { LogNode } from "./log-node.ts";

const ALL = 2 ** 30;
const DAY = 20_516;
const NOTHING = { folded: [], puts: [], drops: [], detail: [], past: [], days: [], gone: [] };
const ONE_ROW = { atOnce: 1 };

describe("the log in PostgreSQL", () => {
  const database = eachDatabase();
  const nodes: LogNode[] = [];
  let server: Postgres;

  beforeEach(async () => {
    server = await sharedPostgres();
    await LogNode.migrate(server.url({ database: database() }));
  });
  afterEach(() => Promise.all(nodes.splice(0).map((node) => node.close())));

  const sql = (text: string) => server.sql(text, database());

  function open(login: Login = {}, random?: () => number): LogNode {
    const url = server.url({ database: database(), ...login });
    const node = new LogNode(url, random === undefined ? {} : { random });
    nodes.push(node);
    return node;
  }

  /** Texts of the batches of a node, in the order of the log. */
  async function texts(node: LogNode): Promise<string[]> {
    const rows = await node.read((snapshot) => snapshot.log(new Map(), ALL));
    return rows.filter((row) => row.node === node.node.id).map(({ body }) => `${body}`);
  }

  const survey = (payload: string): SurveyRow => ({
    site: 1,
    stamp: { hour: DAY * 24 },
    version: 1,
    payload,
  });

  it("has each batch once, whenever the connection is cut in its commit", async () => {
    const proxy = await CuttingProxy.open(server.port, 7);
    const node = open({ ports: [proxy.port] });
    proxy.trouble = { commits: 0.5 };
    const sent = Array.from({ length: 30 }, (_, at) => `batch ${at}`);
    for (const text of sent) assert.ok((await node.commit([Buffer.from(text)])).ok);
    assert.ok(proxy.counts.unsent > 0 && proxy.counts.sent > 0 && proxy.counts.answered > 0);
    proxy.trouble = {};
    assert.deepEqual(await texts(node), sent);
  });

  it("has each batch once in the log or in a block, whenever a settlement is cut", async () => {
    const proxy = await CuttingProxy.open(server.port, 9);
    const node = open({ ports: [proxy.port] });
    const sent = Array.from({ length: 5 }, (_, at) => `batch ${at}`);
    for (const text of sent) {
      proxy.trouble = {};
      await node.commit([Buffer.from(text)]);
      proxy.trouble = { commits: 0.5 };
      // Prepared on what is there, again and again until one of them is heard of.
      for (let isDone = false; !isDone; ) isDone = await settleAll(node).catch(() => false);
    }
    proxy.trouble = {};
    assert.ok(proxy.counts.answered > 0 && proxy.counts.unsent > 0);
    const blocks = await node.read((snapshot) =>
      snapshot.rows([1], { from: 0, to: 9_999 }, "counts"),
    );
    assert.deepEqual(
      [...blocks.map(({ counts }) => `${counts}`), ...(await texts(node))],
      sent,
      "what is folded is in a block of its number",
    );
  });

  /** Makes a block of each batch. @returns true when nothing is left to do */
  async function settleAll(node: LogNode): Promise<boolean> {
    const { generation, rows } = await node.read(async (snapshot) => ({
      generation: await snapshot.generation(),
      rows: await snapshot.log(new Map(), ALL),
    }));
    if (rows.length === 0) return true;
    const empty = Buffer.alloc(0);
    const puts = rows.map(({ n, body }) => ({
      site: 1,
      month: 1,
      source: 0,
      part: n,
      counters: empty,
      counts: body,
      pieces: new Map(),
    }));
    const folded = [[node.node.id, rows.at(-1)?.n ?? 0]] as const;
    await node.settle({ ...NOTHING, generation, folded, puts });
    return false;
  }

  it("refuses a batch that comes late, once it is folded, also when that is not over yet", async () => {
    const node = open();
    await node.commit([Buffer.from("one")]);
    const late = () =>
      open()
        .connection.rows(APPEND, [node.node.id, 1, Buffer.from("one")])
        .catch(codeOf);
    assert.equal(await late(), "23505");
    const folding = Promise.withResolvers<void>();
    const isFolded = Promise.withResolvers<void>();
    const folds = node.connection.transaction(async (all) => {
      await all.all(
        settlementStatements(
          { ...NOTHING, generation: 0, folded: [[node.node.id, 1]] },
          [],
          ONE_ROW,
        ),
      );
      isFolded.resolve();
      await folding.promise;
    });
    await isFolded.promise;
    const meanwhile = late();
    const waits = () => sql("SELECT 1 FROM pg_locks WHERE NOT granted");
    while ((await waits()).length === 0) await setTimeout(5);
    folding.resolve();
    await folds;
    assert.equal(await meanwhile, "22012");
    assert.equal(await late(), "22012");
    assert.deepEqual(await texts(node), []);
  });

  it("takes only the next number of a node", async () => {
    const node = open();
    await node.commit([Buffer.from("one")]);
    const append = (n: number) =>
      node.connection.rows(APPEND, [node.node.id, n, Buffer.from("x")]).catch(codeOf);
    assert.equal(await append(3), "22012");
    assert.deepEqual(await append(2), [{ passed: 1 }]);
  });

  it("goes on where the database went back to an earlier state, and says so", async () => {
    const node = open();
    for (const text of ["one", "two", "three"]) await node.commit([Buffer.from(text)]);
    await sql("DELETE FROM log WHERE n > 1");
    assert.ok((await node.commit([Buffer.from("four")])).ok);
    assert.deepEqual(await texts(node), ["one", "four"]);
    assert.ok(node.lines.some((line) => /gone back to an earlier state.*"batches":2/.test(line)));
    await sql("DELETE FROM log; DELETE FROM folded");
    assert.ok((await node.commit([Buffer.from("five")])).ok);
    assert.deepEqual(await texts(node), ["five"]);
  });

  it("changes no row with a batch, so that an open snapshot makes none slower", async () => {
    const node = open();
    await node.commit([Buffer.from("first")]);
    const place = () => sql("SELECT ctid::text, n FROM folded");
    const before = await place();
    for (let i = 0; i < 20; i++) await node.commit([Buffer.from("more")]);
    assert.deepEqual(await place(), before);
  });

  it("is read of one moment, whatever others do meanwhile", async () => {
    const [reader, node] = [open(), open()];
    await node.commit([Buffer.from("one")]);
    await reader.read(async (snapshot) => {
      const generation = await snapshot.generation();
      await node.commit([Buffer.from("two")]);
      await settleAll(node);
      assert.equal(await snapshot.generation(), generation);
      const rows = await snapshot.log(new Map(), ALL);
      const found = rows.map(({ body }) => `${body}`);
      assert.deepEqual(found, ["one"]);
    });
  });

  it("has the batches of all nodes, those that nobody has seen whole", async () => {
    const some = [open(), open()].toSorted((a, b) => a.node.id - b.node.id);
    for (const node of some)
      for (const n of [1, 2]) await node.commit([Buffer.from(`${n} of ${node.node.id}`)]);
    const [first, second] = some.map(({ node }) => node.id) as [number, number];
    const rows = await open().read((snapshot) => snapshot.log(new Map([[first, 1]]), ALL));
    const found = rows.map(({ body }) => `${body}`);
    assert.deepEqual(found, [`2 of ${first}`, `1 of ${second}`, `2 of ${second}`]);
  });

  it("settles nothing that was prepared where the same numbers name other things", async () => {
    const node = open();
    await node.commit([]);
    const generation = await node.read((snapshot) => snapshot.generation());
    const nothing = { ...NOTHING, days: [20_000] };
    assert.equal(await node.settle({ ...nothing, generation, epoch: 1 }), false);
    assert.deepEqual(await sql("SELECT day FROM counted_day"), []);
    assert.equal(await node.settle({ ...nothing, generation }), true);
    assert.deepEqual(await sql("SELECT day FROM counted_day"), [{ day: 20_000 }]);
  });

  describe("with surveys", () => {
    it("has those of a batch with it, each once, also where there are no hits", async () => {
      const proxy = await CuttingProxy.open(server.port, 3);
      const node = open({ ports: [proxy.port] });
      proxy.trouble = { commits: 0.5 };
      for (let i = 0; i < 10; i++) {
        const answer = await node.commit([], [survey(`${i}`)]);
        assert.ok(answer.ok);
        assert.deepEqual(answer.surveys, [true]);
      }
      proxy.trouble = {};
      const rows = await sql("SELECT payload FROM survey ORDER BY id");
      assert.deepEqual(
        rows,
        Array.from({ length: 10 }, (_, at) => ({ payload: `${at}` })),
      );
      const [row] = await node.read((snapshot) => snapshot.log(new Map(), ALL));
      assert.equal(decodeBatch(row?.body ?? new Uint8Array()).records, 0);
    });

    it("numbers them in the order in which they came, whatever is drawn, and if the clock goes back", async () => {
      let draws = 0;
      const node = open({}, () => 0.9 - ++draws / 100);
      await node.commit([], [survey("one"), survey("two")]);
      node.clock.setWall("2026-03-04T11:00:00Z");
      await node.commit([], [survey("three")]);
      const rows = await sql("SELECT payload FROM survey ORDER BY id");
      assert.deepEqual(rows, [{ payload: "one" }, { payload: "two" }, { payload: "three" }]);
    });

    it("draws other ids where another node has drawn the same", async () => {
      // Both draw alike at first, and apart once they were in each other's way.
      let draws = 0;
      const alike = () => (draws++ < 2 ? 0.5 : 0.25 + draws / 100);
      const [one, other] = [open({}, alike), open({}, alike)];
      const first = await one.commit([], [survey("one")]);
      const second = await other.commit([], [survey("two")]);
      assert.ok(first.ok && second.ok);
      const rows = await sql("SELECT payload FROM survey ORDER BY payload");
      assert.deepEqual(rows, [{ payload: "one" }, { payload: "two" }]);
    });
  });
});

describe("each statement of the log and the blocks in PostgreSQL", () => {
  const key = { site: 1, month: 0, source: 0, part: 0 };
  const bytes = new Uint8Array();
  const settlement = {
    generation: 0,
    folded: [[1, 1]] as const,
    days: [],
    gone: [DAY],
    puts: [{ ...key, counters: bytes, counts: bytes, pieces: new Map([[DAY, bytes]]) }],
    drops: [key],
    detail: [{ day: DAY, to: 1 }],
    past: [{ site: 1, source: 0, counters: new Map([["pv", 1]]) }],
  };
  const STATEMENTS = Object.entries({
    APPEND,
    HELLO,
    LAST_IN_LOG,
    LOOK_UP,
    FOLDED,
    GENERATION,
    LOG,
    SITE_KEYS,
    DETAIL_DAYS,
    DETAIL_OF,
    PARTS: pageOfParts(WORDS),
    PAST: pastOfSites(WORDS),
    BLOCKS: blocksOf(WORDS, BLOCK_COLUMNS),
    PIECES,
    PASS,
    PASS_GENERATION,
    DROP_DETAIL,
    ...settlementStatements(settlement, [markDayAgo(DAY, 0)], ONE_ROW)
      .map(({ text }) => text)
      .filter((text) => text !== DROP_DETAIL),
  }) as [string, string][];
  /** The column by which a table is spread; one row, or a row a day, is everywhere. */
  const LEADS: Readonly<Record<string, string>> = {
    log: "node",
    folded: "node",
    block: "site",
    piece: "site",
    past: "site",
  };
  /** Statements over all nodes or all sites, only during settling: a page, or the keys alone. */
  const OF_ALL = ["FOLDED", "SITE_KEYS", "PARTS", "DETAIL_DAYS", "DETAIL_OF", "DROP_DETAIL"];

  it("needs no sequence, no lock of a table, and nobody who listens", () => {
    for (const [name, text] of STATEMENTS)
      assert.doesNotMatch(text, /nextval|LOCK TABLE|advisory|LISTEN|NOTIFY|ctid|TRUNCATE/i, name);
  });

  it("is led by its node or site", () => {
    for (const [name, text] of STATEMENTS.filter(([each]) => !OF_ALL.includes(each)))
      for (const [, table = ""] of text.matchAll(/\b(?:FROM|INTO|UPDATE|JOIN)\s+(\w+)/g)) {
        const lead = LEADS[table];
        if (lead === undefined) continue;
        const leads = `\\b${lead} = |(?:INTO ${table}|WHERE) \\(${lead}\\b`;
        assert.match(text, new RegExp(leads), `${name}: ${table} without its ${lead}`);
      }
  });

  it("has tables that are keyed so, without a foreign key", () => {
    const url = new URL("../../../appliance/store/postgres/schema/001-first.sql", import.meta.url);
    const schema = readFileSync(url, "utf8");
    assert.doesNotMatch(schema, /REFERENCES|FOREIGN KEY/i);
    for (const [table, lead] of Object.entries(LEADS)) {
      const [made = ""] = new RegExp(`CREATE TABLE ${table} \\(.*?\\n\\);`, "s").exec(schema) ?? [];
      assert.match(made, new RegExp(`PRIMARY KEY \\(${lead}\\b|\\b${lead} \\w+ PRIMARY KEY`));
      assert.doesNotMatch(made, /IDENTITY|serial/i);
    }
  });
});

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
