import { mkdtempSync, rmSync } from "node:fs";
import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { request as requestByTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { ServiceParts } from "../../appliance/app/service/parts.ts";
import { type Service, startService } from "../../appliance/app/service/service.ts";
import { createLog } from "../../appliance/base/log.ts";
import type { SystemClock } from "../../appliance/base/system/system-clock.ts";
import type { Disk } from "../../appliance/box/disk/disk.ts";
import { readConfig } from "../../appliance/config/config.ts";
import type { Vitals } from "../../appliance/control/wire.ts";
import { createDeckBus } from "../../appliance/deck/usb/hid.ts";
import {
  databaseFile,
  openForWriting,
  withDatabase,
} from "../../appliance/store/sqlite/database.ts";
import { type EngineName, engineOfSuite } from "./engines.ts";
import { FakeClock } from "./fake-clock.ts";
import { FakeUsbHost } from "./fake-hid.ts";
import { aroundTests } from "./hooks.ts";
import { giveBackDatabase, sharedPostgres, takeDatabase } from "./postgres.ts";
import { reusedPrograms } from "./programs.ts";
import { reusedProcesses, reusedThreads } from "./threads.ts";
import { until } from "./until.ts";

export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
export const ADMIN = "the-admin-token";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** The body parsed; shaped as the test expects it. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads from a reply is what it asserts.
  readonly json: any;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** The address to come from, in 127.0.0.0/8. */
  readonly from?: string;
  /** The address to ask at; 127.0.0.1 unless given. */
  readonly to?: string;
  /** Keeps connections for who asks a lot; else each request has one of its own. */
  readonly agent?: Agent;
  /** Asks by TLS, whoever signed the certificate that is shown. */
  readonly byTls?: boolean;
}

/** Parts of the service that a test may bring. With a `door` the collector answers by TLS, too. */
type GivenParts = Pick<
  ServiceParts,
  "space" | "readerMemoryMb" | "threads" | "log" | "door" | "problems" | "publicAddress" | "updates"
>;

interface WorldOptions extends Readonly<Partial<GivenParts>> {
  /** The engine; that of the suite where `eachWorld` or `sharedWorld` makes the world, else SQLite. */
  readonly engine?: EngineName;
  /** Configuration keys; SITES=blog and STATS_TOKEN=ADMIN unless given. */
  readonly env?: Record<string, string>;
  readonly clock?: FakeClock;
  readonly dataDir?: string;
  /** One that has stopped, with whose data this one goes on. */
  readonly after?: World | undefined;
  /** Called with the database before the service runs. */
  readonly prepare?: (db: Database.Database) => void;
  /** The clock of a board without a battery, for which `clock` is then the machine's: made at each start. */
  readonly board?: (machine: FakeClock) => SystemClock;
  /** The disk of the data; none unless given. */
  readonly disk?: Disk;
}

/** A whole service on free ports, with its data in a folder of its own and a fake clock. */
export class World {
  readonly clock: FakeClock;
  readonly dataDir: string;
  readonly usb: FakeUsbHost;
  /** Lines of the console, and texts of the screen. */
  readonly console: string[] = [];
  readonly screen: string[] = [];
  /** The lines of the log, unless a test brings its own. */
  readonly said: string[] = [];
  /** Addresses and name of the machine; tests change them. */
  readonly network = { addresses: () => ["192.0.2.7"], name: (): string | undefined => undefined };
  /** The vitals of the machine, which tests change. */
  vitals: Vitals = {
    upSeconds: 4 * 86_400 + 7_200,
    memory: { totalBytes: 2 ** 30, serviceBytes: 110 * 2 ** 20 },
  };
  /** The time of the database elsewhere: that of `clock` unless a test says otherwise. */
  databaseNow = () => this.clock.now();
  /** The disk of the data, for the next start. */
  disk: Disk | undefined;
  readonly #options: WorldOptions;
  #service: Service | undefined;
  /** The name of its database, where that is not a file of its folder. */
  #database: string | undefined;
  #databaseUrl: string | undefined;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? new FakeClock();
    this.disk = options.disk;
    this.usb = new FakeUsbHost(this.clock);
    if (options.after !== undefined) this.#database = options.after.#database;
    this.dataDir =
      options.dataDir ?? options.after?.dataDir ?? mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  }

  /** @param changed configuration keys that are other than before */
  async start(changed: Record<string, string> = {}): Promise<void> {
    await this.begin(changed);
    const { service } = this;
    await until(() => service.unusable !== undefined || service.store.numbers.ready);
  }

  /** The same, be its database there or not. */
  async begin(changed: Record<string, string> = {}): Promise<void> {
    const { env, prepare, door } = this.#options;
    const board = this.#options.board?.(this.clock);
    const config = readConfig({
      flags: { PORT: "0", WEBUI_PORT: "0", DATA_DIR: this.dataDir },
      env: {
        SITES: "blog",
        STATS_TOKEN: ADMIN,
        ...(await this.#takeDatabase()),
        ...env,
        ...changed,
      },
    });
    this.#service = await startService({
      log: createLog((line) => this.said.push(line)),
      threads: reusedThreads,
      ...this.#options,
      // Any port that is free, for which a person has no use.
      config: door === undefined ? config : { ...config, tlsPort: 0 },
      clock: this.clock,
      chores: reusedProcesses,
      databaseNow: () => this.databaseNow(),
      prepare: (file) => prepare && withDatabase(openForWriting(file), prepare),
      runProgram: reusedPrograms,
      bus: createDeckBus(this.usb),
      network: this.network,
      vitals: async () => this.vitals,
      disk: () => this.disk,
      console: (line) => this.console.push(line),
      screen: (text) => this.screen.push(text),
      timekeeper: {
        believe: (now) => void this.clock.becomeSure(now),
        learn: () => {},
      },
      ...(board !== undefined && { clock: board, timekeeper: board }),
    });
  }

  /** Stops the service; the data stays. */
  async stop(): Promise<void> {
    await this.#service?.close();
    this.#service = undefined;
  }

  /** @param changed configuration keys that are other than before, this once */
  async restart(changed: Record<string, string> = {}): Promise<void> {
    await this.stop();
    await this.start(changed);
  }

  /** Stops the service and removes its data. */
  async end(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
    if (this.#database !== undefined) await giveBackDatabase(this.#database);
  }

  /** The rows of a query, as another process sees them. */
  async rows(question: string): Promise<unknown[]> {
    if (this.#database !== undefined) return (await sharedPostgres()).sql(question, this.#database);
    const db = new Database(databaseFile(this.dataDir), { readonly: true });
    return withDatabase(db, () => db.prepare(question).all());
  }

  get isOnPostgres(): boolean {
    return this.#databaseUrl !== undefined;
  }

  /** Undefined where its database is a file. */
  get databaseUrl(): string | undefined {
    return this.#databaseUrl;
  }

  /** Arguments of the command line for its data. */
  get dataArgs(): string[] {
    const folder = ["--data-dir", this.dataDir];
    return this.#databaseUrl === undefined
      ? folder
      : [...folder, "--database-url", this.#databaseUrl];
  }

  async #takeDatabase(): Promise<{ DATABASE_URL?: string }> {
    if (this.#options.engine !== "PostgreSQL") return {};
    this.#database ??= await takeDatabase();
    this.#databaseUrl = (await sharedPostgres()).url({ database: this.#database });
    return { DATABASE_URL: this.#databaseUrl };
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error("the service of this world does not run");
    return this.#service;
  }

  get port(): number {
    return this.service.collector.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** One request to the collector. */
  ask(path: string, ask: Ask = {}): Promise<Reply> {
    return askPort(this.port, path, ask);
  }

  get tlsPort(): number {
    const { collectorTls } = this.service;
    if (collectorTls === undefined) throw new Error("this world has no door for TLS");
    return collectorTls.port;
  }

  /** One request to the collector by TLS. */
  askByTls(path: string, ask: Ask = {}): Promise<Reply> {
    return askPort(this.tlsPort, path, { byTls: true, ...ask });
  }

  /** One request to the control listener. */
  askControl(path: string, ask: Ask = {}): Promise<Reply> {
    return askPort(this.service.control.port, path, ask);
  }

  /** Sends a beacon as a browser does; `s` is the site id, null to leave it out. */
  beacon(
    payload: unknown,
    { s = "blog", headers = {} }: { s?: string | null; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    return this.ask(`/e?${query({ s, v: encode(payload) })}`, {
      headers: { "user-agent": CHROME, ...headers },
    });
  }

  /** Sends an app's ping. */
  ping(
    payload: unknown,
    { s = "blog", headers = {} }: { s?: string | null; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    return this.ask(`/a?${query({ s, v: encode(payload) })}`, { headers });
  }

  /** Posts a survey; each from another address unless told, for three an hour are taken from one. */
  survey(body: unknown, { s = "blog", from = this.#nextAddress() } = {}): Promise<Reply> {
    return this.ask(`/s?${query({ s })}`, {
      method: "POST",
      from,
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  }

  /** Reads with a token (the admin's unless told) and gives the parsed body. */
  async read(
    path: string,
    params: Record<string, string | number> = {},
    token = ADMIN,
    // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
  ): Promise<any> {
    const reply = await this.readRaw(path, params, token);
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`);
    return reply.json;
  }

  readRaw(
    path: string,
    params: Record<string, string | number> = {},
    token = ADMIN,
  ): Promise<Reply> {
    return this.ask(
      `${path}${path.includes("?") ? "&" : "?"}${query({ site: "blog", ...params })}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
  }

  /** `/stats` of the site blog, today unless told. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
  stats(params: Record<string, string | number> = {}, token = ADMIN): Promise<any> {
    return this.read("/stats", params, token);
  }

  /** Counts of today, by dimension and value. */
  async counts(site = "blog"): Promise<Record<string, Record<string, number>>> {
    const { site: _, day, live, zone, ...counts } = await this.stats({ site });
    return counts;
  }

  #lastAddress = 0;

  #nextAddress(): string {
    this.#lastAddress++;
    return `127.1.${this.#lastAddress >> 8}.${this.#lastAddress & 255 || 1}`;
  }
}

const inFolders = new Set<World>();
aroundTests(async () => {
  for (const world of inFolders) await world.stop();
  inFolders.clear();
});

/**
 * A service on a folder of the caller's, at this machine's time. Unlike one in a process of its own, it cannot be killed, and
 * its lock keeps no command of this process away; it takes a fifth of the time.
 */
export async function serviceOn(dataDir: string, env: Record<string, string> = {}): Promise<World> {
  const world = new World({ dataDir, env, clock: new FakeClock(Date.now()) });
  inFolders.add(world);
  await world.start();
  return world;
}

/** A world for each test of the suite around it. */
export function eachWorld(options: WorldOptions | (() => WorldOptions) = {}): () => World {
  let world: World | undefined;
  const engine = engineOfSuite();
  beforeEach(async () => {
    world = new World({ engine, ...(typeof options === "function" ? options() : options) });
    await world.start();
  });
  afterEach(() => world?.end());
  return () => world as World;
}

/** One world for all tests of the suite around it: for those that leave nothing behind. */
export function sharedWorld(options: WorldOptions = {}): () => World {
  let world: World | undefined;
  const engine = engineOfSuite();
  before(async () => {
    world = new World({ engine, ...options });
    await world.start();
  });
  after(() => world?.end());
  return () => world as World;
}

/** Counts of a view with an empty payload, in the first hour of a fake clock. */
export const DEFAULT_VIEW: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  pv: { _: 1 },
  path: { "/": 1 },
  host: { unknown: 1 },
  ref: { direct: 1 },
  ref_group: { direct: 1 },
  lang: { unknown: 1 },
  tz: { unknown: 1 },
  browser: { Chrome: 1 },
  browser_version: { "Chrome 142": 1 },
  os: { Windows: 1 },
  os_version: { "Windows 10": 1 },
  device: { desktop: 1 },
  hour: { "12": 1 },
  dowhour: { "3-12": 1 },
};

/**
 * Many site ids for `SITES`, and the next one that nobody has used: so that tests can share a world
 * and each still begin with nothing counted.
 */
export function manySites(count = 200): { SITES: string; next: () => string } {
  const ids = Array.from({ length: count }, (_, number) => `site${number}`);
  const SITES = ids.join(",");
  return {
    SITES,
    next() {
      const id = ids.shift();
      if (id === undefined) throw new RangeError(`more than ${count} sites are used: ask for more`);
      return id;
    },
  };
}

/** `base64(encodeURIComponent(JSON))`, as clients encode payloads. */
export function encode(payload: unknown): string {
  return btoa(encodeURIComponent(JSON.stringify(payload)));
}

function query(params: Record<string, string | number | null>): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(params))
    if (value !== null) given.set(key, String(value));
  return given.toString();
}

export function askPort(
  port: number,
  path: string,
  { method = "GET", headers = {}, body, from, to = "127.0.0.1", agent, byTls = false }: Ask = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const sent = (byTls ? requestByTls : request)(
    {
      ...(byTls && { rejectUnauthorized: false }),
      host: to,
      port,
      path,
      method,
      headers,
      agent: agent ?? false,
      ...(from !== undefined && { localAddress: from }),
    },
    (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: bytes,
          text: bytes.toString(),
          get json() {
            return JSON.parse(bytes.toString());
          },
        });
      });
    },
  );
  sent.on("error", reject);
  sent.end(body);
  return promise;
}
