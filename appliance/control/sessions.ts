import { DAY_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { type Documents, documentKind, NUMBER, objectOf, SESSION } from "../base/documents.ts";
import { isRefusal } from "../base/refusal.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { isSameHash, makeToken, sha256 } from "../base/system/secrets.ts";
import type { Numbers } from "../store/store.ts";

/** Names a session, the SHA-256 of its cookie in hex: it cannot be turned back into the cookie. */
export type SessionId = string;

/** Times are epoch milliseconds. */
interface KeptSession {
  readonly expiresAt: number;
}

/** Sessions by SessionId. */
export const SESSIONS = documentKind<KeptSession>(SESSION, objectOf({ expiresAt: NUMBER }), {
  bound: { count: 100, bytes: 1_024, together: 100 * 1_024 },
  inBackup: "left",
});

export interface SessionsOptions {
  documents: Documents<KeptSession>;
  numbers: Pick<Numbers, "directory" | "directoryChanged">;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}

export const SESSION_DAYS = 30;
const LIFE_MS = SESSION_DAYS * DAY_MS;
/** The most sessions. Beyond it, the one that would expire first is removed. No owner signs in on so many devices. */
const MAX_SESSIONS = SESSIONS.bound.count;

interface Session {
  /** Epoch milliseconds. */
  expiresAt: number;
  /** Monotonic milliseconds; undefined for one that an earlier start made. */
  endsAt: number | undefined;
}

/** The sessions that are signed in. Kept hashed in the store, so that a restart ends none. */
export class Sessions {
  readonly ended = new Signal<SessionId>();
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #subscriptions: Cancel[];

  private constructor(options: SessionsOptions) {
    this.#options = options;
    const { numbers, clock } = options;
    let { adminHash } = numbers.directory;
    this.#subscriptions = [
      clock.becameSure.on(() => void this.#restate()),
      numbers.directoryChanged.on((directory) => {
        if (isSameHash(directory.adminHash, adminHash)) return;
        adminHash = directory.adminHash;
        void this.#dropErased();
      }),
    ];
  }

  static async open(options: SessionsOptions): Promise<Sessions> {
    const kept = await options.documents.list().catch((error: unknown) => {
      if (!isRefusal(error, "storage_unavailable")) throw error;
      return [];
    });
    const sessions = new Sessions(options);
    for (const { id, body } of kept)
      sessions.#sessions.set(id, { expiresAt: body.expiresAt, endsAt: undefined });
    return sessions;
  }

  /** Begins a session. @returns the value of the cookie */
  async begin(): Promise<string> {
    const { clock, randomBytes } = this.#options;
    const { token: cookie, hash } = makeToken("", randomBytes);
    const id = hex(hash);
    const session = { expiresAt: clock.now() + LIFE_MS, endsAt: clock.monotonic() + LIFE_MS };
    this.#sessions.set(id, session);
    try {
      const stale = [...this.#sessions].filter(([, each]) => this.#isOver(each));
      const tooMany = [...this.#sessions].slice(0, Math.max(0, this.#sessions.size - MAX_SESSIONS));
      await this.end(...[...stale, ...tooMany].map(([each]) => each));
      await this.#save(id, session);
    } catch (error) {
      // The owner has to get in just then: the session lasts until the next restart.
      if (!isRefusal(error, "storage_unavailable")) throw error;
    }
    return cookie;
  }

  /** The session a cookie opens; undefined when there is none, or it has ended. */
  find(cookie: string | undefined): SessionId | undefined {
    if (cookie === undefined) return undefined;
    const id = hex(sha256(cookie));
    return this.isOpen(id) ? id : undefined;
  }

  isOpen(id: SessionId): boolean {
    const session = this.#sessions.get(id);
    return session !== undefined && !this.#isOver(session);
  }

  async end(...ids: readonly SessionId[]): Promise<void> {
    if (ids.length === 0) return;
    // Sessions end at once, even where this cannot be stored.
    this.#forget(ids);
    await this.#options.documents.change({ remove: ids });
  }

  /** Signs everybody out, but `kept`. */
  async endOthers(kept: SessionId | undefined): Promise<void> {
    await this.end(...[...this.#sessions.keys()].filter((id) => id !== kept));
  }

  /** Stops timers and listeners. Sessions stay. */
  close(): void {
    for (const cancel of this.#subscriptions) cancel();
  }

  /** Another admin token erased the sessions that the one before had opened. */
  async #dropErased(): Promise<void> {
    const before = [...this.#sessions.keys()];
    // All sessions end where the store cannot be read.
    const documents = await this.#options.documents.list().catch(() => []);
    const kept = new Set(documents.map(({ id }) => id));
    this.#forget(before.filter((id) => !kept.has(id)));
  }

  #isOver({ expiresAt, endsAt }: Session): boolean {
    if (endsAt !== undefined) return this.#options.clock.monotonic() >= endsAt;
    // A clock that is not set cannot say that anything is over.
    return this.#options.clock.sure && this.#options.clock.now() >= expiresAt;
  }

  #forget(ids: readonly SessionId[]): void {
    for (const id of ids) this.#sessions.delete(id);
    for (const id of ids) this.ended.emit(id);
  }

  /** Sessions that began before the clock was set were given a wrong end. */
  async #restate(): Promise<void> {
    for (const [id, session] of this.#sessions) {
      if (session.endsAt === undefined) continue;
      session.expiresAt =
        this.#options.clock.now() + session.endsAt - this.#options.clock.monotonic();
      // A failure ends the session with the next restart at worst.
      await this.#save(id, session).catch(() => {});
    }
  }

  #save(id: SessionId, { expiresAt }: Session): Promise<void> {
    const body = { expiresAt: Math.round(expiresAt) };
    return this.#options.documents.change({ put: [{ id, body }] });
  }
}

function hex(hash: Uint8Array): SessionId {
  return Buffer.from(hash).toString("hex");
}
