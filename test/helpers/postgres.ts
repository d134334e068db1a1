import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { makeCertificates } from "./certificates.ts";
import { keptPort } from "./free-port.ts";
import { afterAllFiles, aroundTests } from "./hooks.ts";
import { giveToPostgres, newCluster, postgresCommand, postgresFolder } from "./postgres-folder.ts";

interface PostgresOptions {
  /** What is committed is on the disk; without it, with the kernel, which a killed server is not. */
  readonly fsync?: boolean;
  /** Has a certificate for `localhost` and 127.0.0.1; `required` takes nobody without TLS but `postgres`. */
  readonly tls?: "offered" | "required";
  /** As in postgresql.conf: `{max_connections: 10}`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

interface Login {
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  /** As behind the `?` of a URL. */
  readonly parameters?: Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, unknown>>;

/** Small, and quick on a disk that others use. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  shared_buffers: "16MB",
  max_wal_size: "64MB",
  // Files in the folder instead of memory of the kernel's, which a killed server would leave.
  dynamic_shared_memory_type: "mmap",
  jit: "off",
  timezone: "UTC",
};

/** A busy machine is slow; less than a test's own limit, for this tells what was waited for. */
const PATIENCE_MS = 60_000;

const open = new Set<Postgres>();
aroundTests(
  () => {},
  () => Promise.all([...open].map((server) => server.end())),
);

/**
 * Debian's server on a port of 127.0.0.1, with its socket and all it keeps in a folder of its own. Its
 * owner `postgres` needs no password, other roles do.
 */
export class Postgres {
  readonly port: number;
  readonly folder: string;
  readonly #settings: Readonly<Record<string, string | number>>;
  #process: ChildProcess | undefined;
  #made = 0;

  private constructor(port: number, folder: string, settings: PostgresOptions["settings"] = {}) {
    this.port = port;
    this.folder = folder;
    this.#settings = { ...SETTINGS, ...settings };
  }

  /** Ends with the tests of the file. */
  static async open(options: PostgresOptions = {}): Promise<Postgres> {
    const server = await Postgres.start(options);
    open.add(server);
    return server;
  }

  /** Ends when it is told to, or with this process. */
  static async start({ fsync = false, tls, settings }: PostgresOptions = {}): Promise<Postgres> {
    const folder = postgresFolder();
    const server = new Postgres(await keptPort(), folder, {
      ...(fsync ? {} : { fsync: "off", full_page_writes: "off" }),
      ...(tls && { ssl: "on", ssl_cert_file: "../server.pem", ssl_key_file: "../server.key" }),
      ...settings,
    });
    newCluster(server.#data);
    if (tls) makeCertificates(folder, "DNS:localhost,IP:127.0.0.1");
    if (tls)
      for (const file of ["server.pem", "server.key"]) giveToPostgres(join(folder, file), 0o600);
    const others = tls === "required" ? "hostssl" : "host";
    writeFileSync(
      join(server.#data, "pg_hba.conf"),
      [
        "local all,replication postgres trust",
        "host all,replication postgres 127.0.0.1/32 trust",
        "local all all scram-sha-256",
        `${others} all all 127.0.0.1/32 scram-sha-256`,
        "",
      ].join("\n"),
    );
    await server.restart();
    return server;
  }

  /** PEM of who signed its certificate. */
  get caFile(): string {
    return join(this.folder, "ca.pem");
  }

  /** What it wrote to its log. */
  get log(): string {
    return readFileSync(this.#logFile, "utf8");
  }

  /** `postgres://postgres@127.0.0.1:5432/postgres` */
  url({ database = "postgres", user = "postgres", password, parameters }: Login = {}): string {
    const url = new URL(`postgres://127.0.0.1:${this.port}/${database}`);
    url.username = user;
    if (password !== undefined) url.password = encodeURIComponent(password);
    for (const [name, value] of Object.entries(parameters ?? {})) url.searchParams.set(name, value);
    return url.href;
  }

  /** Runs one or more statements as `postgres`. @returns the rows of the last; counts are numbers */
  async sql(text: string, database = "postgres"): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url({ database }) });
    client.on("error", () => {});
    client.setTypeParser(pg.types.builtins.INT8, Number);
    await client.connect();
    try {
      // An array where there are several statements, which the types do not know.
      const results: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(text);
      return [results].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  /** @returns the name of a new, empty database */
  async createDatabase(): Promise<string> {
    this.#made += 1;
    const name = `test_${this.#made}`;
    await this.sql(`CREATE DATABASE ${name}`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  /**
   * Makes a role that may read and write the rows of all tables of a database, those to come too, and
   * change no table.
   */
  async createWriter(database: string): Promise<{ user: string; password: string }> {
    this.#made += 1;
    const user = `writer_${this.#made}`;
    const password = `secret of ${user}: /?#@%`;
    const tables = "SELECT, INSERT, UPDATE, DELETE ON TABLES";
    const all = (rights: string) => rights.replace(" ON ", " ON ALL ");
    await this.sql(
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC;
       CREATE ROLE ${user} LOGIN PASSWORD '${password}';
       GRANT ${all(tables)} IN SCHEMA public TO ${user};
       GRANT ${all("USAGE ON SEQUENCES")} IN SCHEMA public TO ${user};
       ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ${tables} TO ${user};
       ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${user};`,
      database,
    );
    return { user, password };
  }

  /** Starts a server that does not run; resolves when it takes connections. */
  async restart(): Promise<void> {
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const where = ["-D", this.#data, "-k", this.folder, "-p", `${this.port}`];
    const [file, args] = postgresCommand("postgres", [...where, ...settings]);
    const log = openSync(this.#logFile, "a");
    const child = spawn(file, args, {
      stdio: ["ignore", log, log],
      // A terminal's Ctrl-C ends a whole group of processes.
      detached: true,
      cwd: this.folder,
    });
    closeSync(log);
    // What it belongs to ends it; it keeps no process from ending.
    child.unref();
    this.#process = child;
    const since = Date.now();
    while (!this.#isReady(child.pid)) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() - since > PATIENCE_MS)
        throw new Error(`PostgreSQL did not start: ${this.log.slice(-2000)}`);
      await setTimeout(5);
    }
  }

  /** Ends it as an administrator does: what runs is broken off, what is committed is written. */
  stop(): Promise<void> {
    return this.#end("SIGINT");
  }

  /** Kills all its processes at once, as losing power would. */
  async kill(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined || !this.#runs()) return;
    // It makes no further ones meanwhile, and sees nobody die.
    process.kill(pid, "SIGSTOP");
    const children = childrenOf(pid);
    for (const each of children) process.kill(each, "SIGKILL");
    await this.#end("SIGKILL");
    while (children.some(isAlive)) await setTimeout(2);
    this.#freeMemory();
  }

  /** Ends it and removes its folder. */
  async end(): Promise<void> {
    open.delete(this);
    await this.#end("SIGQUIT");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #data(): string {
    return join(this.folder, "data");
  }

  get #logFile(): string {
    return join(this.folder, "log");
  }

  #runs(): boolean {
    const child = this.#process;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.#runs()) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  #isReady(pid: number | undefined): boolean {
    const [first, ...rest] = this.#pidFile();
    return Number(first) === pid && /^(ready|standby)/.test(rest.at(6) ?? "");
  }

  /** Its process, folder, start, port, socket's folder, address, shared memory and state, a line each. */
  #pidFile(): string[] {
    try {
      return readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n");
    } catch {
      return [];
    }
  }

  /** What a killed server leaves with the kernel would outlive the folder. */
  #freeMemory(): void {
    const [, id] = (this.#pidFile()[6] ?? "").trim().split(/\s+/);
    if (id !== undefined) execFileSync("ipcrm", ["-m", id], { stdio: "ignore" });
  }
}

let shared: Promise<Postgres> | undefined;
afterAllFiles(async () => (await shared)?.end());

/** One for all files of a process, which nobody stops or kills. */
export function sharedPostgres(): Promise<Postgres> {
  shared ??= Postgres.start();
  return shared;
}

/** An empty database for each test of the suite around it, on the shared server. @returns its name */
export function eachDatabase(): () => string {
  let database = "";
  beforeEach(async () => {
    database = await (await sharedPostgres()).createDatabase();
  });
  afterEach(async () => (await sharedPostgres()).dropDatabase(database));
  return () => database;
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** One that ended may wait for somebody to ask how. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
