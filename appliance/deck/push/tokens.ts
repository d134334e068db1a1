import type { Clock } from "../../base/clock.ts";
import { type Documents, documentKind } from "../../base/documents.ts";
import {
  type Fitting,
  FLAG,
  NUMBER,
  objectOf,
  orNull,
  type SchemaOf,
  TEXT,
} from "../../base/input/schema.ts";
import { invalidField, Refusal } from "../../base/refusal.ts";
import type { Cancel } from "../../base/signal.ts";
import { isSameSecret, makeToken, sha256 } from "../../base/system/secrets.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { PushToken, Scope } from "./push-token.ts";

/** A token together with its plaintext, which is known at this moment only. */
interface MadePushToken extends PushToken {
  token: string;
}

/** A token as a document: never its plaintext. */
const KEPT_TOKEN = objectOf(
  {
    name: TEXT,
    prefix: TEXT,
    /** The SHA-256 of its plaintext, base64url. */
    hash: TEXT,
    paused: FLAG,
    /** False for tokens made before channels could be read. */
    mayRead: FLAG,
    createdAt: NUMBER,
    lastUsedAt: orNull(NUMBER),
  },
  {
    /** The mark of tokens that send lines of access logs, and do nothing else. */
    logsOnly: { const: true } as SchemaOf<true>,
  },
);
export type PushTokenBody = Fitting<typeof KEPT_TOKEN>;

interface StoredPushToken extends Omit<PushTokenBody, "hash"> {
  readonly id: string;
  readonly hash: Uint8Array;
}

export const PUSH_TOKENS = documentKind("push_token", KEPT_TOKEN, {
  bound: { count: 16, bytes: 1_024, together: 16 * 1_024 },
  inBackup: "own",
});

interface PushTokensOptions {
  documents: Documents<PushTokenBody>;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}

const MAX_TOKENS = PUSH_TOKENS.bound.count;
const MAX_NAME = 40;
const SCHEME = "tdp_";
const PREFIX_LENGTH = 6;
/** Uses are stored this late, so that pushing ten times a second costs no ten commits. */
const LAST_USED_DELAY_MS = 60_000;

export class PushTokens {
  readonly #options: PushTokensOptions;
  readonly #tokens = new Map<string, StoredPushToken>();
  /** Token → the time of its last use, until it is stored. */
  readonly #uses = new Map<string, number>();
  readonly #mutex = new Mutex();
  #cancelTimer: Cancel | undefined;

  private constructor(options: PushTokensOptions) {
    this.#options = options;
  }

  static async open(options: PushTokensOptions): Promise<PushTokens> {
    const tokens = new PushTokens(options);
    await tokens.#load();
    return tokens;
  }

  list(): PushToken[] {
    return [...this.#tokens.values()].map((token) => this.#describe(token));
  }

  /**
   * @param use for sending logs alone; for channels unless given
   * @throws {Refusal} `invalid_field`, `token_limit`
   */
  create(rawName: string, use?: "logs"): Promise<MadePushToken> {
    const { clock, randomBytes } = this.#options;
    return this.#mutex.runExclusive(async () => {
      const name = checkedName(rawName);
      if (this.#tokens.size >= MAX_TOKENS) {
        throw new Refusal(
          "token_limit",
          `There are ${MAX_TOKENS} push tokens already. Revoke one that is no longer used.`,
        );
      }
      const { plaintext, prefix, hash } = makeSecret(randomBytes);
      const createdAt = clock.now();
      const kept = {
        id: this.#freeId(),
        name,
        prefix,
        hash,
        paused: false,
        mayRead: true,
        ...(use === "logs" && { logsOnly: true as const }),
        createdAt,
      };
      const token = { ...kept, lastUsedAt: null };
      await this.#save(token);
      return { ...this.#describe(token), token: plaintext };
    });
  }

  /** @throws {Refusal} `not_found` */
  setPaused(id: string, paused: boolean): Promise<PushToken> {
    return this.#mutex.runExclusive(async () => {
      const token = { ...this.#find(id), paused };
      await this.#save(token);
      return this.#describe(token);
    });
  }

  /** A new plaintext for the same token; the old one stops working. @throws {Refusal} `not_found` */
  rotate(id: string): Promise<MadePushToken> {
    return this.#mutex.runExclusive(async () => {
      const { plaintext, prefix, hash } = makeSecret(this.#options.randomBytes);
      const token = { ...this.#find(id), prefix, hash, lastUsedAt: null };
      await this.#save(token);
      this.#uses.delete(id);
      return { ...this.#describe(token), token: plaintext };
    });
  }

  /** @throws {Refusal} `not_found` */
  revoke(id: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      this.#find(id);
      await this.#options.documents.change({ remove: [id] });
      this.#tokens.delete(id);
      this.#uses.delete(id);
    });
  }

  /** The token this plaintext belongs to, noted as used now; undefined when there is none. */
  authenticate(plaintext: string): PushToken | undefined {
    const token = match([...this.#tokens.values()], sha256(plaintext));
    if (token) this.#noteUse(token.id);
    return token && this.#describe(token);
  }

  /** Reads the store again, after changes by others. */
  reload(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#load());
  }

  /** Stores the times of the last uses. */
  close(): Promise<void> {
    this.#cancelTimer?.();
    return this.#mutex.runExclusive(() => this.#storeUses());
  }

  async #load(): Promise<void> {
    const stored = await this.#options.documents.list();
    this.#tokens.clear();
    for (const { id, body } of stored)
      this.#tokens.set(id, { id, ...body, hash: Buffer.from(body.hash, "base64url") });
  }

  #describe({ id, name, prefix, createdAt, lastUsedAt, ...token }: StoredPushToken): PushToken {
    return {
      id,
      name,
      prefix,
      scopes: scopesOf(token),
      createdAt,
      lastUsedAt: this.#uses.get(id) ?? lastUsedAt,
    };
  }

  #find(id: string): StoredPushToken {
    const token = this.#tokens.get(id);
    if (token) return token;
    throw new Refusal("not_found", "There is no push token with this id. List them to see all.");
  }

  async #save(token: StoredPushToken): Promise<void> {
    const { id, ...kept } = token;
    const body = { ...kept, hash: Buffer.from(token.hash).toString("base64url") };
    await this.#options.documents.change({ put: [{ id, body }] });
    this.#tokens.set(token.id, token);
  }

  async #storeUses(): Promise<void> {
    for (const [id, lastUsedAt] of [...this.#uses]) {
      const token = this.#tokens.get(id);
      if (token) await this.#save({ ...token, lastUsedAt });
      if (this.#uses.get(id) === lastUsedAt) this.#uses.delete(id);
    }
  }

  #noteUse(id: string): void {
    const { clock } = this.#options;
    this.#uses.set(id, clock.now());
    this.#cancelTimer ??= clock.after(LAST_USED_DELAY_MS, () => {
      this.#cancelTimer = undefined;
      // Uses that could not be stored are tried again at the next use, or at the end.
      this.#mutex.runExclusive(() => this.#storeUses()).catch(() => {});
    });
  }

  #freeId(): string {
    const id = this.#options.randomBytes(4).toString("hex");
    return this.#tokens.has(id) ? this.#freeId() : id;
  }
}

function scopesOf({
  paused,
  mayRead,
  logsOnly,
}: Pick<StoredPushToken, "paused" | "mayRead" | "logsOnly">): Scope[] {
  if (paused) return [];
  if (logsOnly) return ["logs"];
  return mayRead ? ["push", "read"] : ["push"];
}

/** Compares with every token, so that the time shows nothing about them. */
function match(tokens: StoredPushToken[], hash: Uint8Array): StoredPushToken | undefined {
  let found: StoredPushToken | undefined;
  for (const token of tokens) if (isSameSecret(token.hash, hash)) found = token;
  return found;
}

function checkedName(raw: string): string {
  const name = raw.trim();
  const length = [...name].length;
  if (length >= 1 && length <= MAX_NAME) return name;
  throw invalidField("name", `must have 1 to ${MAX_NAME} characters.`);
}

function makeSecret(randomBytes: PushTokensOptions["randomBytes"]) {
  const { token, hash } = makeToken(SCHEME, randomBytes);
  const prefix = token.slice(SCHEME.length, SCHEME.length + PREFIX_LENGTH);
  return { plaintext: token, prefix, hash };
}
