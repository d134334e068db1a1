import { setTimeout, setImmediate as turn } from "node:timers/promises";
import { DAY_MS, type Day } from "../../../appliance/base/calendar.ts";
import { createLog } from "../../../appliance/base/log.ts";
import { SystemClock } from "../../../appliance/base/system/system-clock.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { PostgresSnapshot } from "../../../appliance/store/postgres/snapshot.ts";
import { timeRun } from "../../../appliance/store/settling/day-marks.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import { openNumbers } from "../../../appliance/store/store.ts";
import { CuttingProxy, MOMENTS } from "../../helpers/cutting-proxy.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { giveBackDatabase, sharedPostgres, takeDatabase } from "../../helpers/postgres.ts";
import type { Seeded } from "../../helpers/store-life.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { until } from "../../helpers/until.ts";
import { type Moment, type Sent, SimulatedStore, type Trouble } from "./store.ts";

/** Time enough for a database that answers. */
const SOON_MS = 50;
/** A tick so slow that a slow database is not given up. */
const TICK_MS = 20;
/** As long as a store that closes waits for a database that is away, and longer. */
const LAST_COMMIT_MS = 9_000;
/** The moments at which commits lose their connection. */
const LOST = {
  fails: ["unsent", "sent"],
  late: ["late", "answered"],
  before: ["unsent"],
  after: ["answered"],
  torn: ["sent"],
} as const;
/** The chance of each commit to be lost. */
const CHANCE = 0.4;

interface Parts {
  readonly database: string;
  readonly proxy: CuttingProxy;
  /** The connection of others to the database. */
  readonly others: Connection;
  /** The way of the store. */
  readonly url: string;
}

/** A collector of a fleet, with its data in PostgreSQL. */
export class SimulatedNode extends SimulatedStore {
  readonly isShort = false;
  readonly #parts: Parts;
  #failedUpkeeps = 0;
  #others = 0;
  /** One of the next commits is to lose its connection. */
  #isCutting = false;

  private constructor(parts: Parts, draw: Seeded) {
    super(draw);
    this.#parts = parts;
  }

  static async open(draw: Seeded): Promise<SimulatedNode> {
    const [server, database] = [await sharedPostgres(), await takeDatabase()];
    const proxy = await CuttingProxy.open(server.port, draw.below(1_000));
    const settings = parseDatabaseUrl(server.url({ database }));
    const others = new Connection(settings, { clock: new SystemClock(), role: "chores" });
    const url = server.url({ database, ports: [proxy.port] });
    return new SimulatedNode({ database, proxy, others, url }, draw);
  }

  async end(): Promise<void> {
    const { others, proxy, database } = this.#parts;
    await others.close();
    await proxy.end();
    await giveBackDatabase(database);
  }

  protected async open(nodeName = "node", clock = this.clock) {
    const { dayZone, retentionDays, detailDays } = this;
    const numbers = await openNumbers({
      clock,
      nodeName,
      dayZone,
      retentionDays,
      detailDays,
      threads: reusedThreads,
      databaseUrl: this.#parts.url,
      log: createLog((line) => {
        if (line.includes("Upkeep failed")) this.#failedUpkeeps++;
      }),
      databaseNow: () => this.truth,
    });
    return { numbers, close: () => numbers.close() };
  }

  protected async leave(): Promise<void> {}

  /** Sends hits to another collector, which comes and goes. */
  async sendElsewhere(hits: readonly Sent[]): Promise<void> {
    const wall = this.truth + (this.draw.below(81) - 40) * DAY_MS;
    const clock = new FakeClock(wall, { boot: `other ${++this.#others}` });
    const other = await this.open("other", clock);
    await this.wait(until(() => other.numbers.ready));
    await this.send(hits, other);
    await this.wait(other.close());
  }

  /** A connection that was lost is made again after a pause. */
  override async wait<T>(promise: Promise<T>, tick = TICK_MS): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    await Promise.race([promise.then(done, done), setTimeout(SOON_MS)]);
    await until(() => {
      if (!isDone) this.#tick(tick);
      return isDone;
    });
    return promise;
  }

  #tick(ms: number): void {
    this.truth += ms;
    this.ran += ms;
    this.clock.advance(ms);
  }

  /** Where a connection was lost it fails, and is done later. */
  protected override async settle(): Promise<void> {
    for (let failed = -1; failed < this.#failedUpkeeps; ) {
      failed = this.#failedUpkeeps;
      await this.wait(this.store.numbers.upkeep.anew());
    }
  }

  snapshot<T>(task: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const { others } = this.#parts;
    return others.transaction((sql) => task(new PostgresSnapshot(sql)), { read: true });
  }

  protected async countedDays(): Promise<ReadonlySet<Day>> {
    return new Set(
      (await timeRun((text, values) => this.#parts.others.rows(text, values))).marks.keys(),
    );
  }

  protected async leftOf(id: string): Promise<number> {
    const left = `SELECT (SELECT count(*) FROM site WHERE id = $1)
      + (SELECT count(*) FROM block WHERE site NOT IN (SELECT key FROM site))
      + (SELECT count(*) FROM piece WHERE (site, month, source, part) NOT IN
        (SELECT site, month, source, part FROM block)) AS n`;
    const [row] = await this.#parts.others.rows<{ n: number }>(left, [id]);
    return row?.n ?? 0;
  }

  protected async eraseMeanwhile(id: string): Promise<void> {
    const settled = this.store.numbers.upkeep.anew();
    await this.wait(this.store.numbers.write("eraseSite", { id }));
    await this.wait(settled);
  }

  get #lost(): number {
    const { counts } = this.#parts.proxy;
    return MOMENTS.reduce((sum, moment) => sum + counts[moment], 0);
  }

  protected async trouble(trouble: Trouble, count: () => Promise<void>): Promise<void> {
    const { proxy } = this.#parts;
    const before = this.#lost;
    proxy.trouble = { commits: 1, moments: LOST[trouble] };
    const answered = count();
    await this.wait(until(() => this.#lost > before));
    proxy.trouble = {};
    await this.wait(answered);
    const { store } = this;
    await this.wait(
      until(() => store.numbers.figures.waitingHits === 0 && !store.numbers.figures.unavailable),
    );
  }

  protected async cutAt(moment: Moment): Promise<void> {
    const { proxy } = this.#parts;
    const before = this.#lost;
    proxy.trouble = { commits: CHANCE, moments: LOST[moment] };
    this.#isCutting = true;
    await until(() => this.#lost > before || !this.#isCutting);
    if (this.#isCutting) proxy.hang(true);
  }

  /** As a process is killed: it says no goodbye. */
  protected async powerOff(): Promise<void> {
    const { proxy, others, database } = this.#parts;
    this.#isCutting = false;
    proxy.hang(true);
    proxy.trouble = {};
    const closed = this.store.close();
    this.#tick(LAST_COMMIT_MS);
    await turn();
    proxy.cut();
    await this.wait(closed, SOON_MS);
    proxy.hang(false);
    proxy.cut();
    const open = `SELECT 1 FROM pg_stat_activity
      WHERE datname = '${database}' AND pid <> pg_backend_pid()`;
    while ((await others.rows(open)).length > 0) await turn();
    // Else others would wait for a minute.
    await others.rows("UPDATE lease SET until = now()");
  }
}
