import type { promises } from "node:dns";
import type { Clock } from "../../../base/clock.ts";
import { timeLimit } from "../../../base/tasks/closing.ts";

/** The part of `node:dns` that is needed here. */
type Resolver = Pick<
  promises.Resolver,
  "resolve4" | "resolve6" | "resolveCname" | "resolveNs" | "setServers" | "cancel"
>;

/**
 * Asks a name's authoritative servers, which have no cache with older answers. Never rejects.
 * @returns each IPv4 address once, sorted as text, 16 at most; undefined where that is unknown, and another try may work
 */
export type LookUp = (name: string, signal?: AbortSignal) => Promise<readonly string[] | undefined>;

interface LookUpOptions {
  readonly clock: Clock;
  /** Creates a resolver with the system's name servers, and time limits of its own. */
  readonly resolver: () => Resolver;
  readonly port?: number;
}

const PATIENCE_MS = 20_000;
const MOST_SERVERS = 4;
const MOST_ADDRESSES = 16;
/** The most aliases followed from one name to another. */
const MOST_HOPS = 4;
/** The most levels above a name at which its zone may begin. */
const MOST_LEVELS = 8;

/** Errors for an unknown name, or a name without such records. */
const EMPTY = new Set(["ENOTFOUND", "ENODATA"]);
/** Codes of a server that is not there; any other error is an answer, if only a refusal. */
const SILENT = new Set(["ETIMEOUT", "ECONNREFUSED", "ECANCELLED"]);

/** There is no answer, or not one. */
class Unknown extends Error {}

export function lookUpWith(options: LookUpOptions): LookUp {
  return async (name, signal) => {
    const search = new Search(options);
    using end = timeLimit(options.clock, PATIENCE_MS, signal);
    end.signal.addEventListener("abort", () => search.close());
    if (end.signal.aborted) search.close();
    try {
      return await search.find(name);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      return undefined;
    }
  };
}

interface KnownAddresses {
  readonly v4: readonly string[];
  readonly v6: readonly string[];
  /** The name of a CNAME whose records the server does not have. */
  readonly alias?: string | undefined;
}

class Search {
  readonly #options: LookUpOptions;
  readonly #system: Resolver;
  readonly #resolvers: Resolver[] = [];
  #isStopped = false;

  constructor(options: LookUpOptions) {
    this.#options = options;
    this.#system = this.#resolver();
  }

  /** @throws {Unknown} */
  async find(name: string): Promise<readonly string[]> {
    let { v4, alias } = await this.#agreed(name);
    for (let hops = 0; alias !== undefined; hops++) {
      if (hops === MOST_HOPS) throw new Unknown("it leads from name to name without an end");
      ({ v4, alias } = await this.#agreed(alias));
    }
    return v4.slice(0, MOST_ADDRESSES);
  }

  close(): void {
    this.#isStopped = true;
    for (const resolver of this.#resolvers) resolver.cancel();
  }

  /** The addresses that all answering servers have. */
  async #agreed(name: string): Promise<KnownAddresses> {
    const servers = await this.#serversOf(name);
    const heard = await Promise.allSettled(servers.map((server) => this.#known(server, name)));
    const [first, ...others] = heard.flatMap((one) =>
      one.status === "fulfilled" ? [one.value] : [],
    );
    if (first === undefined) throw new Unknown("no name server answered");
    const isSame = (other: KnownAddresses) => JSON.stringify(other) === JSON.stringify(first);
    if (!others.every(isSame)) throw new Unknown("its name servers do not agree yet");
    return first;
  }

  /**
   * The authoritative servers of a name, found by the system's servers. A resolver without NS records, like those of some
   * homes, is asked itself.
   */
  async #serversOf(name: string): Promise<Resolver[]> {
    const labels = name.split(".");
    // A name with a CNAME begins no zone, and a query would return the servers of the other name.
    const [alias] = await this.#local("resolveCname", name);
    const first = alias === undefined ? 0 : 1;
    // A top-level domain only has references to other servers.
    for (let up = first; up < Math.min(labels.length - 1, MOST_LEVELS); up++) {
      const names = await this.#local("resolveNs", labels.slice(up).join("."));
      const all = names.slice(0, MOST_SERVERS).map((server) => this.#addressOf(server));
      const addresses = (await Promise.all(all)).filter((address) => address !== undefined);
      if (addresses.length > 0) return addresses.map((address) => this.#resolver(address));
    }
    return [this.#system];
  }

  async #addressOf(server: string): Promise<string | undefined> {
    const [v4] = await this.#local("resolve4", server);
    return v4 ?? (await this.#local("resolve6", server))[0];
  }

  /** @throws {Unknown} where it does not answer all that is asked */
  async #known(server: Resolver, name: string): Promise<KnownAddresses> {
    const ask = (how: "resolve4" | "resolve6" | "resolveCname") => this.#ask(server, how, name);
    const [v4, v6] = await Promise.all([ask("resolve4"), ask("resolve6")]);
    if (v4.length + v6.length > 0) return { v4: inOrder(v4), v6: inOrder(v6) };
    const [alias] = await ask("resolveCname");
    return { v4, v6, alias: alias?.toLowerCase() };
  }

  /**
   * The addresses that the system's servers give; one that refuses a kind of question has none of
   * it.
   */
  async #local(how: DnsQuestion, name: string): Promise<readonly string[]> {
    try {
      return await this.#ask(this.#system, how, name);
    } catch (error) {
      if (this.#isStopped || SILENT.has(codeOf(error))) throw new Unknown("no answer");
      return [];
    }
  }

  async #ask(server: Resolver, how: DnsQuestion, name: string): Promise<readonly string[]> {
    if (this.#isStopped) throw new Unknown("stopped");
    try {
      return await server[how](name);
    } catch (error) {
      if (EMPTY.has(codeOf(error))) return [];
      throw error;
    }
  }

  #resolver(address?: string): Resolver {
    const resolver = this.#options.resolver();
    const { port = 53 } = this.#options;
    if (address !== undefined)
      resolver.setServers([address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`]);
    this.#resolvers.push(resolver);
    return resolver;
  }
}

type DnsQuestion = "resolve4" | "resolve6" | "resolveCname" | "resolveNs";

function inOrder(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}
