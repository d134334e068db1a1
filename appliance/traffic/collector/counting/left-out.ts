import { comparableHost } from "../../../base/names.ts";
import {
  LEFT_OUT_REASONS,
  type LeftOutReason,
  type StaysOut,
} from "../../../base/text/left-out.ts";
import { storable } from "../../../base/text/storable.ts";
import type { Dimension, Hit } from "../../../store/log/record.ts";

/** The reason for which a view or an event of these values does not count; undefined where it does. */
type ReasonOf = (values: Hit["values"]) => LeftOutReason | undefined;

const known = new WeakMap<StaysOut, ReasonOf>();

/** The rules of a site, made ready once, when the first hit asks for them. */
export function leftOutReason(leftOut: StaysOut, values: Hit["values"]): LeftOutReason | undefined {
  let reasonOf = known.get(leftOut);
  if (reasonOf === undefined) {
    reasonOf = reasons(leftOut);
    known.set(leftOut, reasonOf);
  }
  return reasonOf(values);
}

/** A hit that is left out, as it is counted. Logs of earlier releases know no kind that counts nothing else, but this one. */
export function leftOutHit(reason: LeftOutReason): Hit {
  return { kind: "interaction", flags: 0, values: [["left_out", reason]] };
}

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;
const SCHEMES = ["https://", "http://"];

function reasons({ hosts, paths, referrers, countries }: StaysOut): ReasonOf {
  const isStarred = (text: string) => text.startsWith("*.");
  const hostsBelow = new Set(hosts.filter(isStarred).map((host) => host.slice(2)));
  // Long ones are cut where they are counted.
  const exact = hosts
    .filter((host) => !isStarred(host))
    .flatMap((host) => SCHEMES.map((scheme) => storable(scheme + host).slice(scheme.length)));
  const hostsAlone = new Set(exact.map(comparableHost));
  const begins = paths.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  const pages = new Set(paths);
  const domains = new Set(referrers);
  const isOf: Partial<Record<Dimension, (text: string) => LeftOutReason | undefined>> = {
    ...(hosts.length > 0 && {
      host: (text) => {
        const host = comparableHost(text.replace(SCHEME, ""));
        return hostsAlone.has(host) || isBelow(host, hostsBelow) ? undefined : "host";
      },
    }),
    ...(paths.length > 0 && {
      path: (text) =>
        pages.has(text) || begins.some((begin) => text.startsWith(begin)) ? "path" : undefined,
    }),
    ...(referrers.length > 0 && {
      ref: (text) => referrerIn(text, domains),
      // Later views of a visit say where it began.
      source: (text) => referrerIn(text, domains),
    }),
    ...(countries.length > 0 && {
      country: (text) => (countries.includes(text) ? "country" : undefined),
    }),
  };
  return (values) => {
    let found: LeftOutReason | undefined;
    for (const [dimension, text] of values) {
      const reason = isOf[dimension]?.(text);
      if (reason === undefined) continue;
      if (found === undefined || orderOf(reason) < orderOf(found)) found = reason;
    }
    return found;
  };
}

const orderOf = (reason: LeftOutReason) => LEFT_OUT_REASONS.indexOf(reason);

function referrerIn(text: string, domains: ReadonlySet<string>): LeftOutReason | undefined {
  const host = comparableHost(text).replace(/:\d+$/, "");
  return domains.has(host) || isBelow(host, domains) ? "referrer" : undefined;
}

/** Whether a host is below one of the domains. */
function isBelow(host: string, domains: ReadonlySet<string>): boolean {
  if (domains.size === 0) return false;
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1))
    if (domains.has(host.slice(dot + 1))) return true;
  return false;
}
