import { randomBytes } from "node:crypto";
import type { LogOptions } from "../../appliance/traffic/imports/logs/access-log.ts";
import { seeded } from "./seeded.ts";

export const LOGS: LogOptions = { site: "blog", hosts: [], randomBytes };

/** A request as servers log it. */
export interface Asked {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly ip: string;
  readonly target: string;
  readonly agent: string;
  readonly referrer?: string;
  readonly status?: number;
  readonly method?: string;
  readonly host?: string;
}

export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
export const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The time of a line in the common format, in UTC. */
function commonTime(at: number): string {
  const [, year, month, day, time] =
    /^(\d+)-(\d+)-(\d+)T(.{8})/.exec(new Date(at).toISOString()) ?? [];
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
}

/** Writers of a line by the name of its format. */
export const WRITERS: Readonly<Record<string, (asked: Asked) => string>> = {
  combined: (one) => combined(one),
  vhost: (one) => `${one.host ?? "example.com"}:443 ${combined(one)}`,
  caddy: ({
    at,
    ip,
    target,
    agent,
    referrer,
    status = 200,
    method = "GET",
    host = "example.com",
  }) =>
    JSON.stringify({
      level: "info",
      ts: at / 1_000,
      logger: "http.log.access",
      msg: "handled request",
      request: {
        remote_ip: ip,
        remote_port: "5678",
        proto: "HTTP/2.0",
        method,
        host,
        uri: target,
        headers: { "User-Agent": [agent], ...(referrer && { Referer: [referrer] }) },
      },
      duration: 0.001,
      size: 100,
      status,
    }),
  nginx: ({
    at,
    ip,
    target,
    agent,
    referrer = "",
    status = 200,
    method = "GET",
    host = "example.com",
  }) =>
    JSON.stringify({
      time_iso8601: new Date(at).toISOString(),
      remote_addr: ip,
      request_method: method,
      request_uri: target,
      status: `${status}`,
      host,
      http_referer: referrer,
      http_user_agent: agent,
    }),
  cloudfront: ({ at, ip, target, agent, referrer = "-", status = 200, method = "GET" }) => {
    const [day, time] = new Date(at).toISOString().split("T");
    const [path, query = "-"] = target.split("?");
    const cell = (text: string) => encodeURIComponent(text);
    return [
      ...[day, time?.slice(0, 8), "FRA2", "100", ip, method, "d1.cloudfront.net", path, status],
      ...[referrer, cell(agent), query, "example.com"],
    ].join("\t");
  },
};

export const CLOUDFRONT_HEAD =
  "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header\n";

function combined({ at, ip, target, agent, referrer = "-", status = 200, method = "GET" }: Asked) {
  return `${ip} - - [${commonTime(at)}] "${method} ${target} HTTP/1.1" ${status} 1234 "${referrer}" "${agent.replaceAll('"', '\\"')}"`;
}

/** The requests of made-up visitors, in the order of their time. @param n visits, about */
export function someVisits(
  seed: number,
  { from, days, n }: { readonly from: number; readonly days: number; readonly n: number },
): Asked[] {
  const { below, pick } = seeded(seed);
  const all: Asked[] = [];
  for (let visit = 0; visit < n; visit++) {
    const ip = `192.0.2.${below(200)}`;
    const agent = pick([CHROME, FIREFOX, CHROME, GOOGLEBOT]);
    let at = from + below(days * 86_400) * 1_000;
    let referrer: string | undefined = pick(["", "https://news.ycombinator.com/item?id=1"]);
    if (below(4) > 0) all.push({ at, ip, agent, target: "/style.css" });
    for (let views = 1 + below(4); views > 0; views--) {
      const target = pick([
        "/",
        "/about/",
        "/blog/a?utm_source=letter",
        "/blog/b.html",
        "/wp-login.php",
        "/feed",
      ]);
      const status = pick([200, 200, 200, 301, 404]);
      all.push({ at, ip, agent, target, status, ...(referrer && { referrer }) });
      referrer = undefined;
      at += below(45 * 60) * 1_000;
    }
  }
  return all.filter(({ at }) => at < from + days * 86_400_000).sort((a, b) => a.at - b.at);
}
