import { isObject, plainText } from "../../../base/input/json.ts";
import { memoize } from "../../../base/memoize.ts";
import { DEPTHS, TIMES } from "../../../base/reading.ts";
import { pagePath, storable } from "../../../base/text/storable.ts";
import {
  type Dimension,
  FLAG,
  type Hit,
  mostValues,
  READING,
  readEventValue,
} from "../../../store/log/record.ts";
import { ruledValues, type SiteRules } from "../../../store/store.ts";
import { addressHost, addressOrigin, sourceHost } from "./address.ts";
import { leftOutHit, leftOutReason } from "./left-out.ts";
import { referrerGroup } from "./referrer.ts";
import { type Visitor, valuesOfPerson } from "./visitor.ts";
import { countryOfZone } from "./zone-country.ts";

/** The parts of a beacon: its payload, and facts by the request's headers. */
interface Beacon {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly visitor: Visitor;
  /** The `Referer` header, or "". */
  readonly referer: string;
  /** ISO country from a CDN's header, or "": that of the browser's time zone counts then. */
  readonly country: string;
  /** The rules of its site. */
  readonly rules?: SiteRules | undefined;
}

/** Nothing is counted: the view that it belongs to is left out. */
const NOTHING: Hit = { kind: "interaction", flags: 0, values: [] };

/** The days since a browser was here last. */
const LAST_DAYS = new Set(["new", "1", "2-7", "8-30", ">30"]);

const PROPERTY = /^[a-z][a-z0-9_]{0,31}$/;

/** Events that the script itself sends, and views. */
const OURS = new Set(["", "hi", "bot", "end"]);

const LATENCIES = new Set(["<150", "150-2000", ">2000"]);

/** The bit of a view that a payload's key sets when it is "1". */
const FLAG_OF = [
  ["u", FLAG.visitor],
  ["s", FLAG.session],
  ["b", FLAG.bounce],
  ["g", FLAG.engaged],
  ["n", FLAG.pathVisitor],
] as const;

/** The hit that a beacon is. */
export function beaconHit(beacon: Beacon): Hit {
  const { payload, visitor } = beacon;
  if (visitor.bot !== null)
    return { kind: "crawler", flags: 0, values: [["bot_kind", storable(visitor.bot) || "other"]] };
  const event = storable(payload.ev);
  const target = storable(payload.t);
  if (event === "bot") return { kind: "synthetic", flags: 0, values: [] };
  const { leftOut, valueRules } = beacon.rules ?? {};
  if (event === "hi" && leftOut === undefined) return touch(target);
  const said = contextOf(beacon, visitor);
  if (!OURS.has(event)) said.push(...valuesOfEvent({ event, target }, payload.pr));
  const values = valueRules === undefined ? said : ruledValues(said, valueRules);
  const reason = leftOut && leftOutReason(leftOut, values);
  if (reason !== undefined && (event === "hi" || event === "end")) return NOTHING;
  if (reason !== undefined) return leftOutHit(reason);
  if (event === "hi") return touch(target);
  if (event === "") {
    // Only the first view of a day knows it.
    const again = storable(payload.q);
    if (payload.u === "1" && LAST_DAYS.has(again)) values.push(["again", again]);
    return { kind: "view", flags: flagsOf(payload), values };
  }
  if (event === "end") {
    values.push(["time", TIMES.some((one) => one === target) ? target : "unknown"]);
    const depth = storable(payload.k);
    if (DEPTHS.includes(depth)) values.push(["depth", depth]);
    return { kind: "event", flags: READING, values };
  }
  return { kind: "event", flags: 0, values };
}

/** The name of an event, its target, its properties, and the number that it carries. */
function valuesOfEvent(
  said: { readonly event: string; readonly target: string },
  pr: unknown,
): [Dimension, string][] {
  const values: [Dimension, string][] = [["event", said.event]];
  // An object as the target is the properties.
  if (said.target !== "" && !(isObject(pr) && said.target === String({})))
    values.push(["event_target", said.target]);
  const properties = isObject(pr) ? pr : {};
  // Attributes of an element say event and target again.
  const attributes: Readonly<Record<string, string>> = said;
  const named = Object.entries(properties)
    .map(([name, value]) => [name, storable(plainText(value))] as const)
    .filter(([name, text]) => PROPERTY.test(name) && text !== "" && attributes[name] !== text)
    .slice(0, mostValues("event_prop"));
  for (const [name, text] of named) values.push(["event_prop", storable(`${name}=${text}`)]);
  const thousandths = Math.round(1_000 * Number(plainText(properties.value)));
  if (readEventValue(`${thousandths}`) !== undefined)
    values.push(["event_value", `${thousandths}`]);
  return values;
}

/** The first touch of a page. */
function touch(latency: string): Hit {
  const value = LATENCIES.has(latency) ? latency : "unknown";
  return { kind: "interaction", flags: 0, values: [["hi", value]] };
}

function flagsOf(payload: Beacon["payload"]): number {
  let flags = 0;
  for (const [key, flag] of FLAG_OF) if (payload[key] === "1") flags |= flag;
  return flags;
}

/** The page and the browser of a view or an event. */
function contextOf(
  { payload, referer, country }: Beacon,
  person: Extract<Visitor, { bot: null }>,
): [Dimension, string][] {
  const host = storable(addressOrigin(payload.h)) || storable(originOf(referer)) || "unknown";
  const ref = storable(addressHost(payload.r));
  const utmSource = storable(payload.us);
  const zone = storable(payload.tz);
  const values: [Dimension, string][] = [
    ["path", pagePath(payload.p)],
    ["host", host],
    ["ref", ref.trim() ? ref : "direct"],
    ["ref_group", referrerGroup(ref, host, utmSource)],
    ["lang", languageOf(storable(payload.l))],
    ["tz", zone || "unknown"],
    ...valuesOfPerson(person),
  ];
  const addIfPresent = (dimension: Dimension, value: string) => {
    if (value !== "") values.push([dimension, value]);
  };
  // Older scripts do not say where the session began.
  if (typeof payload.o === "string")
    values.push(["source", storable(sourceHost(payload.o)).trim() || "direct"]);
  addIfPresent("country", country || countryOfZone(zone));
  addIfPresent("viewport", storable(payload.vw));
  addIfPresent("utm_source", utmSource);
  addIfPresent("utm_medium", storable(payload.um));
  addIfPresent("utm_campaign", storable(payload.uc));
  return values;
}

const languageOf = memoize((l) => l.split(/[-_]/, 1)[0]?.toLowerCase() || "unknown");

function originOf(url: string): string {
  const origin = URL.canParse(url) ? new URL(url).origin : "null";
  return origin === "null" ? "" : origin;
}
