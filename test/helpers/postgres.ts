import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { FLEET_FORMAT, READABLE_BY } from "../../appliance/store/format.ts";
import { giveToPostgres, newCluster, postgresCommand } from "../../scripts/postgres/folder.ts";
import { PostgresProcess, type Settings } from "../../scripts/postgres/process.ts";
import { makeCertificates } from "./certificates.ts";
import { freePort } from "./free-port.ts";
import { afterAllFiles, endedAtLast } from "./hooks.ts";

interface PostgresOptions {
  /** Whether commits are synced to the disk. Without it they are in the kernel, which survives a killed server. */
  readonly fsync?: boolean;
  /** Has a certificate for `localhost` and 127.0.0.1; `required` takes nobody without TLS but `postgres`. */
  readonly tls?: "offered" | "required";
  /** Settings of postgresql.conf: `{max_connections: 10}`. */
  readonly settings?: Settings;
}

export interface Login {
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  /** Parameters of the URL, after its `?`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Other ports of 127.0.0.1: of a proxy, or a standby. */
  readonly ports?: readonly number[];
}

interface StandbyOptions {
  readonly synchronous?: boolean;
  readonly port?: number;
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

const open = endedAtLast<Postgres>();

/**
 * Debian's server on a port of 127.0.0.1, with its socket and all it keeps in a folder of its own. Its
 * owner `postgres` needs no password, other roles do.
 */
export class Postgres {
  readonly port: number;
  readonly #process: PostgresProcess;
  #made = 0;

  private constructor(port: number, settings: Settings) {
    this.port = port;
    this.#process = new PostgresProcess(port, settings);
  }

  /** Ends with the tests of the file. */
  static async open(options: PostgresOptions = {}): Promise<Postgres> {
    const server = await Postgres.start(options);
    open.add(server);
    return server;
  }

  /** Ends when it is told to, or with this process. */
  static async start({ fsync = false, tls, settings }: PostgresOptions = {}): Promise<Postgres> {
    const server = new Postgres(await freePort(), {
      ...SETTINGS,
      ...(fsync ? {} : { fsync: "off", full_page_writes: "off" }),
      ...(tls && { ssl: "on", ssl_cert_file: "../server.pem", ssl_key_file: "../server.key" }),
      ...settings,
    });
    const { folder, data } = server.#process;
    newCluster(data);
    if (tls) makeCertificates(folder, "DNS:localhost,IP:127.0.0.1");
    if (tls)
      for (const file of ["server.pem", "server.key"]) giveToPostgres(join(folder, file), 0o600);
    const others = tls === "required" ? "hostssl" : "host";
    writeFileSync(
      join(data, "pg_hba.conf"),
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

  get folder(): string {
    return this.#process.folder;
  }

  /** PEM of who signed its certificate. */
  get caFile(): string {
    return join(this.folder, "ca.pem");
  }

  get log(): string {
    return this.#process.log;
  }

  /** `postgres://postgres@127.0.0.1:5432/postgres`; of several ports `…@127.0.0.1:5432,127.0.0.1:5433/…` */
  url({ database, user, password, parameters, ports }: Login = {}): string {
    const login = [user ?? "postgres", password].filter((part) => part !== undefined);
    const hosts = (ports ?? [this.port]).map((port) => `127.0.0.1:${port}`);
    const query = parameters ? `?${new URLSearchParams(parameters)}` : "";
    const path = `/${database ?? "postgres"}${query}`;
    return `postgres://${login.map(encodeURIComponent).join(":")}@${hosts}${path}`;
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
    const name = this.#unused("test");
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
    const user = this.#unused("writer");
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

  /**
   * A standby that has all there is and streams what comes. Synchronous, no commit is answered before
   * the standby has it; then the server waits for it when it is gone.
   */
  async standby({ synchronous = false, port }: StandbyOptions = {}): Promise<Postgres> {
    const name = this.#unused("standby");
    const { settings } = this.#process;
    const standby = new Postgres(port ?? (await freePort()), { ...settings, cluster_name: name });
    open.add(standby);
    await standby.#process.copyFrom(this.url());
    await standby.restart();
    if (synchronous) {
      await this.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await this.sql("SELECT pg_reload_conf()");
    }
    const streams = `application_name = '${name}' AND state = 'streaming'`;
    const waits = synchronous ? " AND sync_state = 'sync'" : "";
    const question = `SELECT 1 FROM pg_stat_replication WHERE ${streams}${waits}`;
    while ((await this.sql(question)).length === 0) await setTimeout(10);
    return standby;
  }

  /** Resolves when a standby has all that the other has by now. */
  async caughtUp(primary: Postgres): Promise<void> {
    const [{ at } = {}] = await primary.sql("SELECT pg_current_wal_lsn()::text AS at");
    const question = `SELECT 1 WHERE pg_last_wal_replay_lsn() >= '${at}'`;
    while ((await this.sql(question)).length === 0) await setTimeout(10);
  }

  /** Stops replication to this standby. */
  async lag(): Promise<void> {
    await this.sql("ALTER SYSTEM SET primary_conninfo = ''");
    await this.sql("SELECT pg_reload_conf()");
    while ((await this.sql("SELECT 1 FROM pg_stat_wal_receiver")).length > 0) await setTimeout(10);
  }

  /** All its processes stand still, as if its machine hung; or go on. */
  freeze(isFrozen = true): void {
    this.#process.freeze(isFrozen);
  }

  /** Puts what a database has, as a dump has it, into an empty one. */
  restoreDump(from: string, to: string): void {
    const [pgDump, dumping] = postgresCommand("pg_dump", [this.url({ database: from })]);
    const [psql, restoring] = postgresCommand("psql", ["-q", this.url({ database: to })]);
    const input = execFileSync(pgDump, dumping, { cwd: this.folder });
    execFileSync(psql, restoring, {
      cwd: this.folder,
      input,
      stdio: ["pipe", "ignore", "inherit"],
    });
  }

  /** Makes a standby a server that takes writes; resolves when it does. */
  async promote(): Promise<void> {
    await this.sql("SELECT pg_promote()");
  }

  /** Starts a server that does not run; resolves when it takes connections. */
  restart(): Promise<void> {
    return this.#process.start();
  }

  /** Ends it as an administrator does: what runs is broken off, what is committed is written. */
  stop(): Promise<void> {
    return this.#process.end("SIGINT");
  }

  /** Kills all its processes at once, as losing power would. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Ends it and removes its folder. */
  async end(): Promise<void> {
    open.delete(this);
    await this.#process.remove();
  }

  #unused(what: string): string {
    this.#made += 1;
    return `${what}_${this.#made}`;
  }
}

let shared: Promise<Postgres> | undefined;
afterAllFiles(async () => (await shared)?.end());

/** One for all files of a process, which nobody stops or kills. */
export function sharedPostgres(): Promise<Postgres> {
  shared ??= Postgres.start();
  return shared;
}

const cleared: string[] = [];

/** A database on the shared server that may have tables, and nothing in them. @returns its name */
export async function takeDatabase(): Promise<string> {
  return cleared.pop() ?? (await sharedPostgres()).createDatabase();
}

/**
 * Empties its tables for the next one: to make them anew takes a hundred times as long. One that a
 * test has made to be of another release is of use to nobody.
 */
export async function giveBackDatabase(name: string): Promise<void> {
  const server = await sharedPostgres();
  const [format] = await server.sql("SELECT value FROM meta WHERE key = 'format'", name);
  if (format !== undefined && format.value !== String(FLEET_FORMAT.format))
    return server.dropDatabase(name);
  await server.sql(CLEAR, name);
  cleared.push(name);
}

const CLEAR = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT tablename FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN ('meta', 'revision', 'generation')
  LOOP EXECUTE 'DELETE FROM ' || quote_ident(name); END LOOP;
  DELETE FROM meta WHERE key NOT IN ('format', '${READABLE_BY}');
END $$`;

/** An empty database for each test of the suite around it, on the shared server. @returns its name */
export function eachDatabase(): () => string {
  let database = "";
  beforeEach(async () => {
    database = await (await sharedPostgres()).createDatabase();
  });
  afterEach(async () => (await sharedPostgres()).dropDatabase(database));
  return () => database;
}
