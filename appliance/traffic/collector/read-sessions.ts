import type { Clock } from "../../base/clock.ts";
import { isSameSecret, makeToken, sha256 } from "../../base/system/secrets.ts";
import { SCHEMES } from "../../base/tokens.ts";

/** The lifetime of a code that is not redeemed. */
export const CODE_MS = 60_000;
/** The length of a session after its code was redeemed. */
export const SESSION_MS = 12 * 3_600_000;
/** Limits, beyond which the oldest is removed. No owner opens so many dashboards. */
const MAX_CODES = 16;
const MAX_SESSIONS = 64;

interface Held {
  readonly hash: Uint8Array;
  /** Monotonic milliseconds. */
  readonly endsAt: number;
  /** The session that let this one in; undefined where no sign-in is needed. */
  readonly by: string | undefined;
}

interface ReadSessionsOptions {
  clock: Pick<Clock, "monotonic">;
  randomBytes: (size: number) => Buffer;
}

/**
 * Sessions that read every site for a while, without the owner's token. Another part of the service creates a code for
 * each, which works once. They are in memory only, as hashes.
 */
export class ReadSessions {
  readonly #options: ReadSessionsOptions;
  #codes: readonly Held[] = [];
  #sessions: readonly Held[] = [];

  constructor(options: ReadSessionsOptions) {
    this.#options = options;
  }

  /** Creates a code. @param by the session that creates it; see `endOf` */
  makeCode(by: string | undefined): string {
    const { token, held } = this.#make(SCHEMES.code, CODE_MS, by);
    this.#codes = [...this.#codes, held].slice(-MAX_CODES);
    return token;
  }

  /** Redeems a code. @returns a token for reading; undefined where the code is not valid any more */
  redeem(code: string): string | undefined {
    const found = this.#find(this.#codes, code);
    if (found === undefined) return undefined;
    this.#codes = this.#codes.filter((one) => one !== found);
    const { token, held } = this.#make(SCHEMES.session, SESSION_MS, found.by);
    this.#sessions = [...this.#sessions, held].slice(-MAX_SESSIONS);
    return token;
  }

  /** Whether `redeem` gave out the token and it has not ended. */
  opens(token: string): boolean {
    return this.#find(this.#sessions, token) !== undefined;
  }

  /** Ends the sessions and codes of a session. */
  endOf(by: string): void {
    this.#codes = this.#codes.filter((one) => one.by !== by);
    this.#sessions = this.#sessions.filter((one) => one.by !== by);
  }

  endAll(): void {
    this.#codes = [];
    this.#sessions = [];
  }

  #make(scheme: string, life: number, by: string | undefined): { token: string; held: Held } {
    const { token, hash } = makeToken(scheme, this.#options.randomBytes);
    return { token, held: { hash, endsAt: this.#options.clock.monotonic() + life, by } };
  }

  /** Compares with all of them, so that the time shows nothing. */
  #find(all: readonly Held[], secret: string): Held | undefined {
    const hash = sha256(secret);
    const now = this.#options.clock.monotonic();
    return all.filter((one) => isSameSecret(one.hash, hash)).find(({ endsAt }) => now < endsAt);
  }
}
