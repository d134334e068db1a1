import { CONTROL_PORT } from "../../../base/ports.ts";
import type { Cancel } from "../../../base/signal.ts";
import { Announcements } from "./announcements.ts";
import type { Gateway } from "./gateway.ts";
import { igd } from "./igd.ts";
import type {
  GatewayClient,
  Mapping,
  PortAnswer,
  PortPair,
  PortProtocol,
  RouterPorts,
} from "./mapping.ts";
import { natPmp } from "./nat-pmp.ts";
import { NONCE_BYTES, pcp } from "./pcp.ts";

interface RouterOptions extends Pick<GatewayClient, "ask" | "clock"> {
  /** The present gateway, looked up each time, since a box may move to another network. */
  readonly gateway: () => Promise<Gateway | undefined>;
  readonly ports?: RouterPorts;
  readonly randomBytes: (size: number) => Buffer;
}

/** The protocols, the newest first. After a success the others are not tried. */
const PROTOCOLS: Readonly<Record<Mapping["by"], PortProtocol>> = { pcp, natpmp: natPmp, igd };
const ORDER: readonly Mapping["by"][] = ["pcp", "natpmp", "igd"];

/**
 * The port for answers to a search, which come from port 1900 of the router. The image's firewall opens it.
 */
const SEARCH_FROM = 1901;
const UPNP = { address: "239.255.255.250", port: 1900 };
const PORTS: RouterPorts = {
  control: 5351,
  announced: { address: "224.0.0.1", port: 5350 },
  notified: UPNP,
  search: UPNP,
  searchFrom: SEARCH_FROM,
};
/**
 * Whether the answer of an older protocol has more information: an unsupported protocol has none, and PCP has one result
 * for all resources that the router lacks.
 */
function explains(answer: PortAnswer, best: PortAnswer): boolean {
  if (answer.kind !== "refused" || best.kind !== "refused") return false;
  if (best.why === "not-supported") return answer.why !== "not-supported";
  return best.by === "pcp" && best.why === "no-public-address" && answer.why === "no-room";
}

/** HTTPS and HTTP. */
const OUTER_PORTS: readonly number[] = [443, 80];

/** The home's router, which is the default gateway, and opens ports to this box. */
export class HomeRouter {
  readonly #options: RouterOptions;
  /** One nonce for all mappings, so that a forgotten one can still be proven to be ours. */
  #nonce: string;
  #announcements: Announcements | undefined;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#nonce = options.randomBytes(NONCE_BYTES).toString("hex");
  }

  /**
   * Opens a TCP port, or renews the mapping `before`; call it again after `renewAfter`. It tries PCP, NAT-PMP and UPnP,
   * each for 3.5 s without an answer. A mapping with another outer port is a conflict, and removed again.
   * @throws {RangeError} for another outer port than 443 and 80, or the Web UI's port
   * @throws the signal's reason, when it is aborted before a port is open
   */
  async open(
    pair: PortPair,
    before: Mapping | undefined,
    signal: AbortSignal,
  ): Promise<PortAnswer> {
    if (!OUTER_PORTS.includes(pair.external) || pair.internal === CONTROL_PORT)
      throw new RangeError(`port ${pair.external} to ${pair.internal} is not opened`);
    if (/^[0-9a-f]{24}$/.test(before?.nonce ?? "")) this.#nonce = before?.nonce ?? "";
    const talk = await this.#talk(signal);
    let best: PortAnswer = { kind: "no-router" };
    if (talk === undefined) return best;
    // The protocol of the present mapping is first, since another one would report a conflict with it.
    const order = before === undefined ? ORDER : [...new Set([before.by, ...ORDER])];
    for (const by of order) {
      const answer = await PROTOCOLS[by].map(pair, talk);
      // A mapping is returned even after an abort, since it has to be removed one day.
      if (answer.kind === "open") return answer;
      signal.throwIfAborted();
      if (answer.kind === "conflict") return answer;
      if (best.kind === "no-router" || explains(answer, best)) best = answer;
    }
    return best;
  }

  /** Removes a mapping. @returns whether the router has confirmed that; otherwise its lifetime ends it */
  async close(mapping: Mapping, signal: AbortSignal): Promise<boolean> {
    const talk = await this.#talk(signal);
    return talk !== undefined && PROTOCOLS[mapping.by].unmap(mapping, talk);
  }

  /**
   * The router's outer IPv4 address; undefined where it reports none. It takes 7 s at most.
   */
  async outerAddress(signal: AbortSignal): Promise<string | undefined> {
    const talk = await this.#talk(signal);
    if (talk === undefined) return undefined;
    return (await natPmp.outerAddress?.(talk)) ?? (await igd.outerAddress?.(talk));
  }

  /** Calls `heard` when the router has restarted, or may have, from the next request on. */
  listen(heard: () => void): Cancel {
    const { ports = PORTS, clock } = this.#options;
    const announcements = new Announcements({ ports, clock, heard });
    this.#announcements = announcements;
    return () => {
      announcements.close();
      if (this.#announcements === announcements) this.#announcements = undefined;
    };
  }

  async #talk(signal: AbortSignal): Promise<GatewayClient | undefined> {
    const { gateway: gatewayOf, ports = PORTS, ask, clock } = this.#options;
    const gateway = await gatewayOf();
    this.#announcements?.follow(gateway);
    return gateway && { gateway, ports, ask, clock, nonce: this.#nonce, signal };
  }
}
