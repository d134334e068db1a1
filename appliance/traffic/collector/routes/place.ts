import { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { dayZoneNamed } from "../../../base/day-zone.ts";
import { readJson } from "../../../base/http/body.ts";
import { addressKey, bearerToken, type Client } from "../../../base/http/client.ts";
import { HttpError, rateLimited } from "../../../base/http/errors.ts";
import { allTogether, RateLimit } from "../../../base/http/rate-limit.ts";
import { readLeftOut } from "../../../base/input/left-out.ts";
import { exactly, integerFrom, listOf, nullable, textUpTo } from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import { readValueRule } from "../../../base/input/value-rules.ts";
import type { Log } from "../../../base/log.ts";
import { HOST_PATTERN, isSiteId } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { version } from "../../../base/system/version.ts";
import { Mutex } from "../../../base/tasks/mutex.ts";
import { MAX_VALUE_RULES, type ValueRule } from "../../../base/text/dimensions.ts";
import { NOTHING_LEFT_OUT, type StaysOut } from "../../../base/text/left-out.ts";
import { MAX_CURSOR, type Numbers, type PlaceUnit } from "../../../store/store.ts";
import { changesAfter } from "../../places/changes.ts";
import { CHANGES_TYPE } from "../../places/frames.ts";
import { Homes, type KnownHome } from "../../places/homes.ts";
import { encodedUnits } from "../../places/unit-codec.ts";
import { queryValue } from "../counting/payload.ts";
import { invalid } from "./question.ts";

/** The limits for wrong tokens of an address and in all. */
const WRONG_TOKENS = [
  { burst: 20, perSecond: 0.2, keyOf: addressKey },
  allTogether({ burst: 600, perSecond: 10 }),
];
/** The most questions of one home that wait at a time: it asks one after the other. */
const MOST_WAITING = 4;
/** Ten thousand sites, and all that their rules may take together. */
const SITES_BYTES = 16 * 1_048_576;

interface PlaceParts {
  readonly numbers: Numbers;
  readonly client: Client;
  readonly log: Log;
  /** Aborted when the service is about to stop: what waits is answered. */
  readonly stopping: AbortSignal;
}

const readWord = shape<HomeSites>(
  exactly({
    origin: { ...textUpTo(32), description: "must be the origin of home's counts" },
    revision: { ...integerFrom(0), description: "must be a number" },
    zone: nullable({ ...textUpTo(64), description: "must name a time zone, or be null" }),
    sites: {
      ...listOf(
        exactly(
          {
            id: { ...textUpTo(64), description: "must be the id of a site" },
            host: nullable({
              ...textUpTo(255),
              pattern: HOST_PATTERN,
              description: "must be a host or null",
            }),
            badge: { type: "boolean", description: "must be true or false" },
            token: nullable({
              type: "string",
              pattern: "^[0-9a-f]{64}$",
              description: "must be a hash or null",
            }),
          },
          {
            leftOut: { description: "must be what stays out" },
            valueRules: {
              ...listOf({}, MAX_VALUE_RULES),
              description: `must be a list of at most ${MAX_VALUE_RULES} rules`,
            },
          },
        ),
        10_000,
      ),
      description: "must be a list of sites",
    },
  }),
);

/** The sites of a home, as they go to a place. */
export interface HomeSites {
  /** The origin of home's own counts: in other data, a revision says nothing. */
  readonly origin: string;
  /** The later of two words of one home has the higher one. */
  readonly revision: number;
  /** Null where none was named at home. */
  readonly zone: string | null;
  readonly sites: readonly {
    readonly id: string;
    readonly host: string | null;
    readonly badge: boolean;
    /** SHA-256 of its token, in hex. */
    readonly token: string | null;
    /** Missing where nothing stays out. */
    readonly leftOut?: StaysOut;
    /** Missing where each value counts as itself. */
    readonly valueRules?: readonly ValueRule[];
  }[];
}

/** The two routes by which a home has what is counted here. Nothing else is asked with its token. */
export function placeRoutes(parts: PlaceParts): {
  readonly changes: Middleware;
  readonly sites: Middleware;
} {
  const { numbers, log, stopping } = parts;
  const door = new PlaceDoor(parts);
  return {
    /** `GET /place/changes?after=…`: the changes after a cursor, once there are any, and those of the next seconds; 204 after a while without any */
    async changes(ctx) {
      ctx.set("Cache-Control", "no-store");
      const { home, over } = await door.enter(ctx);
      const after = queryValue(ctx.query, "after") ?? "";
      if (after.length > MAX_CURSOR) throw invalid("`after` is longer than any cursor.");
      const signal = AbortSignal.any([over, stopping]);
      const units = changesAfter(numbers, home.id, after, signal);
      const first = await units.next();
      // The invitation may have been taken back while the question waited.
      await door.home(ctx);
      if (first.done) {
        ctx.status = 204;
        return;
      }
      ctx.type = CHANGES_TYPE;
      // A proxy that gathers an answer would keep hits back until its end.
      ctx.set("X-Accel-Buffering", "no");
      const all = door.further(home, first.value, units);
      ctx.body = Readable.from(encodedUnits(all, version()), { objectMode: false });
    },
    /** `PUT /place/sites`: home decides about sites → `{sites}` with those that are not as it says, and why */
    async sites(ctx) {
      const { home } = await door.enter(ctx);
      const { zone, sites, ...moment } = readWord(await readJson(ctx.req, SITES_BYTES));
      if (zone !== null && dayZoneNamed(zone) === undefined)
        throw invalidField("zone", "is not known here: update Tallydeck.");
      const wrong = sites.find(({ id }) => !isSiteId(id));
      if (wrong !== undefined) throw invalidField("sites", `has an id that is none: ${wrong.id}`);
      const not = await door.inOrder(home, moment, () =>
        numbers.write("obeyHome", {
          zone,
          now: numbers.clock.now(),
          sites: sites.map(({ token, leftOut, valueRules = [], ...site }) => ({
            ...site,
            leftOut: leftOut === undefined ? NOTHING_LEFT_OUT : readLeftOut(leftOut),
            valueRules: valueRules.map(readValueRule),
            tokenHash: token === null ? null : Uint8Array.from(Buffer.from(token, "hex")),
          })),
        }),
      );
      if (not.length > 0) log.info({ sites: not.length }, "Some sites are not as their home says");
      ctx.body = { sites: not.map(([id, outcome]) => ({ id, outcome })) };
    },
  };
}

type Moment = Pick<HomeSites, "origin" | "revision">;

/** Lets homes in. */
class PlaceDoor {
  readonly #parts: PlaceParts;
  readonly #homes: Homes;
  readonly #failures: RateLimit;
  readonly #waiting = new Map<string, number>();
  readonly #mutex = new Mutex();
  /** The last word of each home. */
  readonly #said = new Map<string, Moment>();

  constructor(parts: PlaceParts) {
    this.#parts = parts;
    this.#homes = new Homes(parts.numbers, parts.log);
    this.#failures = new RateLimit(parts.numbers.clock, WRONG_TOKENS);
  }

  /**
   * Lets in a home, whose question counts until its answer is over.
   * @throws {HttpError} 401, 403, 429
   */
  async enter(ctx: Context): Promise<{ readonly home: KnownHome; readonly over: AbortSignal }> {
    const left = new AbortController();
    ctx.res.once("close", () => left.abort());
    const { signal: over } = left;
    const home = await this.home(ctx);
    const { id } = home;
    const count = this.#waiting.get(id) ?? 0;
    if (count >= MOST_WAITING)
      throw rateLimited(1, "Other questions with this token wait for an answer already.");
    if (over.aborted) return { home, over };
    this.#waiting.set(id, count + 1);
    over.addEventListener("abort", () => {
      const others = (this.#waiting.get(id) ?? 1) - 1;
      if (others > 0) this.#waiting.set(id, others);
      else this.#waiting.delete(id);
    });
    return { home, over };
  }

  /** @throws {HttpError} 401, 403, 429 */
  async home(ctx: Context): Promise<KnownHome> {
    const { client } = this.#parts;
    const address = client.address(ctx.req);
    const wait = this.#failures.wait(address);
    if (wait > 0) throw rateLimited(wait, "Too many wrong tokens came. Wait a moment.");
    if (client.url(ctx.req)?.protocol !== "https:")
      throw new HttpError(403, "https_only", "A place is asked by HTTPS alone. Ask at https://.");
    const home = await this.#homes.withToken(bearerToken(ctx.req) ?? "");
    if (home === undefined) {
      this.#failures.take(address);
      throw new HttpError(
        401,
        "unauthorized",
        "The token is that of no invitation, or was taken back. Make another at the place: tallydeck place invite.",
        { "WWW-Authenticate": "Bearer" },
      );
    }
    await this.#homes.asked(home, queryValue(ctx.query, "after"));
    return home;
  }

  /** The units of an answer, as long as the invitation holds. */
  async *further(home: KnownHome, first: PlaceUnit, units: AsyncIterable<PlaceUnit>) {
    yield first;
    for await (const unit of units) {
      if (!(await this.#homes.isKnown(home))) return;
      yield unit;
    }
  }

  /** Does what a home says, unless it has said something later. @throws {HttpError} 409 where it has */
  inOrder<T>({ id }: KnownHome, { origin, revision }: Moment, obey: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(async () => {
      const last = this.#said.get(id);
      if (last?.origin === origin && last.revision > revision)
        throw new HttpError(409, "outdated", "Home has said something later about its sites.");
      const done = await obey();
      this.#said.set(id, { origin, revision });
      return done;
    });
  }
}
