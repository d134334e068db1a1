import type { Clock } from "../../appliance/base/clock.ts";
import { AskFailed } from "../../appliance/base/http/exchange.ts";
import type {
  AskOutside,
  OutsideQuestion,
  OutsideReply,
} from "../../appliance/links/public/ask.ts";
import { DNS_EVERY_MS } from "../../appliance/links/public/limits.ts";

/** An answer as it comes, or that none comes. */
type Said = Partial<Pick<OutsideReply, "status" | "headers">> & { readonly body?: string | Buffer };
type Fault = Said | "no-answer" | "no-host" | "certificate";

interface Known {
  v4: string;
  v6: string;
}

/** The most requests about a name in the time between two updates: DuckDNS needs three. */
const MOST = 3;

/** A provider of dynamic DNS: deSEC and DuckDNS at their hosts, and everywhere else dyndns2. */
export class FakeProvider {
  user = "owner";
  token = "s3cret";
  /** The IPv4 address from which it sees us. */
  from = "84.1.2.3";
  /** The names it has, and where they point; empty for nowhere. */
  readonly names = new Map<string, Known>();
  /** Requests, the oldest first. */
  readonly asked: OutsideQuestion[] = [];
  /** Faults of the next requests, one after the other. */
  readonly faults: Fault[] = [];
  /** With one, who asks too often is locked out. */
  clock: Pick<Clock, "monotonic"> | undefined;
  readonly #times = new Map<string, number[]>();

  constructor(...names: string[]) {
    for (const name of names) this.names.set(name, { v4: "", v6: "" });
  }

  /** The box's requests to it, instead of over the network. */
  readonly ask: AskOutside = async (question, { mostBytes = 65_536, signal } = {}) => {
    if (signal?.aborted) throw new AskFailed("stopped");
    this.asked.push(question);
    const met = this.faults.shift() ?? this.#answer(question);
    if (typeof met === "string") throw new AskFailed(met);
    const body = Buffer.from(met.body ?? "");
    if (body.length > mostBytes) throw new AskFailed("too-large");
    return { status: 200, headers: {}, ...met, body };
  };

  /** The addresses that were asked, their values decoded. */
  get urls(): string[] {
    return this.asked.map(({ url }) => decodeURIComponent(url));
  }

  #answer({ url, headers }: OutsideQuestion): Said {
    const { host, searchParams } = new URL(url);
    const authorization = headers?.authorization ?? "";
    if (this.#isTooOften(searchParams)) return { status: 429, body: "abuse" };
    switch (host) {
      case "checkipv4.dedyn.io":
        return { body: this.from };
      case "update.dedyn.io":
        return this.#desec(searchParams, authorization);
      case "www.duckdns.org":
        return this.#duckDns(searchParams);
      default:
        return this.#dyndns2(searchParams, authorization);
    }
  }

  #isTooOften(query: URLSearchParams): boolean {
    const now = this.clock?.monotonic();
    const name = query.get("hostname") ?? query.get("domains");
    if (now === undefined || name === null) return false;
    const recent = (this.#times.get(name) ?? []).filter((time) => now - time < DNS_EVERY_MS);
    this.#times.set(name, [...recent, now]);
    return recent.length >= MOST;
  }

  #desec(query: URLSearchParams, authorization: string): Said {
    if (authorization !== `Token ${this.token}`) return { status: 401, body: "badauth" };
    const known = this.names.get(query.get("hostname") ?? "");
    if (known === undefined) return { status: 404, body: "nohost" };
    const [v4, v6] = [query.get("myipv4") ?? this.from, query.get("myipv6") ?? ""];
    if (v4 !== "preserve") known.v4 = v4;
    if (v6 !== "preserve") known.v6 = v6;
    return { body: "good" };
  }

  #duckDns(query: URLSearchParams): Said {
    const known = this.names.get(`${query.get("domains")}.duckdns.org`);
    if (known === undefined || query.get("token") !== this.token) return { body: "KO" };
    const before = { ...known };
    const isCleared = query.get("clear") === "true";
    known.v4 = isCleared ? "" : (query.get("ip") ?? (query.has("ipv6") ? known.v4 : this.from));
    known.v6 = isCleared ? "" : (query.get("ipv6") ?? known.v6);
    const isSame = known.v4 === before.v4 && known.v6 === before.v6;
    return { body: `OK\n${known.v4}\n${known.v6}\n${isSame ? "NOCHANGE" : "UPDATED"}` };
  }

  #dyndns2(query: URLSearchParams, authorization: string): Said {
    const pair = Buffer.from(`${this.user}:${this.token}`).toString("base64");
    if (authorization !== `Basic ${pair}`) return { status: 401, body: "badauth" };
    const known = this.names.get(query.get("hostname") ?? "");
    if (known === undefined) return { body: "nohost" };
    const before = { ...known };
    const address = query.get("myip") ?? this.from;
    known[address.includes(":") ? "v6" : "v4"] = address;
    known.v6 = query.get("myipv6") ?? known.v6;
    const isSame = known.v4 === before.v4 && known.v6 === before.v6;
    return { body: `${isSame ? "nochg" : "good"} ${address}` };
  }
}
