import { Socket } from "node:net";
import pg from "pg";
import type { Clock } from "../../../base/clock.ts";
import { Turns } from "../../../base/turns.ts";
import type { Statement } from "../../sql.ts";
import { cancelCommit, processOf } from "./cancel.ts";
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
import { meet, newestOf } from "./newest.ts";
import { Pauses } from "./pauses.ts";
import { NOWHERE, PLACES, placeOf, placeText, Seen, type ServerPlace } from "./place.ts";
import { type ConnectionSettings, type DatabaseHost, tlsOf } from "./url.ts";

export interface Sql {
  /**
   * One statement; rows by column name: int8 and numeric as number, bytea as Uint8Array. Arrays go in
   * as JS arrays: `unnest($1::int[], $2::text[])`.
   */
  rows<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Several at once, without waiting in between. @returns the rows of each */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]>;
}

/** SQL that runs in a transaction. */
export interface Transaction extends Sql {
  /** Where it does, see `placeText`. */
  readonly place: string;
}

type Role = "commit" | "chores" | "reads";

interface ConnectionOptions {
  readonly clock: Clock;
  readonly role: Role;
  /** 0–1, for the length of pauses. */
  readonly random?: () => number;
  /** The servers that all connections of a process have seen; else it knows its own alone. */
  readonly seen?: Seen;
}

/** Longer than a database that lives takes; then the connection is given up. */
const ANSWER_MS: Readonly<Record<Role, number>> = { commit: 10_000, chores: 30_000, reads: 60_000 };
const KEEP_ALIVE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const GOODBYE_MS = 1_000;
/** How often it is looked whether the server that is to answer is still the one to ask. */
const LOOK_MS = 1_000;
/** A statement that runs when it is closed has so long. */
const LAST_ANSWER_MS = 3_000;
/** How often a transaction is run that others are in the way of. */
const TRIES = 8;
const RETRY_MS = 10;

/** Where the rest of a transaction never comes, the server ends it: its rows would stay locked for hours. */
const SILENCE = "SET LOCAL idle_in_transaction_session_timeout = '15s'";
/**
 * The server gives a lock up before we give the answer up: else one commit that waits for a standby
 * makes each connection after it a process there that waits for the lock of the first.
 */
const LOCK_SHARE = 0.6;
const begin = (role: Role) =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; ${SILENCE}; SET LOCAL lock_timeout = ${LOCK_SHARE * ANSWER_MS[role]}`;
const BEGIN_READ = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SILENCE}`;

/** A client and the socket that it uses. */
interface Live {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly host: DatabaseHost;
  place: ServerPlace;
  /**
   * SQL that each transaction begins with besides, where a pooler stands between: another server may answer
   * then than the one whose place is known.
   */
  guard: string;
  isLost: boolean;
}

/**
 * One connection, made when it is first asked for and again when it was lost: hosts in turn until one
 * will do, or of all at once that which takes writes and has the newest timeline; with growing pauses
 * once all have failed. Each answer has a bounded time. Requests are done one after the other; only
 * `all` and `pipeline` do not wait in between.
 */
export class Connection implements Sql {
  readonly #settings: ConnectionSettings;
  readonly #clock: Clock;
  readonly #role: Role;
  readonly #turns = new Turns();
  readonly #seen: Seen;
  #live: Live | undefined;
  /** Of connections that are being made. */
  readonly #opening = new Set<Socket>();
  #cancelling: Socket | undefined;
  /** How often it was lost, or could not be made, since something was done. */
  #failures = 0;
  #made = 0;
  #retries = 0;
  #isClosed = false;
  /** Requests made by now are given up, too. */
  #isCut = false;
  readonly #pauses: Pauses;

  constructor(
    settings: ConnectionSettings,
    { clock, role, random = Math.random, seen = new Seen() }: ConnectionOptions,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#role = role;
    this.#seen = seen;
    this.#pauses = new Pauses(clock, random);
  }

  /** @throws {Away} when there is no connection {Lost} when there is none any more; and what the server refuses */
  rows<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]> {
    return this.#take(async (live) => (await this.#ask<T>(live, { text, values })).rows);
  }

  /** @throws as `rows`, of the first that failed */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]> {
    return this.#take(async (live) =>
      (await this.#askAll(live, statements)).map(({ rows }) => rows),
    );
  }

  /**
   * Runs `task` in a transaction, READ COMMITTED; with `read` REPEATABLE READ READ ONLY. Where other
   * transactions are in its way, it is run again. Rows read are of the newest server that was seen.
   * @throws {Away} {Lost} when it may be done or not; and what `task` throws
   */
  async transaction<T>(
    task: (sql: Transaction) => Promise<T>,
    { read = false }: { read?: boolean } = {},
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#take((live) =>
          this.#transact(live, task, read ? BEGIN_READ : begin(this.#role)),
        );
      } catch (error) {
        if (!isSerialization(error) || tries >= TRIES) throw error;
        this.#retries += 1;
        await this.#pauses.after(tries, RETRY_MS, LONGEST_PAUSE_MS);
      }
    }
  }

  /**
   * A transaction of these statements in one round trip. Never repeated.
   * @param make takes where they will run, see `placeText`
   * @returns the rows of each
   * @throws {Away} when nothing was sent {Lost} when it may be done or not; else what the server
   * refuses, and nothing was done
   */
  pipeline(
    make: readonly Statement[] | ((place: string) => readonly Statement[]),
  ): Promise<readonly (readonly object[])[]> {
    return this.#take(async (live) => {
      const statements = typeof make === "function" ? make(placeText(live.place)) : make;
      const begun = this.#begin(live, begin(this.#role));
      begun.catch(() => {});
      const all = [...statements, { text: COMMIT }];
      const results = await this.#askAll(live, all, { endsWithCommit: true }).catch((error) =>
        begun.then(() => Promise.reject(error)),
      );
      return results.slice(0, -1).map(({ rows }) => rows);
    });
  }

  /**
   * Looks whether another of the hosts has taken the place of the one that is used: then all connections
   * that know of it leave for that. No other request waits for it.
   */
  async lookAround(): Promise<void> {
    const { hosts, writable } = this.#settings;
    if (!writable) return;
    const others = hosts.filter((host) => host !== this.#live?.host);
    await Promise.all(
      others.map(async (host) => {
        const live = await this.#connect(host).catch(() => undefined);
        if (live === undefined) return;
        if (!this.#isClosed) this.#seen.meet(live.place);
        await this.#leave(live);
      }),
    );
  }

  /** Ends it after what was asked, for which it waits not for long; what waits for a connection fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    const cancel = this.#clock.after(LAST_ANSWER_MS, () => this.#destroy());
    await this.#turns.take(async () => {
      if (this.#live !== undefined && !this.#live.isLost) await this.#leave(this.#live);
    });
    cancel();
    // Hosts that have not answered are waited for no longer.
    this.#destroy();
  }

  /** Ends it at once: what waits for an answer is lost. */
  async cut(): Promise<void> {
    this.#isClosed = true;
    this.#destroy();
    await this.close();
  }

  async #leave(live: Live): Promise<void> {
    await this.#within(live, GOODBYE_MS, live.client.end()).catch(() => {});
    live.socket.destroy();
  }

  #cancel({ client, host }: Live): void {
    this.#cancelling?.destroy();
    this.#cancelling = cancelCommit(client, host);
  }

  #destroy(): void {
    this.#isCut = true;
    this.#live?.socket.destroy();
    for (const socket of this.#opening) socket.destroy();
    this.#cancelling?.destroy();
  }

  /** Whether it is there now; how often it was made again, and transactions were run again. */
  get figures(): {
    readonly isOpen: boolean;
    readonly reconnects: number;
    readonly retries: number;
  } {
    const isOpen = this.#live !== undefined && !this.#live.isLost;
    return { isOpen, reconnects: Math.max(0, this.#made - 1), retries: this.#retries };
  }

  #take<T>(task: (live: Live) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const live = await this.#connected();
      try {
        const done = await task(live);
        this.#failures = 0;
        return done;
      } finally {
        if (live.isLost) this.#failures += 1;
      }
    });
  }

  async #connected(): Promise<Live> {
    // Another connection may have met the server that took this one's place.
    if (this.#live && this.#seen.isPast(this.#live.place)) lose(this.#live);
    if (this.#live !== undefined && !this.#live.isLost) return this.#live;
    if (this.#failures > 0)
      await this.#pauses.after(this.#failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    if (this.#isClosed) throw new Away("the connection is closed");
    try {
      this.#live = await (this.#settings.writable ? this.#newest() : this.#first());
    } catch (error) {
      this.#failures += 1;
      throw new Away(error);
    }
    this.#made += 1;
    return this.#live;
  }

  #newest(): Promise<Live> {
    const asked = this.#settings.hosts.map((host) => this.#connect(host));
    return newestOf(asked, { clock: this.#clock, seen: this.#seen, lose });
  }

  async #first(): Promise<Live> {
    let cause: unknown;
    for (const host of this.#settings.hosts) {
      try {
        const live = await this.#connect(host);
        try {
          meet(live.place, this.#seen);
          return live;
        } catch (error) {
          lose(live);
          throw error;
        }
      } catch (error) {
        cause ??= error;
      }
    }
    throw cause;
  }

  async #connect(host: DatabaseHost): Promise<Live> {
    const { mode } = this.#settings.ssl;
    const isPlain = mode === "disable" || host.host.startsWith("/");
    const live = await this.#open(host, !isPlain).catch((error) => {
      if (mode === "prefer" && !isPlain && /does not support SSL/.test(error.message))
        return this.#open(host, false);
      throw error;
    });
    try {
      await this.#lookWhere(live);
      if (this.#settings.writable) await this.#refuseReadOnly(live);
      return live;
    } catch (error) {
      live.socket.destroy();
      throw error;
    } finally {
      this.#opening.delete(live.socket);
    }
  }

  async #refuseReadOnly(live: Live): Promise<void> {
    const [row] = (await this.#ask<Record<string, string>>(live, SHOW_READ_ONLY)).rows;
    if (row?.transaction_read_only !== "on") return;
    throw isStandby(live)
      ? Object.assign(new Error("cannot write: the server is a standby"), STANDBY)
      : new WritesOff();
  }

  /** Servers that know none of these expressions have no place. */
  async #lookWhere(live: Live): Promise<void> {
    for (const place of PLACES) {
      const text = `SELECT ${place} AS place, pg_backend_pid() AS pid`;
      const [row] = (
        await this.#ask<{ place: string; pid: number }>(live, { text }).catch((error) => {
          if (live.isLost) throw error;
          return { rows: [] };
        })
      ).rows;
      if (row === undefined) continue;
      live.place = placeOf(row.place);
      const isPooled = row.pid !== processOf(live.client);
      live.guard = isPooled ? `; SELECT 1 / (${place} = '${row.place}')::int` : "";
      return;
    }
  }

  /** Its socket stays among those of connections that are being made. */
  async #open(at: DatabaseHost, encrypted: boolean): Promise<Live> {
    if (this.#isCut) throw new Error("the connection is closed");
    const { host, port } = at;
    const { user, password = "", database, name, options, connectTimeoutMs } = this.#settings;
    const socket = new Socket();
    this.#opening.add(socket);
    const client = new pg.Client({
      host,
      port,
      user,
      database,
      // A function, for nothing else keeps the driver from looking for a file of passwords.
      password: () => password,
      application_name: name === undefined ? "tallydeck" : `tallydeck ${name}`,
      ...(options !== undefined && { options }),
      ssl: encrypted && tlsOf(this.#settings.ssl),
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
      types: { getTypeParser },
    });
    const live: Live = { client, socket, host: at, place: NOWHERE, guard: "", isLost: false };
    const lost = () => {
      live.isLost = true;
    };
    client.on("error", lost);
    client.on("end", lost);
    try {
      await this.#within(live, connectTimeoutMs, client.connect());
      return live;
    } catch (error) {
      socket.destroy();
      this.#opening.delete(socket);
      throw error;
    }
  }

  /**
   * @throws {Away} where another server answers than the one whose place is known
   */
  async #begin(live: Live, text: string): Promise<void> {
    try {
      await this.#ask(live, { text: text + live.guard });
    } catch (error) {
      if (!isDivisionByZero(error)) throw error;
      lose(live);
      throw new Away("the pooler leads to another server than before");
    }
  }

  async #transact<T>(
    live: Live,
    task: (sql: Transaction) => Promise<T>,
    begin: string,
  ): Promise<T> {
    // Not waited for: what comes next fails with it.
    const begun = this.#begin(live, begin);
    begun.catch(() => {});
    let result: T;
    try {
      result = await task({
        place: placeText(live.place),
        rows: async <R extends object>(text: string, values?: readonly unknown[]) =>
          (await this.#ask<R>(live, { text, values })).rows,
        all: async (statements) => (await this.#askAll(live, statements)).map(({ rows }) => rows),
      });
      await begun;
    } catch (error) {
      const cause = await begun.then(
        () => error,
        (reason) => reason,
      );
      if (!live.isLost) await this.#ask(live, { text: "ROLLBACK" }).catch(() => {});
      throw cause;
    }
    checkCommit(await this.#ask(live, { text: COMMIT }).catch(unsure));
    // Meanwhile it may have been heard that another server took this one's place.
    if (begin === BEGIN_READ && this.#seen.isPast(live.place)) {
      lose(live);
      throw new Lost(REPLACED);
    }
    return result;
  }

  /** The first that failed tells what became of all: the server answers in the order it was asked. */
  async #askAll(
    live: Live,
    statements: readonly Statement[],
    { endsWithCommit = false } = {},
  ): Promise<pg.QueryResult[]> {
    const asked = await Promise.allSettled(statements.map((each) => this.#ask(live, each)));
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
  async #ask<T extends object>(
    live: Live,
    { text, values }: { text: string; values?: readonly unknown[] | undefined },
  ): Promise<pg.QueryResult<T>> {
    const answer = live.client.query<T>(text, values as unknown[] | undefined);
    try {
      const overdue = text === COMMIT ? () => this.#cancel(live) : undefined;
      return await this.#within(live, ANSWER_MS[this.#role], answer, overdue);
    } catch (error) {
      // Only the server knows what became of it.
      if (!isLost(error) && sqlStateOf(error) !== undefined) throw error;
      live.isLost = true;
      live.socket.destroy();
      if (error instanceof Lost) throw error;
      if (!isReadOnly(error)) throw new Lost(error);
      throw new Away(isStandby(live) ? error : new WritesOff());
    }
  }

  /**
   * Waits for an answer so long, or until another server has taken the place of the one that is asked;
   * then the socket is cut, which fails all that waits for it.
   */
  async #within<T>(live: Live, ms: number, answer: Promise<T>, overdue?: () => void): Promise<T> {
    let reason: string | undefined;
    const end = this.#clock.monotonic() + ms;
    const waitOn = () =>
      this.#clock.after(Math.min(LOOK_MS, end - this.#clock.monotonic()), () => {
        if (this.#seen.isPast(live.place)) reason = REPLACED;
        else if (this.#clock.monotonic() >= end) reason = `no answer within ${ms / 1_000} seconds`;
        if (reason === undefined) {
          cancel = waitOn();
          return;
        }
        if (!live.isLost) overdue?.();
        lose(live);
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
}

const REPLACED = "another server has taken the place of this one";

const COMMIT = "COMMIT";

const SHOW_READ_ONLY = { text: "SHOW transaction_read_only" };
/** As the server itself would say at the first write. */
const STANDBY = { code: "25006", severity: "ERROR" };

/** Whether it is a standby, or no PostgreSQL: a server that takes writes tells where it is. */
function isStandby({ place }: Live): boolean {
  return place.timeline === 0;
}

function lose(live: Live): void {
  live.isLost = true;
  live.socket.destroy();
}

/** A transaction that failed at its commit may be committed, unless the server says that others were in the way. */
function unsure(error: unknown): never {
  const isKnown = isSerialization(error) || error instanceof Lost || error instanceof Away;
  throw isKnown ? error : new Lost(error);
}

/** A server that is told to commit what failed before answers that it did not, and calls it a success. */
function checkCommit({ command }: pg.QueryResult): void {
  if (command !== COMMIT) throw new Error("a transaction was taken back by the database");
}

/** Numbers stay below 2^53: they are ids, days and counts. */
const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

function getTypeParser(oid: number, format?: "text" | "binary") {
  return NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format);
}
