import { median, percentile } from "./figures.ts";
import { type FleetDatabase, withDatabase } from "./fleet-database.ts";
import { makeHistory } from "./history.ts";
import { sendSteadily, sendViews } from "./load.ts";
import { readTimes } from "./read-times.ts";
import { type Running, SITE, withData } from "./servers.ts";
import type { Shipped } from "./shipped.ts";

const MILLION = 1_000_000;
const SIZES = [1, 2, 4] as const;
const ROUNDS = 3;
const SECONDS = 5;
const CONNECTIONS = 100;
const STEADY = { connections: 50, perSecond: 1_000, seconds: 15 };
const HISTORY_DAYS = 400;
const READS = 40;

interface FleetFigures {
  /** Hits a second of 1, 2 and 4 collectors, as ratios to one. */
  readonly perSecond: readonly number[];
  /** Microseconds of CPU a hit, by how many collectors there were. */
  readonly cpu: readonly { readonly collectors: number; readonly database: number }[];
  /** Milliseconds of hits at 1,000 a second, through one collector. */
  readonly steady: readonly number[];
  /** Bytes per million hits of some two thousand pages, at that load. */
  readonly bytes: { readonly tables: number; readonly log: number };
}

interface Round {
  readonly perSecond: number;
  readonly collectors: number;
  readonly database: number;
}

/** Views counted by collectors into one database, all on this machine. */
export async function measureFleet(shipped: Shipped): Promise<FleetFigures> {
  let figures: FleetFigures | undefined;
  await withDatabase(async (database) => {
    const fleet = await startFleet(shipped, database);
    try {
      const before = database.bytes();
      let hits = 0;
      const rounds: Round[][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const all: Round[] = [];
        for (const size of SIZES) {
          const done = await load(fleet.slice(0, size), database);
          hits += done.hits;
          all.push(done);
          console.log(
            `  ${size} collectors: ${Math.round(done.perSecond)}/s (µs a hit: collectors ${done.collectors.toFixed(0)}, database ${done.database.toFixed(0)})`,
          );
        }
        // In the first one everything is still compiled, and every value is new.
        if (round > 0) rounds.push(all);
      }
      const after = database.bytes();
      const steady = await sendSteadily((fleet[0] as Running).origin, STEADY);
      const of = (size: number, what: keyof Round) =>
        median(rounds.map((round) => round[size]?.[what] ?? Number.NaN));
      figures = {
        perSecond: SIZES.map((_, size) =>
          median(rounds.map((round) => (round[size]?.perSecond ?? 0) / (round[0]?.perSecond ?? 0))),
        ),
        cpu: SIZES.map((_, size) => ({
          collectors: of(size, "collectors"),
          database: of(size, "database"),
        })),
        steady,
        bytes: {
          tables: ((after.tables - before.tables) / hits) * MILLION,
          log: ((after.log - before.log) / hits) * MILLION,
        },
      };
    } finally {
      for (const collector of fleet) await collector.stop();
    }
  });
  return figures as FleetFigures;
}

interface ReadFigures {
  readonly form: string;
  /** Milliseconds at the 95th percentile. */
  readonly sqlite: number;
  readonly postgres: number;
}

/** Reports over a long history from both engines, in turns; and bytes of it in the database. */
export async function measureFleetReads(
  shipped: Shipped,
): Promise<{ reads: readonly ReadFigures[]; bytes: number }> {
  const reads: ReadFigures[] = [];
  let bytes = 0;
  await withData((dataDir) =>
    withDatabase(async (database) => {
      await makeHistory(dataDir, MILLION, HISTORY_DAYS);
      shipped.run(["copy", "--from", dataDir, "--to", database.url]);
      const box = await shipped.start(dataDir);
      const collector = await shipped.collect(database.url, "bench");
      try {
        for (const form of ["", "&daily=1", "&daily=text"]) {
          const path = `/stats?site=${SITE}&from=first&series=1${form}`;
          const times = { sqlite: [] as number[], postgres: [] as number[] };
          for (let turn = 0; turn < 4; turn++) {
            times.sqlite.push(...(await readTimes(box.origin + path, READS / 4)));
            times.postgres.push(...(await readTimes(collector.origin + path, READS / 4)));
          }
          reads.push({
            form,
            sqlite: percentile(times.sqlite, 0.95),
            postgres: percentile(times.postgres, 0.95),
          });
        }
        bytes = database.packed();
      } finally {
        await collector.stop();
        await box.stop();
      }
    }),
  );
  return { reads, bytes };
}

async function startFleet(shipped: Shipped, { url }: FleetDatabase): Promise<Running[]> {
  const fleet: Running[] = [];
  for (let i = 0; i < Math.max(...SIZES); i++) fleet.push(await shipped.collect(url, `bench-${i}`));
  return fleet;
}

async function load(
  fleet: readonly Running[],
  database: FleetDatabase,
): Promise<Round & { hits: number }> {
  const spent = () => fleet.reduce((sum, each) => sum + total(each), 0);
  const before = { collectors: spent(), database: database.cpu() };
  const done = await Promise.all(
    fleet.map(({ origin }) => sendViews(origin, CONNECTIONS / fleet.length, { seconds: SECONDS })),
  );
  const hits = done.reduce((sum, each) => sum + each.hits, 0);
  return {
    hits,
    perSecond: done.reduce((sum, { perSecond }) => sum + perSecond, 0),
    collectors: ((spent() - before.collectors) * 1_000) / hits,
    database: ((database.cpu() - before.database) * 1_000) / hits,
  };
}

function total({ cpu }: Running): number {
  return Object.values(cpu()).reduce((sum, each) => sum + each, 0);
}
