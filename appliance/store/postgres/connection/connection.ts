import type { Socket } from "node:net";
import type { Clock } from "../../../base/clock.ts";
import { Mutex } from "../../../base/tasks/mutex.ts";
import type { Sql, Statement } from "../../sql.ts";
import { Away, isSerialization } from "./errors.ts";
import { Link, type Role } from "./link.ts";
import { Pauses } from "./pauses.ts";
import { meet, newestOf, SeenServers } from "./place.ts";
import type { ServerSql } from "./sql.ts";
import type { ConnectionSettings, DatabaseHost } from "./url.ts";

interface ConnectionOptions {
  readonly clock: Clock;
  readonly role: Role;
  /** 0–1, for the length of pauses. */
  readonly random?: () => number;
  /** The servers that all connections of a process have seen; those of this connection unless given. */
  readonly seen?: SeenServers;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A statement that runs when it is closed has so long. */
const LAST_ANSWER_MS = 3_000;
/** The attempts at a transaction that conflicts with others. */
const TRIES = 8;
const RETRY_MS = 10;

/**
 * One connection, opened for the first request, and again after it was lost. It tries the hosts in turn, or, for
 * writing, all at once, and takes the one with the newest timeline; after a failure of all, it pauses for longer and
 * longer. Each answer has a time limit. Requests run one after the other; only `all` and `pipeline` do not wait in
 * between.
 */
export class Connection implements Sql {
  readonly #settings: ConnectionSettings;
  readonly #clock: Clock;
  readonly #role: Role;
  readonly #mutex = new Mutex();
  readonly #seen: SeenServers;
  #live: Link | undefined;
  /** Connections that are being made. */
  readonly #opening = new Set<Link>();
  #cancelling: Socket | undefined;
  /** The number of lost or failed connections since the last success. */
  #failures = 0;
  #made = 0;
  #retries = 0;
  #isClosed = false;
  /** Requests made by now are given up, too. */
  #isCut = false;
  readonly #pauses: Pauses;

  constructor(
    settings: ConnectionSettings,
    { clock, role, random = Math.random, seen = new SeenServers() }: ConnectionOptions,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#role = role;
    this.#seen = seen;
    this.#pauses = new Pauses(clock, random);
  }

  /** @throws {Away} when there is no connection {Lost} when there is none any more; and what the server refuses */
  rows<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]> {
    return this.#take(async (live) => (await live.ask<T>({ text, values })).rows);
  }

  /** @throws as `rows`, of the first that failed */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]> {
    return this.#take(async (live) => (await live.askAll(statements)).map(({ rows }) => rows));
  }

  /**
   * Runs `task` in a transaction, READ COMMITTED; with `read` REPEATABLE READ READ ONLY. Where other
   * transactions are in its way, it is run again. Rows read are of the newest server that was seen.
   * @throws {Away} {Lost} when it may be done or not; and what `task` throws
   */
  async transaction<T>(
    task: (sql: ServerSql) => Promise<T>,
    { read = false }: { read?: boolean } = {},
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#take((live) => live.transact(task, read));
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
    return this.#take((live) => live.pipeline(make));
  }

  /**
   * Checks whether another host was promoted in place of the current one. If so, all connections that share `seen`
   * move to it. No request waits for this.
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
        await live.leave();
      }),
    );
  }

  /** Closes it after the pending requests, for a short time at most; requests that wait for a connection fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    const cancel = this.#clock.after(LAST_ANSWER_MS, () => this.#destroy());
    await this.#mutex.runExclusive(async () => {
      if (this.#live !== undefined && !this.#live.isLost) await this.#live.leave();
    });
    cancel();
    // Hosts that have not answered are waited for no longer.
    this.#destroy();
  }

  /** Closes it at once; pending requests fail as lost. */
  async cut(): Promise<void> {
    this.#isClosed = true;
    this.#destroy();
    await this.close();
  }

  #destroy(): void {
    this.#isCut = true;
    this.#live?.lose();
    for (const link of this.#opening) link.lose();
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

  #take<T>(task: (live: Link) => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(async () => {
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

  async #connected(): Promise<Link> {
    // Another connection may have met the server that took this one's place.
    if (this.#live && this.#seen.isPast(this.#live.place)) this.#live.lose();
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

  #newest(): Promise<Link> {
    const asked = this.#settings.hosts.map((host) => this.#connect(host));
    return newestOf(asked, { clock: this.#clock, seen: this.#seen });
  }

  async #first(): Promise<Link> {
    let cause: unknown;
    for (const host of this.#settings.hosts) {
      try {
        const live = await this.#connect(host);
        try {
          meet(live.place, this.#seen);
          return live;
        } catch (error) {
          live.lose();
          throw error;
        }
      } catch (error) {
        cause ??= error;
      }
    }
    throw cause;
  }

  async #connect(host: DatabaseHost): Promise<Link> {
    const { mode } = this.#settings.ssl;
    const isPlain = mode === "disable" || host.host.startsWith("/");
    const live = await this.#open(host, !isPlain).catch((error) => {
      if (mode === "prefer" && !isPlain && /does not support SSL/.test(error.message))
        return this.#open(host, false);
      throw error;
    });
    try {
      await live.lookWhere();
      if (this.#settings.writable) await live.refuseReadOnly();
      return live;
    } catch (error) {
      live.lose();
      throw error;
    } finally {
      this.#opening.delete(live);
    }
  }

  /** Opens a link, which is listed as being opened meanwhile. */
  async #open(host: DatabaseHost, encrypted: boolean): Promise<Link> {
    if (this.#isCut) throw new Error("the connection is closed");
    const link = new Link(host, this.#settings, {
      encrypted,
      clock: this.#clock,
      role: this.#role,
      seen: this.#seen,
      onOverdue: (late) => {
        this.#cancelling?.destroy();
        this.#cancelling = late.cancel();
      },
    });
    this.#opening.add(link);
    try {
      await link.connect();
      return link;
    } catch (error) {
      link.lose();
      this.#opening.delete(link);
      throw error;
    }
  }
}
