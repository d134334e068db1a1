import { makeHistory } from "../running/history.ts";
import { type Outcome, sendSteadily, sendViews } from "../running/load.ts";
import type { Given, Part } from "../running/parts.ts";
import { median, percentile } from "../running/report.ts";
import { type Running, SITE } from "../running/servers.ts";
import { type Shipped, ship } from "../running/shipped.ts";
import { type FleetDatabase, startDatabase } from "./fleet-database.ts";
import { HISTORY, readTimes } from "./reads.ts";

const MILLION = 1_000_000;
const SIZES = [1, 2, 4] as const;
const ROUNDS = 3;
const SECONDS = 5;
const CONNECTIONS = 100;
const STEADY = { connections: 50, perSecond: 1_000, seconds: 15 };
const READS = 40;

interface Round extends Outcome {
  /** Microseconds of CPU a hit. */
  readonly collectors: number;
  readonly database: number;
}

export const fleet: Part = {
  says: "Collectors that share a database on this machine, and what that costs against a file.",
  async run(given) {
    const shipped = ship(given.stage);
    await measureHits(given, shipped);
    await measureReads(given, shipped);
  },
};

async function measureHits({ seed, stage, report }: Given, shipped: Shipped): Promise<void> {
  await stage.within(async (stage) => {
    const database = await stage.add(startDatabase());
    const fleet: Running[] = [];
    for (let i = 0; i < Math.max(...SIZES); i++)
      fleet.push(await shipped.collect(stage, database.url, `bench-${i}`));
    const before = database.bytes();
    let hits = 0;
    const rounds: Round[][] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const all: Round[] = [];
      for (const size of SIZES) {
        const done = await load(fleet.slice(0, size), database, seed);
        hits += done.hits;
        all.push(done);
        report.note(
          `${size} collectors: ${Math.round(done.perSecond)}/s (µs a hit: collectors ${done.collectors.toFixed(0)}, database ${done.database.toFixed(0)})`,
        );
      }
      // The first round compiles the code, and all its values are new.
      if (round > 0) rounds.push(all);
    }
    const log = ((database.bytes().log - before.log) / hits) * MILLION;
    const steady = await sendSteadily((fleet[0] as Running).origin, { ...STEADY, seed });
    for (const [at, size] of SIZES.entries()) {
      const of = (figure: (round: Round, one: Round) => number) =>
        median(rounds.map((round) => figure(round[at] as Round, round[0] as Round)));
      const times = of((round, one) => round.perSecond / one.perSecond);
      const cpu = [of(({ collectors }) => collectors), of(({ database }) => database)];
      const [collectors, ofDatabase] = cpu.map((each) => each.toFixed(0));
      report.note(
        `${size} collectors: ${times.toFixed(2)} of one; µs of CPU a hit: ${collectors}, the database ${ofDatabase}`,
      );
    }
    const p99 = percentile(steady, 0.99);
    report.atMost("p99 at 1,000 hits/s, into PostgreSQL", p99, "ms", 20);
    report.note(`a million hits: ${(log / 1e6).toFixed(1)} MB of its log`);
  });
}

/** Reports over a long history from both engines, in turns. */
async function measureReads({ seed, stage, report }: Given, shipped: Shipped): Promise<void> {
  const dataDir = stage.folder();
  const database = await stage.add(startDatabase());
  await makeHistory(dataDir, { ...HISTORY, seed });
  shipped.run(["copy", "--from", dataDir, "--to", database.url]);
  const box = await shipped.start(stage, dataDir);
  const collector = await shipped.collect(stage, database.url, "bench");
  const ratios: { form: string; ratio: number }[] = [];
  for (const form of ["", "&daily=1", "&daily=text"]) {
    const path = `/stats?site=${SITE}&from=first&series=1${form}`;
    const times = { sqlite: [] as number[], postgres: [] as number[] };
    for (let turn = 0; turn < 4; turn++) {
      times.sqlite.push(...(await readTimes(box.origin + path, READS / 4)));
      times.postgres.push(...(await readTimes(collector.origin + path, READS / 4)));
    }
    ratios.push({ form, ratio: percentile(times.postgres, 0.95) / percentile(times.sqlite, 0.95) });
  }
  const size = database.packed() / 1e6;
  report.atMost("PostgreSQL's tables per million hits over 400 days", size, "MB", 20);
  for (const { form, ratio } of ratios)
    report.atMost(`/stats with series${form}, 400 days, PostgreSQL : SQLite`, ratio, "", 2);
}

/** Views counted by these collectors, as fast as they answer. */
async function load(
  fleet: readonly Running[],
  database: FleetDatabase,
  seed: number,
): Promise<Round> {
  const spent = () => fleet.reduce((sum, each) => sum + each.cpuOfAll(), 0);
  const before = { collectors: spent(), database: database.cpu() };
  const each = { connections: CONNECTIONS / fleet.length, seconds: SECONDS, seed };
  const done = await Promise.all(fleet.map(({ origin }) => sendViews(origin, each)));
  const hits = done.reduce((sum, each) => sum + each.hits, 0);
  return {
    hits,
    perSecond: done.reduce((sum, { perSecond }) => sum + perSecond, 0),
    collectors: ((spent() - before.collectors) * 1_000) / hits,
    database: ((database.cpu() - before.database) * 1_000) / hits,
  };
}
