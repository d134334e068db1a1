import { remember } from "../../base/remember.ts";
import type { Increments } from "../../store/intake.ts";
import { storable } from "./payload.ts";
import { referrerGroup } from "./referrer.ts";
import type { Visitor } from "./visitor.ts";

/** What a beacon is made of: its payload, and what the request's headers add. */
interface Beacon {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly visitor: Visitor;
  /** The `Referer` header, or "". */
  readonly referer: string;
  /** ISO country from a CDN's header, or "". */
  readonly country: string;
}

const LATENCIES = new Set(["<150", "150-2000", ">2000"]);

/** What a beacon counts; `view` is true when it counts a page view. */
export function countBeacon({ payload, visitor, referer, country }: Beacon): {
  counts: Increments;
  view: boolean;
} {
  if (visitor.bot !== null)
    return {
      counts: [
        ["bot", "ua"],
        ["bot_kind", storable(visitor.bot) || "other"],
      ],
      view: false,
    };
  const event = storable(payload.ev);
  if (event !== "") return { counts: eventCounts(event, storable(payload.t)), view: false };

  const host = storable(payload.h) || storable(originOf(referer)) || "unknown";
  const ref = storable(payload.r);
  const counts: [string, string][] = [
    ["pv", "_"],
    ["path", pathOf(payload.p)],
    ["host", host],
    ["ref", ref.trim() ? ref : "direct"],
    ["ref_group", referrerGroup(ref, hostOf(host))],
    ["lang", languageOf(storable(payload.l))],
    ["tz", storable(payload.tz) || "unknown"],
    ["browser", visitor.browser],
    ["os", visitor.os],
    ["device", visitor.device],
  ];
  const addIfPresent = (dimension: string, value: string) => {
    if (value !== "") counts.push([dimension, value]);
  };
  addIfPresent("country", country);
  addIfPresent("viewport", storable(payload.vw));
  addIfPresent("utm_source", storable(payload.us));
  addIfPresent("utm_medium", storable(payload.um));
  addIfPresent("utm_campaign", storable(payload.uc));
  if (payload.u === "1") counts.push(["uv", "_"]);
  if (payload.s === "1") counts.push(["sessions", "_"]);
  if (payload.b === "1") counts.push(["bounce", "_"]);
  if (payload.g === "1") counts.push(["engaged", "_"]);
  return { counts, view: true };
}

function eventCounts(event: string, target: string): Increments {
  if (event === "hi") return [["hi", LATENCIES.has(target) ? target : "unknown"]];
  if (event === "bot") return [["bot", "synthetic"]];
  return target === ""
    ? [["event", event]]
    : [
        ["event", event],
        ["event_target", target],
      ];
}

function pathOf(p: unknown): string {
  // Cut first: an encoded ? or # is part of the name.
  const [raw = ""] = typeof p === "string" ? p.split(/[?#]/, 1) : [];
  const path = storable(percentDecoded(raw));
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return path.slice(0, end) || "/";
}

/** As it is where what it decodes to is no UTF-8; a `%` that encodes nothing stays. */
function percentDecoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return text;
  }
}

const languageOf = remember((l) => l.split(/[-_]/, 1)[0]?.toLowerCase() || "unknown");

function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? "" : origin;
}

const hostOf = remember((origin) => (URL.canParse(origin) ? new URL(origin).host : ""));
