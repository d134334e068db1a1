import { createConnection, Socket } from "node:net";
import pg from "pg";
import type { Clock } from "../../../base/clock.ts";
import type { Statement } from "../../sql.ts";
import {
  Away,
  isDivisionByZero,
  isLost,
  isReadOnly,
  isSerialization,
  Lost,
  sqlStateOf,
  WritesOff,
} from "./errors.ts";
import {
  NOWHERE,
  PLACES,
  placeOf,
  placeText,
  type SeenServers,
  type ServerPlace,
} from "./place.ts";
import type { ServerSql } from "./sql.ts";
import { type ConnectionSettings, type DatabaseHost, tlsOf } from "./url.ts";

export type Role = "commit" | "chores" | "reads";

/** Longer than a database that lives takes; then the connection is given up. */
const ANSWER_MS: Readonly<Record<Role, number>> = { commit: 10_000, chores: 30_000, reads: 60_000 };
const KEEP_ALIVE_MS = 10_000;
const GOODBYE_MS = 1_000;
/** The interval of checks whether the server that should answer is still the right one. */
const LOOK_MS = 1_000;

/** The server ends a transaction whose rest never comes: its rows would stay locked for hours. */
const SILENCE = "SET LOCAL idle_in_transaction_session_timeout = '15s'";
/** The server would compile what it reads, which takes it longer than reading, as long as it knows nothing of new tables. */
const NO_COMPILER = "SET LOCAL jit = off";
/**
 * The share of our time limit after which the server stops waiting for a lock. Otherwise, while one commit waits for
 * a standby, each new connection would leave a process on the server that waits for the lock of the first.
 */
const LOCK_SHARE = 0.6;
const begin = (role: Role) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; ${SILENCE}; ${NO_COMPILER}; SET LOCAL lock_timeout = ${LOCK_SHARE * ANSWER_MS[role]}`;
/** A reader computes between two statements, however long; of one whose machine is gone, the kernel tells the server. */
const PATIENCE =
  "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL tcp_keepalives_idle = 30; " +
  "SET LOCAL tcp_keepalives_interval = 10; SET LOCAL tcp_keepalives_count = 3";
const BEGIN_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PATIENCE}; ${NO_COMPILER}`;

interface LinkOptions {
  readonly clock: Clock;
  readonly role: Role;
  readonly seen: SeenServers;
  /** A commit was not answered in time. */
  readonly onOverdue: (link: Link) => void;
}

/** The rows of a statement, and the word of it that the server did. */
interface Answered<T> {
  readonly command: string;
  readonly rows: T[];
}

/** A client of the driver and the socket that it uses, to one server, until it is lost. */
export class Link {
  readonly host: DatabaseHost;
  place: ServerPlace = NOWHERE;
  isLost = false;
  readonly #client: pg.Client;
  readonly #socket = new Socket();
  readonly #options: LinkOptions;
  readonly #connectTimeoutMs: number;
  /**
   * SQL at the beginning of each transaction behind a pooler, which fails on another server than the one whose place
   * is known.
   */
  #guard = "";

  constructor(
    at: DatabaseHost,
    settings: ConnectionSettings,
    { encrypted, ...options }: LinkOptions & { readonly encrypted: boolean },
  ) {
    const { host, port } = at;
    const { user, password = "", database, name, options: more, connectTimeoutMs } = settings;
    this.host = at;
    this.#options = options;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.#client = new pg.Client({
      host,
      port,
      user,
      database,
      // A function keeps the driver from looking for a password file.
      password: () => password,
      application_name: name === undefined ? "tallydeck" : `tallydeck ${name}`,
      ...(more !== undefined && { options: more }),
      ssl: encrypted && tlsOf(settings.ssl),
      stream: () => this.#socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
      types: { getTypeParser },
    });
    const lost = () => {
      this.isLost = true;
    };
    this.#client.on("error", lost);
    this.#client.on("end", lost);
  }

  async connect(): Promise<void> {
    await this.#within(this.#connectTimeoutMs, this.#client.connect());
  }

  /** Finds the place of the server; one that knows none of these expressions has none. */
  async lookWhere(): Promise<void> {
    for (const place of PLACES) {
      const text = `SELECT ${place} AS place, pg_backend_pid() AS pid`;
      const [row] = await this.ask<{ place: string; pid: number }>({ text }).then(
        ({ rows }) => rows,
        (error) => {
          if (this.isLost) throw error;
          return [];
        },
      );
      if (row === undefined) continue;
      this.place = placeOf(row.place);
      const isPooled = row.pid !== processOf(this.#client);
      this.#guard = isPooled ? `; SELECT 1 / (${place} = '${row.place}')::int` : "";
      return;
    }
  }

  /** @throws {Error} where the server takes no writes */
  async refuseReadOnly(): Promise<void> {
    const [row] = (await this.ask<Record<string, string>>(SHOW_READ_ONLY)).rows;
    if (row?.transaction_read_only !== "on") return;
    throw this.#isStandby
      ? Object.assign(new Error("cannot write: the server is a standby"), STANDBY)
      : new WritesOff();
  }

  /** Ends it, and waits for that, but not for long. */
  async leave(): Promise<void> {
    await this.#within(GOODBYE_MS, this.#client.end()).catch(() => {});
    this.#socket.destroy();
  }

  /** Cuts the connection. */
  lose(): void {
    this.isLost = true;
    this.#socket.destroy();
  }

  /** See `cancelCommit`. */
  cancel(): Socket {
    return cancelCommit(this.#client, this.host);
  }

  async transact<T>(task: (sql: ServerSql) => Promise<T>, read: boolean): Promise<T> {
    // The begin is not awaited: the next statement fails with it.
    const begun = this.#begin(read ? BEGIN_READ : begin(this.#options.role));
    begun.catch(() => {});
    let result: T;
    try {
      result = await task({
        place: placeText(this.place),
        rows: async <R extends object>(text: string, values?: readonly unknown[]) =>
          (await this.ask<R>({ text, values })).rows,
        all: async (statements) => (await this.askAll(statements)).map(({ rows }) => rows),
      });
      await begun;
    } catch (error) {
      const cause = await begun.then(
        () => error,
        (reason) => reason,
      );
      if (!this.isLost) await this.ask({ text: "ROLLBACK" }).catch(() => {});
      throw cause;
    }
    checkCommit(await this.ask({ text: COMMIT }).catch(unsure));
    // Another connection may have found meanwhile that a new server replaced this one.
    if (read && this.#options.seen.isPast(this.place)) {
      this.lose();
      throw new Lost(REPLACED);
    }
    return result;
  }

  /** A transaction of these statements in one round trip. @returns the rows of each */
  async pipeline(
    make: readonly Statement[] | ((place: string) => readonly Statement[]),
  ): Promise<readonly (readonly object[])[]> {
    const statements = typeof make === "function" ? make(placeText(this.place)) : make;
    const begun = this.#begin(begin(this.#options.role));
    begun.catch(() => {});
    const all = [...statements, { text: COMMIT }];
    const results = await this.askAll(all, { endsWithCommit: true }).catch((error) =>
      begun.then(() => Promise.reject(error)),
    );
    return results.slice(0, -1).map(({ rows }) => rows);
  }

  /** Asks all at once. The first failure is that of all, since the server answers in order. */
  async askAll(
    statements: readonly Statement[],
    { endsWithCommit = false } = {},
  ): Promise<Answered<object>[]> {
    const asked = await Promise.allSettled(statements.map((each) => this.ask(each)));
    const failed = asked.findIndex(({ status }) => status === "rejected");
    const results = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const last = results.at(-1);
    if (failed < 0) {
      if (endsWithCommit && last !== undefined) checkCommit(last);
      return results;
    }
    const { reason } = asked[failed] as PromiseRejectedResult;
    if (endsWithCommit && failed === asked.length - 1) unsure(reason);
    throw reason;
  }

  /** @throws {Lost} and what the server refuses */
  async ask<T extends object>({
    text,
    values,
  }: {
    text: string;
    values?: readonly unknown[] | undefined;
  }): Promise<Answered<T>> {
    const answer = this.#client.query<T>(text, values as unknown[] | undefined);
    const { role, onOverdue } = this.#options;
    try {
      const overdue = text === COMMIT ? () => onOverdue(this) : undefined;
      return await this.#within(ANSWER_MS[role], answer, overdue);
    } catch (error) {
      // An error with a state is the server's own answer: the statement was not carried out.
      if (!isLost(error) && sqlStateOf(error) !== undefined) throw error;
      this.lose();
      if (error instanceof Lost) throw error;
      if (!isReadOnly(error)) throw new Lost(error);
      throw new Away(this.#isStandby ? error : new WritesOff());
    }
  }

  /** @throws {Away} where another server answers than the one whose place is known */
  async #begin(text: string): Promise<void> {
    try {
      await this.ask({ text: text + this.#guard });
    } catch (error) {
      if (!isDivisionByZero(error)) throw error;
      this.lose();
      throw new Away("the pooler leads to another server than before");
    }
  }

  /**
   * Waits for an answer until the time is over, or until another server was promoted in place of this one. Then it
   * cuts the socket, which fails all pending requests.
   */
  async #within<T>(ms: number, answer: Promise<T>, overdue?: () => void): Promise<T> {
    const { clock, seen } = this.#options;
    let reason: string | undefined;
    const end = clock.monotonic() + ms;
    const waitOn = () =>
      clock.after(Math.min(LOOK_MS, end - clock.monotonic()), () => {
        if (seen.isPast(this.place)) reason = REPLACED;
        else if (clock.monotonic() >= end) reason = `no answer within ${ms / 1_000} seconds`;
        if (reason === undefined) {
          cancel = waitOn();
          return;
        }
        if (!this.isLost) overdue?.();
        this.lose();
      });
    let cancel = waitOn();
    try {
      return await answer;
    } catch (error) {
      throw reason === undefined ? error : new Lost(reason);
    } finally {
      cancel();
    }
  }

  /** Whether it is a standby, or no PostgreSQL: only a server that takes writes has a place. */
  get #isStandby(): boolean {
    return this.place.timeline === 0;
  }
}

const REPLACED = "another server has taken the place of this one";

const COMMIT = "COMMIT";

const SHOW_READ_ONLY = { text: "SHOW transaction_read_only" };
/** The error of the server itself at a first write. */
const STANDBY = { code: "25006", severity: "ERROR" };

/** A transaction that failed at its commit may be committed, unless the server says that others were in the way. */
function unsure(error: unknown): never {
  const isKnown = isSerialization(error) || error instanceof Lost || error instanceof Away;
  throw isKnown ? error : new Lost(error);
}

/** Checks for a rollback: a server that commits a failed transaction reports ROLLBACK as a success. */
function checkCommit({ command }: Answered<object>): void {
  if (command !== COMMIT) throw new Error("a transaction was taken back by the database");
}

/** Numbers stay below 2^53: they are ids, days and counts. */
const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

function getTypeParser(oid: number, format?: "text" | "binary") {
  return NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format);
}

/** The code of a cancel request in PostgreSQL's protocol, which needs no login and no TLS. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Cancels the server's wait for a standby with a commit that we have given up: otherwise each of them keeps a
 * process there. The commit stays, and a connection that looks it up waits for the standby itself.
 * @returns the socket of the cancel request, which ends by itself
 */
function cancelCommit(client: object, { host, port }: DatabaseHost): Socket {
  const socket = createConnection(
    host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
  socket.on("error", () => {});
  const { processID, secretKey } = client as Keys;
  const request = Buffer.alloc(16);
  for (const [at, n = 0] of [request.length, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(n, 4 * at);
  socket.resume().end(request);
  return socket;
}

/** The driver keeps them for its own use, and names them nowhere. */
type Keys = Readonly<Record<"processID" | "secretKey", number | undefined>>;

/** The server's process for a connection, as the peer that answered at first calls it: perhaps a pooler. */
function processOf(client: object): number | undefined {
  return (client as Keys).processID;
}
