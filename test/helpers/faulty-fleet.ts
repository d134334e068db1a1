import { RunningCollector } from "./collector.ts";
import { CuttingProxy, MOMENTS, type Trouble } from "./cutting-proxy.ts";
import { freePort } from "./free-port.ts";
import { Postgres } from "./postgres.ts";
import type { Ask, Reply } from "./world.ts";

interface FleetOptions {
  readonly seed: number;
  readonly collectors: number;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Collectors that count into one database. Each reaches it through proxies of its own: at one host, or
 * after a failover at the other.
 */
export class FaultyFleet {
  #database: Postgres;
  #standby: Postgres | undefined;
  /** The place of the next standby. */
  #other: number;
  readonly #seats: Seat[] = [];
  #turn = 0;

  private constructor(database: Postgres, other: number) {
    this.#database = database;
    this.#other = other;
  }

  static async start({ seed, collectors, env }: FleetOptions): Promise<FaultyFleet> {
    const database = await Postgres.open({ fsync: true });
    const fleet = new FaultyFleet(database, await freePort());
    const hosts = [database.port, fleet.#other];
    for (let i = 0; i < collectors; i++) {
      const proxies: CuttingProxy[] = [];
      for (const host of hosts) proxies.push(await CuttingProxy.open(host, seed + i));
      const url = database.url({
        ports: proxies.map(({ port }) => port),
        parameters: { target_session_attrs: "read-write" },
      });
      fleet.#seats.push(new Seat({ ...env, DATABASE_URL: url, NODE_NAME: `node-${i}` }, proxies));
    }
    await Promise.all(fleet.#seats.map((seat) => seat.start()));
    return fleet;
  }

  /** Asks one that runs, each in turn, as a load balancer does. */
  ask(path: string, ask?: Ask): Promise<Reply> {
    const running = this.#seats.filter(({ collector }) => collector !== undefined);
    this.#turn += 1;
    const seat = running[this.#turn % running.length];
    if (seat?.collector === undefined) throw new Error("no collector runs");
    return seat.collector.ask(path, ask);
  }

  /** Kills one and starts another in its place. */
  async replaceCollector(n: number): Promise<void> {
    const seat = this.#seats[n % this.#seats.length];
    await seat?.kill();
    await seat?.start();
  }

  /** Kills the database; it is back after `then`. */
  async loseDatabase(then: () => Promise<void>): Promise<void> {
    await this.#database.kill();
    await then();
    await this.#database.restart();
  }

  /** From now on no commit is answered before a standby has it. */
  async addStandby(): Promise<void> {
    this.#standby = await this.#database.standby({ port: this.#other, synchronous: true });
  }

  /** Kills the database; its standby takes over. */
  async failOver(): Promise<void> {
    const lost = this.#database;
    await lost.kill();
    await this.#standby?.promote();
    this.#database = this.#standby ?? lost;
    this.#standby = undefined;
    this.#other = lost.port;
    await lost.end();
  }

  /** Faults of the connections of all collectors. */
  set trouble(trouble: Trouble) {
    for (const proxy of this.#proxies) proxy.trouble = trouble;
  }

  cut(): void {
    for (const proxy of this.#proxies) proxy.cut();
  }

  /** The number of commits so far that lost their connection, by moment. */
  get lostCommits(): ReadonlyMap<string, number> {
    const of = (moment: (typeof MOMENTS)[number]) =>
      this.#proxies.reduce((sum, { counts }) => sum + counts[moment], 0);
    return new Map(MOMENTS.map((moment) => [moment, of(moment)]));
  }

  /** Stops the collectors as whoever runs them does. @returns how each ended */
  stop(): Promise<(number | null)[]> {
    return Promise.all(
      this.#seats.map(async ({ collector }) => (await collector?.end())?.code ?? null),
    );
  }

  get #proxies(): CuttingProxy[] {
    return this.#seats.flatMap(({ proxies }) => proxies);
  }
}

/** The seat of a collector; another takes it when that is killed. */
class Seat {
  readonly proxies: readonly CuttingProxy[];
  readonly #env: Readonly<Record<string, string>>;
  collector: RunningCollector | undefined;

  constructor(env: Readonly<Record<string, string>>, proxies: readonly CuttingProxy[]) {
    this.proxies = proxies;
    this.#env = env;
  }

  async start(): Promise<void> {
    const collector = await RunningCollector.start(this.#env);
    await collector.answers(200);
    this.collector = collector;
  }

  async kill(): Promise<void> {
    const killed = this.collector;
    this.collector = undefined;
    await killed?.end("SIGKILL");
  }
}
