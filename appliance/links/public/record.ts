import { createHash } from "node:crypto";
import { schemas } from "../../base/input/shape.ts";
import type { Standing } from "./addresses.ts";
import type { Mapping, RefusedWhy } from "./router/mapping.ts";
import type { PublicSettings } from "./settings.ts";
import type { CaFailureKind } from "./tasks.ts";

/** A failure, after which the next try is `waitMs` after `at`. */
export interface Failure {
  /** The number of failures in a row. */
  readonly count: number;
  readonly at: number;
  readonly waitMs: number;
}

/** The record of the public address, which survives restarts. Times are epoch milliseconds. */
export interface PublicRecord {
  readonly version: 1;
  /** The key of its settings. `toldAt`, `tests`, `validations`, `orders` and `limit` outlive them. */
  readonly settings: string;
  /** The home's last address; `v4` is null where neither router nor provider reports it. */
  readonly address: {
    readonly at: number;
    readonly v4: string | null;
    readonly standing: Standing;
    /** Whether it comes from the provider, without a report of the router. */
    readonly isSeen: boolean;
  } | null;
  /** The last message to the DNS provider; `v4` is null where it took the address that it saw. */
  readonly dns: {
    readonly at: number;
    readonly v4: string | null;
    readonly result: "asked" | "done" | "refused" | "later";
    readonly why: string;
    readonly failure: Failure | null;
    /** `toldAt` before it. */
    readonly beforeAt: number;
  } | null;
  /** The time of the last accepted update of a provider; 0 for never. */
  readonly toldAt: number;
  /** The last answer of the name's own servers, and the number of look-ups since the last change. */
  readonly lookUp: {
    readonly at: number;
    readonly tries: number;
    readonly result: "right" | "other" | "nothing" | "unknown";
  } | null;
  /** The router's last answer to a request for the port. */
  readonly port: {
    readonly at: number;
    readonly answer: "open" | "conflict" | "no-router" | RefusedWhy;
    /** The time of its last change of the port, as far as it reports that; 0 or undefined for none. */
    readonly since?: number;
    /** The number of failures in a row to open it. */
    readonly tries?: number;
  } | null;
  /**
   * The mapping of the router until its removal, granted `at`. It is recorded before the request, so that it can be removed
   * even after a power cut in between.
   */
  readonly mapping: (Mapping & { readonly at: number; readonly isGranted: boolean }) | null;
  /** Tests from outside of the last hour. */
  readonly tests: readonly number[];
  /** The CA's last finding about the way in, of a check in which it did not fail itself. */
  readonly outside: {
    readonly at: number;
    readonly isOpen: boolean;
    /** Whether it came by port 443. Port 80 alone is of no use for visitors. */
    readonly by443: boolean;
  } | null;
  /** The failure of the last request to the CA. */
  readonly trouble:
    | (Failure & {
        readonly kind: CaFailureKind;
        /** The CA's own words. */
        readonly detail: string;
        /** Whether the CA has connected by IPv6. */
        readonly byV6: boolean;
      })
    | null;
  /** Validations of the last hour that have failed, or have an unknown outcome. */
  readonly validations: readonly number[];
  /** Orders of the last week that gave a certificate, or may have given one. */
  readonly orders: readonly { readonly at: number; readonly about: string }[];
  /** A limit of the CA for this name. */
  readonly limit: { readonly at: number; readonly waitMs: number; readonly about: string } | null;
  /** The renewal of the certificate named `of`. */
  readonly renewal: {
    readonly of: string;
    readonly dueAt: number;
    readonly askedAt: number;
    readonly waitMs: number;
  } | null;
}

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

const time = { type: "integer", minimum: 0 };
const text = { type: "string", maxLength: 1_024 };
const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const list = (items: object) => ({ type: "array", maxItems: 64, items });
const failure = { count: time, at: time, waitMs: time };

const misfit = schemas({})(
  object({
    version: { const: 1 },
    settings: text,
    address: orNull(
      object({ at: time, v4: orNull(text), standing: text, isSeen: { type: "boolean" } }),
    ),
    dns: orNull(
      object({
        at: time,
        v4: orNull(text),
        result: { enum: ["asked", "done", "refused", "later"] },
        why: text,
        failure: orNull(object(failure)),
        beforeAt: time,
      }),
    ),
    toldAt: time,
    lookUp: orNull(
      object({ at: time, tries: time, result: { enum: ["right", "other", "nothing", "unknown"] } }),
    ),
    port: orNull(object({ at: time, answer: text, since: time, tries: time }, ["since", "tries"])),
    mapping: orNull(
      object(
        {
          at: time,
          isGranted: { type: "boolean" },
          by: { enum: ["pcp", "natpmp", "igd"] },
          internalPort: time,
          externalPort: time,
          address: text,
          lifetimeS: time,
          nonce: text,
        },
        ["address", "nonce"],
      ),
    ),
    tests: list(time),
    outside: orNull(object({ at: time, isOpen: { type: "boolean" }, by443: { type: "boolean" } })),
    trouble: orNull(object({ ...failure, kind: text, detail: text, byV6: { type: "boolean" } })),
    validations: list(time),
    orders: list(object({ at: time, about: text })),
    limit: orNull(object({ at: time, waitMs: time, about: text })),
    renewal: orNull(object({ of: text, dueAt: time, askedAt: time, waitMs: time })),
  }),
);

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
