import { dayOf, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { createLog } from "../../../appliance/base/log.ts";
import type { Refusal } from "../../../appliance/base/refusal.ts";
import type { BatchData, SurveyRow } from "../../../appliance/store/counting.ts";
import { PLAIN } from "../../../appliance/store/counts/block-counts.ts";
import type { EngineAnswer, SettlementAsked } from "../../../appliance/store/engine.ts";
import { FleetClock } from "../../../appliance/store/fleet-clock.ts";
import type { LiveBars } from "../../../appliance/store/intake/live-views.ts";
import { PostgresEngine } from "../../../appliance/store/postgres/engine.ts";
import type { StatsQuery, UpkeepTime } from "../../../appliance/store/queries.ts";
import { type Directory, EMPTY_DIRECTORY } from "../../../appliance/store/sites/directory.ts";
import type { Settlement } from "../../../appliance/store/snapshot.ts";
import type { WriteInput, WriteName } from "../../../appliance/store/writes.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, type Login, type Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { logOf, viewOf } from "../../helpers/traffic.ts";
import { until } from "../../helpers/until.ts";

export interface NodeOptions {
  readonly name?: string;
  readonly sites?: readonly string[];
  /** Whether its clock is sure. */
  readonly sure?: boolean;
}

/** A node on a database, with what it heard. */
export class EngineWorld {
  readonly clock: FakeClock;
  /** The clock of the database, as this node knows it. */
  readonly time: FleetClock;
  readonly lines: string[] = [];
  readonly refused: Refusal[] = [];
  readonly engine: PostgresEngine;
  directory: Directory = EMPTY_DIRECTORY;
  /** Resolves when it has heard of the directory that it is told. */
  hearing: Promise<void> | undefined;
  counted = 0;
  live: readonly LiveBars[] = [];
  views = new Map<number, number[]>();
  asked: readonly number[] = [];
  /** The clock of the database is as right as this node's. */
  databaseNow = () => this.clock.now();

  constructor(url: string, { name = "north", sites = ["blog"], sure = true }: NodeOptions = {}) {
    this.clock = new FakeClock("2026-03-04T12:00:00Z", { sure });
    const log = createLog((line) => this.lines.push(line));
    const { clock } = this;
    this.time = new FleetClock({ clock, log, databaseNow: () => this.databaseNow() });
    this.engine = PostgresEngine.open(
      {
        databaseUrl: url,
        nodeName: name,
        declared: sites.map((id) => ({ id, host: null })),
        clock: this.time,
        log,
        threads: reusedThreads,
      },
      {
        directory: (directory) => {
          this.directory = directory;
          return this.hearing;
        },
        opened: () => {},
        refused: (why) => this.refused.push(why),
        counted: () => {
          this.counted += 1;
        },
        live: (others) => {
          this.live = others;
        },
        damaged: () => {},
        room: () => {},
        views: () => this.views,
        asked: () => this.asked,
      },
    );
  }

  /** Resolves when the database has answered. */
  async ready(): Promise<this> {
    await this.until(() => this.engine.ready);
    return this;
  }

  /**
   * Lets time pass until something holds: so slowly that a database that is only slow is not given up.
   * @param step ms for each look
   */
  async until(holds: () => boolean, step = 5): Promise<void> {
    await until(() => {
      if (holds()) return true;
      this.clock.advance(step);
      return false;
    });
  }

  /** Awaits a promise while time passes. */
  async passing<T>(promise: Promise<T>, step = 5): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    await this.until(() => isDone, step);
    return promise;
  }

  get hour(): number {
    return Math.floor(this.time.now() / HOUR_MS);
  }

  site(id = "blog"): number {
    return this.directory.sites.find((site) => site.id === id)?.key ?? -1;
  }

  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<EngineAnswer> {
    return this.engine.send({ kind: "write", name, input });
  }

  commit(batch: Partial<BatchData>): Promise<EngineAnswer> {
    return this.engine.send({
      kind: "commit",
      at: this.clock.monotonic(),
      batch: { log: [], hits: 0, surveys: [], lowSpace: false, ...batch },
    });
  }

  /** Views of pages of a site in one batch. */
  count(paths: readonly string[], { site = this.site(), hour = this.hour } = {}) {
    const hits = paths.map((path) => viewOf({ path }));
    return this.commit(logOf(site, { hour }, hits));
  }

  /** All upkeep that is due, as the store has it done. @returns how many steps there were */
  async upkeep(retentionDays = 100): Promise<number> {
    return (await this.tend(retentionDays)) + (await this.settle(retentionDays));
  }

  /** The same without settling. */
  async tend(retentionDays = 100): Promise<number> {
    for (let steps = 0; ; steps++) {
      const time = this.#upkeepTime(retentionDays);
      const answer = await this.engine.send({ kind: "upkeep", at: this.clock.monotonic(), time });
      if (!answer.ok) throw new Error(answer.message);
      if (!answer.more) return steps;
    }
  }

  /** Settles all there is, as the store has it done. @returns how many steps there were */
  async settle(retentionDays = 100, minBytes = 0): Promise<number> {
    for (let steps = 0; ; steps++) {
      const query = { ...this.settlementQuery(steps, retentionDays), minBytes };
      const settlement = await this.nextSettlement(query);
      if (settlement === null) return steps;
      const at = this.clock.monotonic();
      const answer = await this.engine.send({ kind: "settle", at, settlement });
      if (!answer.ok) throw new Error(answer.message);
    }
  }

  /** Null where another settles, or nothing is due. */
  async nextSettlement(query = this.settlementQuery(0, 100)): Promise<Settlement | null> {
    return this.engine.settlement(query);
  }

  settlementQuery(steps: number, retentionDays: number): SettlementAsked {
    return {
      ...this.#upkeepTime(retentionDays),
      detailDays: 0,
      isFirst: steps === 0,
      minBytes: 0,
    };
  }

  #upkeepTime(retentionDays: number): UpkeepTime {
    const { time } = this;
    const bootedAt = time.now() - time.monotonic();
    return { boot: time.boot, bootedAt, today: this.day, retentionDays };
  }

  /** Counts of a site by value of a dimension. */
  counts(dimension: string, { site = this.site(), days = 30 } = {}) {
    return this.#counts(dimension, site, this.day - days, this.day + days);
  }

  countsOfDay(dimension: string, day: number) {
    return this.#counts(dimension, this.site(), day, day);
  }

  countsOf(dimension: string, site: number, day: number): Promise<Record<string, number>> {
    return this.#counts(dimension, site, day, day);
  }

  async #counts(dimension: string, site: number, from: number, to: number) {
    const query: StatsQuery = {
      ...PLAIN,
      site,
      id: "any",
      from,
      to,
      single: false,
      series: false,
      daily: undefined,
      zone: "UTC",
      warnings: [],
    };
    const accepts = { encoding: null, ifNoneMatch: "" };
    const { body } = await this.engine.reads.read("stats", { query, accepts });
    return JSON.parse(Buffer.from(body ?? []).toString())[dimension] ?? {};
  }

  get day(): number {
    return dayOf(this.time.now());
  }

  survey(payload: string, { site = this.site(), hour = this.hour } = {}): SurveyRow {
    return { site, stamp: { hour }, version: 1, payload };
  }
}

/** Before each test an empty database; after it the nodes that it opened there are closed. */
export function eachFleet() {
  const database = eachDatabase();
  const nodes: EngineWorld[] = [];
  let server: Postgres;
  beforeEach(async () => {
    server = await sharedPostgres();
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map(({ engine }) => engine.close()));
  });
  return {
    nodes,
    database,
    server: () => server,
    sql: (text: string) => server.sql(text, database()),
    /** A node that has not heard of the database yet. */
    open(login: Login = {}, options: NodeOptions = {}): EngineWorld {
      const node = new EngineWorld(server.url({ database: database(), ...login }), options);
      nodes.push(node);
      return node;
    },
  };
}
