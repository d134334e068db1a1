import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type ParsedUrlQuery, parse } from "node:querystring";
import Koa, { type Context, type Middleware } from "koa";
import type { Client } from "../../../base/http/client.ts";
import type { Hit } from "../../../store/log/record.ts";
import type { Numbers, SiteRecord } from "../../../store/store.ts";
import { appPingHit } from "../counting/app-ping.ts";
import { beaconHit } from "../counting/beacon.ts";
import { decodePayload, queryValue } from "../counting/payload.ts";
import { createVisitorCache } from "../counting/visitor.ts";
import type { HitCounter, HitKind } from "../hit-counter.ts";
import type { Readiness } from "../readiness.ts";
import type { Sites } from "../sites.ts";

interface HitParts {
  numbers: Numbers;
  tally: HitCounter;
  sites: Sites;
  client: Client;
}

interface HitRequest {
  /** The site, as the page calls it. */
  readonly site: string | undefined;
  /** The payload as it was encoded. */
  readonly payload: string | undefined;
}

/** Counts the hit of a GET request. Resolves when the request may be answered. */
type CountHit = (request: IncomingMessage, said: HitRequest) => Promise<void>;

/** The hits that are counted, by path. */
interface Hits {
  /** A page view or an event. */
  readonly "/e": CountHit;
  /** A desktop app's daily ping. */
  readonly "/a": CountHit;
}

const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const HEADERS = {
  "Content-Type": "image/gif",
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

export function countHits({ numbers, sites, client, tally }: HitParts): Hits {
  const visitorOf = createVisitorCache();
  const siteOf = (request: IncomingMessage, { site: name }: HitRequest) =>
    sites.forCollection(client.host(request), name);
  const count = (site: SiteRecord | null, hit: Hit) => {
    tally.count(tallied(hit), site === null ? "unknown_site" : "counted");
    return numbers.count(site?.key ?? null, hit);
  };
  return {
    "/e": (request, said) => {
      const { headers } = request;
      const site = siteOf(request, said);
      const hit = beaconHit({
        payload: decodePayload(said.payload),
        visitor: visitorOf(headers["user-agent"] ?? ""),
        referer: headers.referer ?? "",
        country: cdnCountry(headers),
        rules: site ?? undefined,
      });
      return count(site, hit);
    },
    "/a": (request, said) => {
      const payload = decodePayload(said.payload);
      return count(siteOf(request, said), appPingHit(payload, cdnCountry(request.headers)));
    },
  };
}

/** Kind of a hit → its kind in figures. */
const TALLIED: Readonly<Record<Hit["kind"], HitKind>> = {
  view: "view",
  event: "event",
  interaction: "event",
  ping: "ping",
  crawler: "bot",
  synthetic: "bot",
};

/** Its kind in figures. */
function tallied({ kind, values }: Hit): HitKind {
  return values[0]?.[0] === "left_out" ? "left_out" : TALLIED[kind];
}

/** The name that a request gives its site. */
export function givenSite(query: ParsedUrlQuery): string | undefined {
  return queryValue(query, "s") ?? queryValue(query, "site");
}

function saidIn(query: ParsedUrlQuery): HitRequest {
  return { site: givenSite(query), payload: queryValue(query, "v") };
}

/** `GET /e`, `GET /a`: always the GIF. */
export function hitRoute(count: CountHit): Middleware {
  return async (ctx) => {
    if (ctx.method === "GET") await count(ctx.req, saidIn(ctx.query));
    answerGif(ctx);
  };
}

/** The answer to all hits, counted or not. */
export function answerGif(ctx: Context): void {
  ctx.status = 200;
  ctx.set(HEADERS);
  ctx.body = GIF;
}

/**
 * Koa with a short cut for plain hits, which are nearly all requests: Koa's context, routing, headers and promises cost
 * more than counting. Other hits take Koa's way, and get the same answer.
 */
export class HitsApp extends Koa {
  readonly #hits: Hits;
  readonly #readiness: Pick<Readiness, "ready">;

  constructor(hits: Hits, readiness: Pick<Readiness, "ready">) {
    super();
    this.#hits = hits;
    this.#readiness = readiness;
  }

  override callback(): ReturnType<Koa["callback"]> {
    const koa = super.callback();
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const askKoa = () => koa(request, response);
      const stored = this.#readiness.ready ? countPlain(this.#hits, request) : undefined;
      return stored === undefined ? askKoa() : stored.then(() => sendGif(response), askKoa);
    };
    return serve as ReturnType<Koa["callback"]>;
  }
}

/** A path of `Hits` and a query, without characters that need URL parsing. */
const PLAIN = /^\/[ea]\?[^\s#]*$/;
/** The same as nearly all send it, with nothing escaped but a payload's padding, which adds nothing. */
const USUAL = /^\/[ea]\?(?:s=([\w.-]+)&)?v=([\w/]+)(?:%3D|=)*(?:&s=([\w.-]+))?$/;

/** Undefined where nothing was counted, for it is not plain or fails: Koa finds out why. */
function countPlain(hits: Hits, request: IncomingMessage): Promise<void> | undefined {
  const { method, url = "", headers } = request;
  if (method !== "GET" || headers.host === undefined) return undefined;
  const said = saidPlainly(url);
  if (said === undefined) return undefined;
  try {
    return hits[url.slice(0, 2) as keyof Hits](request, said);
  } catch {
    return undefined;
  }
}

/** Undefined where it is not plain. */
function saidPlainly(url: string): HitRequest | undefined {
  const usual = USUAL.exec(url);
  // Reading all of a query takes four times as long.
  if (usual === null) return PLAIN.test(url) ? saidIn(parse(url.slice(3))) : undefined;
  const [, before, payload, after] = usual;
  return { site: before ?? after, payload };
}

/** The headers in the form that `writeHead` takes without copying. */
const HEADER_LIST = [...Object.entries(HEADERS), ["Content-Length", String(GIF.length)]].flat();
/** A string is sent in one write with the head; bytes would need two. */
const GIF_TEXT = GIF.toString("latin1");

function sendGif(response: ServerResponse): void {
  response.writeHead(200, HEADER_LIST).end(GIF_TEXT, "latin1");
}

const CDN_HEADERS = ["cf-ipcountry", "x-vercel-ip-country", "x-country-code"];
/** The codes that CDNs send for "unknown" and for Tor. */
const NOWHERE = new Set(["XX", "T1"]);

/** The ISO country a CDN's header names, or "". */
function cdnCountry(headers: IncomingHttpHeaders): string {
  for (const name of CDN_HEADERS) {
    const value = headers[name];
    if (typeof value !== "string") continue;
    const country = value.trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(country) && !NOWHERE.has(country)) return country;
  }
  return "";
}
