import type { Clock } from "../base/clock.ts";
import { invalidField, Refusal } from "../base/refusal.ts";
import { isSameSecret, makeToken, sha256 } from "../base/secrets.ts";
import type { Cancel } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";

/** A token as it may be shown; times are epoch milliseconds. A paused one lacks the push scope. */
interface PushToken {
  id: string;
  name: string;
  /** The six characters after `tdp_`, to tell tokens apart. */
  prefix: string;
  scopes: "push"[];
  createdAt: number;
  lastUsedAt: number | null;
}

/** A token together with its plaintext, which is known at this moment only. */
interface NewPushToken extends PushToken {
  token: string;
}

/** A token as it is kept: the SHA-256 of its plaintext, never the plaintext. */
export interface StoredPushToken {
  id: string;
  name: string;
  prefix: string;
  hash: Uint8Array;
  paused: boolean;
  createdAt: number;
  lastUsedAt: number | null;
}

/** Where tokens are kept. A promise that resolves means the change is durable. */
export interface PushTokenStore {
  list(): Promise<StoredPushToken[]>;
  /** Adds the token, or replaces the one of the same id. */
  save(token: StoredPushToken): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface PushTokens {
  list(): PushToken[];
  /** @throws {Refusal} `invalid_field`, `token_limit` */
  create(name: string): Promise<NewPushToken>;
  /** @throws {Refusal} `not_found` */
  setPaused(id: string, paused: boolean): Promise<PushToken>;
  /** A new plaintext for the same token; the old one stops working. @throws {Refusal} `not_found` */
  rotate(id: string): Promise<NewPushToken>;
  /** @throws {Refusal} `not_found` */
  revoke(id: string): Promise<void>;
  /** The token this plaintext belongs to, noted as used now; undefined when there is none. */
  authenticate(plaintext: string): PushToken | undefined;
  /** Reads the store again, after something else than this object changed it. */
  reload(): Promise<void>;
  /** Stores what is still in memory: when tokens were last used. */
  close(): Promise<void>;
}

interface PushTokensOptions {
  store: PushTokenStore;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}

const MAX_TOKENS = 16;
const MAX_NAME = 40;
const SCHEME = "tdp_";
const PREFIX_LENGTH = 6;
/** Uses are stored this late, so that pushing ten times a second costs no ten commits. */
const LAST_USED_DELAY_MS = 60_000;

/** The push tokens of this box, read from the store. */
export async function openPushTokens({
  store,
  clock,
  randomBytes,
}: PushTokensOptions): Promise<PushTokens> {
  const tokens = new Map<string, StoredPushToken>();
  /** When tokens were used since the store was last told. */
  const uses = new Map<string, number>();
  let cancelTimer: Cancel | undefined;
  const turns = new Turns();
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => turns.take(change);

  const load = async () => {
    const stored = await store.list();
    tokens.clear();
    for (const token of stored) tokens.set(token.id, token);
  };

  const describe = ({ id, name, prefix, paused, createdAt, lastUsedAt }: StoredPushToken) => ({
    id,
    name,
    prefix,
    scopes: paused ? [] : ["push" as const],
    createdAt,
    lastUsedAt: uses.get(id) ?? lastUsedAt,
  });

  const find = (id: string): StoredPushToken => {
    const token = tokens.get(id);
    if (token) return token;
    throw new Refusal("not_found", "There is no push token with this id. List them to see all.");
  };

  const save = async (token: StoredPushToken) => {
    await store.save(token);
    tokens.set(token.id, token);
  };

  const storeUses = async () => {
    for (const [id, lastUsedAt] of [...uses]) {
      const token = tokens.get(id);
      if (token) await save({ ...token, lastUsedAt });
      if (uses.get(id) === lastUsedAt) uses.delete(id);
    }
  };

  const noteUse = (id: string) => {
    uses.set(id, clock.now());
    cancelTimer ??= clock.after(LAST_USED_DELAY_MS, () => {
      cancelTimer = undefined;
      // What could not be stored is tried again at the next use, or at the end.
      inTurn(storeUses).catch(() => {});
    });
  };

  const freeId = (): string => {
    const id = randomBytes(4).toString("hex");
    return tokens.has(id) ? freeId() : id;
  };

  await load();
  return {
    list: () => [...tokens.values()].map(describe),
    create: (rawName) =>
      inTurn(async () => {
        const name = checkedName(rawName);
        if (tokens.size >= MAX_TOKENS) {
          throw new Refusal(
            "token_limit",
            `There are ${MAX_TOKENS} push tokens already. Revoke one that is no longer used.`,
          );
        }
        const { plaintext, prefix, hash } = makeSecret(randomBytes);
        const createdAt = clock.now();
        const kept = { id: freeId(), name, prefix, hash, paused: false, createdAt };
        const token = { ...kept, lastUsedAt: null };
        await save(token);
        return { ...describe(token), token: plaintext };
      }),
    setPaused: (id, paused) =>
      inTurn(async () => {
        const token = { ...find(id), paused };
        await save(token);
        return describe(token);
      }),
    rotate: (id) =>
      inTurn(async () => {
        const { plaintext, prefix, hash } = makeSecret(randomBytes);
        const token = { ...find(id), prefix, hash, lastUsedAt: null };
        await save(token);
        uses.delete(id);
        return { ...describe(token), token: plaintext };
      }),
    revoke: (id) =>
      inTurn(async () => {
        find(id);
        await store.remove(id);
        tokens.delete(id);
        uses.delete(id);
      }),
    authenticate(plaintext) {
      const token = match([...tokens.values()], sha256(plaintext));
      if (token) noteUse(token.id);
      return token && describe(token);
    },
    reload: () => inTurn(load),
    close() {
      cancelTimer?.();
      return inTurn(storeUses);
    },
  };
}

/** Compares with every token, so that the time taken tells nothing about any of them. */
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
