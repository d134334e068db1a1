import assert from "node:assert/strict";
import { ALL_MONTHS } from "../../../appliance/store/blocks/month.ts";
import { CopyEnd } from "../../../appliance/store/copy/end.ts";
import type { CopyEngine } from "../../../appliance/store/copy/engine.ts";
import { monthsOf, pastOf } from "../../../appliance/store/copy/reading.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import {
  type CopiedDatabase,
  copiedDatabase,
  copiedFolder,
  siteIn,
} from "../../helpers/copied-databases.ts";
import { checkAll, copyAll, totalsOf } from "../../helpers/copying.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { isLong } from "../../helpers/long.ts";
import { sharedPostgres } from "../../helpers/postgres.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

/** The length as a multiple of the suite's. */
const ROUNDS = Number(process.env.COPY_ROUNDS ?? (isLong ? 1 : 0.5));
/** The same where fewer steps would leave out some of what may happen. */
const WHOLE = Math.max(1, ROUNDS);
const TODAY = 20_513;
/** Few, so that much meets on them; of two months, so that there is more than one transaction. */
const DAYS = [TODAY, TODAY - 1, TODAY - 40] as const;
const FIRST_DAY = 20_400;
/** In days. */
const EXCHANGED_EVERY = 3;
const SITES = ["blog", "shop"];

/** A database, and the records that it has. */
class Life {
  readonly database: CopiedDatabase;
  has: ReadonlySet<number> = new Set();
  backup: ReadonlySet<number> | undefined;

  constructor(database: CopiedDatabase) {
    this.database = database;
  }
}

/** Records of all databases: each is of a path of its own. */
class Exchange {
  readonly lives: readonly Life[];
  readonly #random: ReturnType<typeof seeded>;
  /** The times that each record counts, by number. */
  readonly #times: number[] = [];

  constructor(databases: readonly CopiedDatabase[], random: ReturnType<typeof seeded>) {
    this.lives = databases.map((database) => new Life(database));
    this.#random = random;
  }

  /** One of all, and perhaps another one. */
  pick(but?: Life): Life {
    const others = this.lives.filter((life) => life !== but);
    return others[this.#random.below(others.length)] as Life;
  }

  /** The times of all that a database has. */
  timesOf({ has }: Life): number {
    return [...has].reduce((sum, n) => sum + (this.#times[n] ?? 0), 0);
  }

  /** @param on which day; on some of the last ones where nobody says */
  async count(life: Life, engine: CopyEngine, on?: number): Promise<void> {
    const { below } = this.#random;
    const before = this.#times.length;
    await engine.db.transaction(async (access) => {
      this.#times.length = before;
      const batch = new BatchEncoder();
      const surveys = [];
      for (let left = 1 + below(4); left > 0; left--) {
        const site = await siteIn(access, SITES[below(SITES.length)] ?? "");
        const n = this.#times.push(1 + below(3)) - 1;
        const day = on ?? this.#random.pick(DAYS);
        const record = { kind: "view", flags: below(32), times: this.#times[n] ?? 0 } as const;
        const values = [["path", `/${n}`]] as const;
        batch.add({ ...record, site, moment: 24 * day + below(24), values });
        if (below(3) === 0) surveys.push({ site, day, payload: `{"sv":1,"c":"${n}"}` });
      }
      await life.database.count(access, batch.encode(), surveys);
    });
    const added = this.#times.slice(before).map((_, n) => before + n);
    life.has = new Set([...life.has, ...added]);
  }

  /** @param task with ends of both, that are closed after it */
  async between(one: Life, other: Life, task: (ends: CopyEngine[]) => Promise<void>) {
    const engines = [await one.database.open(), await other.database.open()];
    try {
      await task(engines);
    } finally {
      for (const engine of engines) await engine.close();
    }
  }

  /** Each record is there once; no more of them than `most`, and no fewer than there were. */
  async look(life: Life, least: ReadonlySet<number>, most: ReadonlySet<number>): Promise<void> {
    const engine = await life.database.open();
    try {
      const { paths, rows } = await countedIn(new CopyEnd(engine));
      for (const [n, times] of paths) {
        assert.equal(times, this.#times[n], `record ${n} is counted ${times} times`);
        assert.equal(rows.get(n), times, `record ${n} is kept with ${rows.get(n)} rows`);
        assert.ok(most.has(n), `record ${n} came from nowhere`);
      }
      for (const n of least) assert.ok(paths.has(n), `record ${n} is missing`);
      life.has = new Set(paths.keys());
    } finally {
      await engine.close();
    }
  }
}

/** The count of each record, and its rows that are kept for filters. */
async function countedIn(end: CopyEnd) {
  const [paths, rows] = [new Map<number, number>(), new Map<number, number>()];
  const add = (sums: Map<number, number>, text: string | undefined, n: number) =>
    sums.set(Number(text?.slice(1)), (sums.get(Number(text?.slice(1))) ?? 0) + n);
  let views = 0;
  for (const { key } of await end.sites()) {
    const months = await end.read(({ snapshot }) =>
      monthsOf(snapshot, { site: key, source: undefined }, ALL_MONTHS, "detail"),
    );
    for (const { block } of months) {
      const { texts, days } = block.dimension("path");
      for (const [day, table] of days.entries()) {
        views += block.dayOf("pv", day);
        table?.each((value, counts) => add(paths, texts[value], counts.views));
        const detail = block.detail[day];
        const column = detail?.values.find((values) => values.some((value) => value > 0));
        for (let row = 0; row < (detail?.rows ?? 0); row++)
          add(rows, texts[(column?.[row] ?? 0) - 1], 1);
      }
    }
  }
  assert.equal(
    views,
    [...paths.values()].reduce((sum, n) => sum + n, 0),
  );
  return { paths, rows };
}

async function responsesIn(end: CopyEnd): Promise<string[]> {
  const all: string[] = [];
  for (const { number } of await end.sources())
    for (const { payload } of await end.surveys(number, 0, 1_000_000)) all.push(payload);
  return all;
}

/** Fails at its n-th transaction, which is taken back or not; or lets somebody count before it. */
function disturbed(engine: CopyEngine, before: (n: number) => Promise<"fail" | "die" | "go">) {
  let n = 0;
  return new CopyEnd({
    ...engine,
    db: {
      async transaction(task, options) {
        if (options?.read) return engine.db.transaction(task, options);
        const what = await before(n++);
        if (what === "fail") throw new Error("stopped");
        const result = await engine.db.transaction(task);
        if (what === "die") throw new Error("stopped");
        return result;
      },
    },
  });
}

describe(`copies both ways (TEST_SEED=${TEST_SEED} brings the same again)`, function () {
  this.timeout(600_000 * WHOLE);
  const folder = eachFolder();
  const folders = () => ["a", "b"].map((name) => copiedFolder(folder(), name));

  it("leave each of two folders with all that was counted, once", async () => {
    await live(folders(), 60 * ROUNDS);
  });

  it("keep the sum of all time while each drops days by a retention of its own", async () => {
    await grow(folders(), 36 * WHOLE);
  });

  it("do so between a folder and a database that many share", async () => {
    await live(
      [await copiedDatabase(await sharedPostgres()), copiedFolder(folder(), "b")],
      40 * ROUNDS,
    );
  });
});

/** Each drops days in its own time, and both copy to each other: of all time nothing is lost, and nothing doubled. */
async function grow(databases: readonly CopiedDatabase[], steps: number): Promise<void> {
  const random = seeded(TEST_SEED);
  const { below } = random;
  const both = new Exchange(databases, random);
  let dropped = 0;
  for (let step = 0; step < steps; step++) {
    const today = FIRST_DAY + Math.floor(step / 2);
    const sinceAll = step % (2 * EXCHANGED_EVERY);
    // A database that drops a day has all of it: records that came to others later would be in none of its days.
    if (sinceAll === 0) await exchange(both);
    const life = both.pick();
    const to = both.pick(life);
    await both.between(life, to, async ([engine, target]) => {
      await both.count(life, engine as CopyEngine, today - below(1 + Math.floor(sinceAll / 2)));
      if (below(2) === 0) return;
      await copyAll(new CopyEnd(engine as CopyEngine), new CopyEnd(target as CopyEngine));
      to.has = new Set([...to.has, ...life.has]);
    });
    await life.database.settle(today, EXCHANGED_EVERY + 1 + below(8));
    for (const each of [life, to])
      await both.between(each, each, async ([engine]) => {
        const end = new CopyEnd(engine as CopyEngine);
        let total = 0;
        for (const { key } of await end.sites()) {
          total += (await totalsOf(end, key)).get("pv") ?? 0;
          const past = await end.read(({ rows }) => pastOf(rows, { site: key, source: undefined }));
          dropped += past.get("pv") ?? 0;
        }
        assert.equal(total, both.timesOf(each));
      });
  }
  assert.ok(dropped > 0);
}

/** Brings all to both. */
async function exchange({ lives, between }: Exchange): Promise<void> {
  const [a, b] = lives as [Life, Life];
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    await between(from, to, async ([source, target]) => {
      await copyAll(new CopyEnd(source as CopyEngine), new CopyEnd(target as CopyEngine));
    });
    to.has = new Set([...to.has, ...from.has]);
  }
}

/** Lets whatever may happen happen, and looks at what came of it. */
async function live(databases: readonly CopiedDatabase[], steps: number): Promise<void> {
  const random = seeded(TEST_SEED);
  const { below } = random;
  const both = new Exchange(databases, random);
  const done = { whole: 0, stopped: 0, restored: 0 };
  for (const life of both.lives)
    await both.between(life, life, ([engine]) => both.count(life, engine as CopyEngine));
  for (let step = 0; step < steps; step++) {
    const life = both.pick();
    const dice = below(20);
    if (dice < 5)
      await both.between(life, life, ([engine]) => both.count(life, engine as CopyEngine));
    else if (dice < 7) await life.database.settle(TODAY + below(2));
    else if (dice < 9) {
      await life.database.backUp();
      life.backup = life.has;
    } else if (dice < 11 && life.backup !== undefined) {
      await life.database.restore();
      life.has = life.backup;
      done.restored += 1;
      await both.look(life, life.has, life.has);
    } else if (dice < 13) {
      // Somebody stops it, at any row.
      const to = both.pick(life);
      const all = new Set([...life.has, ...to.has]);
      await both.between(life, to, async ([from, target]) => {
        const stop = below(6);
        const end = disturbed(target as CopyEngine, async (n) =>
          n < stop ? "go" : below(2) === 0 ? "fail" : "die",
        );
        await copyAll(new CopyEnd(from as CopyEngine), end).then(
          () => {},
          (error: Error) => {
            assert.equal(error.message, "stopped", error.stack);
            done.stopped += 1;
          },
        );
      });
      await both.look(to, to.has, all);
    } else {
      const to = both.pick(life);
      const hasCounts = below(2) === 0;
      const all = new Set([...life.has, ...to.has]);
      await both.between(life, to, async ([from, target]) => {
        const end = disturbed(target as CopyEngine, async () => {
          const [busy, engine] = random.pick([
            [life, from],
            [to, target],
          ]);
          if (hasCounts) await both.count(busy, engine as CopyEngine);
          return "go";
        });
        const source = new CopyEnd(from as CopyEngine);
        await copyAll(source, end);
        if (!hasCounts) assert.deepEqual((await checkAll(source, end)).less, []);
        const here = await responsesIn(new CopyEnd(target as CopyEngine));
        assert.equal(new Set(here).size, here.length, "a response is there twice");
        if (!hasCounts)
          for (const payload of await responsesIn(source)) assert.ok(here.includes(payload));
      });
      done.whole += 1;
      // The target has all that it got itself, and perhaps some of the source's newest.
      await both.look(to, new Set([...all, ...to.has]), new Set([...all, ...life.has, ...to.has]));
    }
  }
  // At the end each knows of all, whichever way it came.
  const everything = new Set(both.lives.flatMap(({ has }) => [...has]));
  for (const life of both.lives)
    for (const from of both.lives)
      if (from !== life)
        await both.between(from, life, async ([source, target]) => {
          await copyAll(new CopyEnd(source as CopyEngine), new CopyEnd(target as CopyEngine));
        });
  for (const life of both.lives) await both.look(life, everything, everything);
  assert.ok(done.whole > 0, JSON.stringify(done));
}
