import { createHash } from "node:crypto";
import {
  closed,
  type Fitting,
  FLAG,
  integerFrom,
  listOf,
  objectOf,
  oneAmong,
  orNull,
  textUpTo,
} from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import type { Standing } from "./addresses.ts";
import type { RefusedWhy } from "./router/mapping.ts";
import type { PublicSettings } from "./settings.ts";
import type { CaFailureKind } from "./tasks.ts";

const number = integerFrom(0);
const words = textUpTo(1_024);
const MOST = 64;

const FAILURE = {
  /** The number of failures in a row. */
  count: number,
  at: number,
  /** The next try is so long after it. */
  waitMs: number,
};
const failure = objectOf(FAILURE);
export type Failure = Fitting<typeof failure>;

/** The record of the public address, which survives restarts. Times are epoch milliseconds. */
const RECORD = objectOf({
  version: oneAmong(1),
  /** The key of its settings. `toldAt`, `tests`, `validations`, `orders` and `limit` outlive them. */
  settings: words,
  /** The home's last address; `v4` is null where neither router nor provider reports it. */
  address: orNull(
    objectOf({
      at: number,
      v4: orNull(words),
      standing: textUpTo<Standing>(1_024),
      /** Whether it comes from the provider, without a report of the router. */
      isSeen: FLAG,
    }),
  ),
  /** The last message to the DNS provider; `v4` is null where it took the address that it saw. */
  dns: orNull(
    objectOf({
      at: number,
      v4: orNull(words),
      result: oneAmong("asked", "done", "refused", "later"),
      why: words,
      failure: orNull(failure),
      /** `toldAt` before it. */
      beforeAt: number,
    }),
  ),
  /** The time of the last accepted update of a provider; 0 for never. */
  toldAt: number,
  /** The last answer of the name's own servers, and the number of look-ups since the last change. */
  lookUp: orNull(
    objectOf({
      at: number,
      tries: number,
      result: oneAmong("right", "other", "nothing", "unknown"),
    }),
  ),
  /** The router's last answer to a request for the port. */
  port: orNull(
    objectOf(
      { at: number, answer: textUpTo<"open" | "conflict" | "no-router" | RefusedWhy>(1_024) },
      {
        /** The time of its last change of the port, as far as it reports that; 0 or undefined for none. */
        since: number,
        /** The number of failures in a row to open it. */
        tries: number,
      },
    ),
  ),
  /**
   * The mapping of the router until its removal, granted `at`. It is recorded before the request, so that it can be removed
   * even after a power cut in between.
   */
  mapping: orNull(
    objectOf(
      {
        at: number,
        isGranted: FLAG,
        by: oneAmong("pcp", "natpmp", "igd"),
        internalPort: number,
        externalPort: number,
        lifetimeS: number,
      },
      { address: words, nonce: words },
    ),
  ),
  /** Tests from outside of the last hour. */
  tests: listOf(number, MOST),
  /**
   * The CA's last finding about the way in, of a check in which it did not fail itself. `by443`: whether it came by that
   * port; port 80 alone is of no use for visitors.
   */
  outside: orNull(objectOf({ at: number, isOpen: FLAG, by443: FLAG })),
  /**
   * The failure of the last request to the CA, with its own words as `detail`. `byV6`: whether it has connected by IPv6.
   */
  trouble: orNull(
    objectOf({ ...FAILURE, kind: textUpTo<CaFailureKind>(1_024), detail: words, byV6: FLAG }),
  ),
  /** Validations of the last hour that have failed, or have an unknown outcome. */
  validations: listOf(number, MOST),
  /** Orders of the last week that gave a certificate, or may have given one. */
  orders: listOf(objectOf({ at: number, about: words }), MOST),
  /** A limit of the CA for this name. */
  limit: orNull(objectOf({ at: number, waitMs: number, about: words })),
  /** The renewal of the certificate named `of`. */
  renewal: orNull(objectOf({ of: words, dueAt: number, askedAt: number, waitMs: number })),
});
export type PublicRecord = Fitting<typeof RECORD>;

const FIRST_RECORD: PublicRecord = {
  version: 1,
  settings: "",
  address: null,
  dns: null,
  toldAt: 0,
  lookUp: null,
  port: null,
  mapping: null,
  tests: [],
  outside: null,
  trouble: null,
  validations: [],
  orders: [],
  limit: null,
  renewal: null,
};

const misfit = schemas({})(closed(RECORD));

/**
 * The record as it was kept; a first record in place of one that is none of ours, as of a newer
 * version.
 */
export function readRecord(kept: unknown): PublicRecord {
  // Most boxes have none, and the validator takes a tenth of a start.
  if (kept === undefined) return FIRST_RECORD;
  return misfit(kept) === undefined ? (kept as PublicRecord) : FIRST_RECORD;
}

/** A hash of the settings that decide about the address and the recipients of requests. */
export function settingsKey(settings: PublicSettings): string {
  const { name, agreed, directory, ca, ddns, ddnsUser, ddnsToken, openPort } = settings;
  const all = [name, agreed, directory, ca, ddns, ddnsUser, ddnsToken, openPort];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 32);
}

/** The record with a router to ask again, since box or router were off, and either may have changed. */
export function askedAnew(record: PublicRecord): PublicRecord {
  const { address, port } = record;
  return {
    ...record,
    address: address && { ...address, at: 0 },
    port: port && { ...port, at: 0, tries: 0 },
  };
}

/** The record after switching it on again, which retries a provider that has refused. */
export function switchedOn(record: PublicRecord): PublicRecord {
  return record.dns?.result === "refused" ? { ...record, dns: null } : record;
}

/**
 * Whether two records differ only in times of repeated requests. These are not written each time, which spares the
 * card.
 */
export function isSameButTimes(a: PublicRecord, b: PublicRecord): boolean {
  return JSON.stringify(withoutTimes(a)) === JSON.stringify(withoutTimes(b));
}

function withoutTimes(record: PublicRecord): object {
  const { address, port, mapping, lookUp } = record;
  return {
    ...record,
    address: address && { ...address, at: 0 },
    port: port && { ...port, at: 0, tries: 0 },
    mapping: mapping && { ...mapping, at: 0 },
    lookUp: lookUp?.result,
  };
}

/** The key of counts at a CA: the name, and the directory. */
export function countedBy({ name, directory }: PublicSettings): string {
  return `${name} ${directory}`;
}

/**
 * The record as it holds now: of these settings, and without times that have not been. A clock that
 * was ahead must not make anything wait until then.
 */
export function settled(record: PublicRecord, settings: PublicSettings, now: number): PublicRecord {
  const key = settingsKey(settings);
  const { mapping, toldAt, tests, validations, orders, limit } = record;
  const ofThese =
    record.settings === key
      ? record
      : { ...FIRST_RECORD, settings: key, mapping, toldAt, tests, validations, orders, limit };
  return notAhead(ofThese, now) as PublicRecord;
}

const PAST = new Set(["at", "since", "askedAt", "toldAt", "beforeAt", "tests", "validations"]);

/** Times are `now` at most, those of the future apart: when to renew. */
function notAhead(value: unknown, now: number, name = ""): unknown {
  if (typeof value === "number") return PAST.has(name) ? Math.min(value, now) : value;
  if (Array.isArray(value)) return value.map((item) => notAhead(item, now, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, notAhead(inner, now, key)]),
  );
}
