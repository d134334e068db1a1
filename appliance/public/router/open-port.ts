import { CONTROL_PORT } from "../../base/ports.ts";
import type { Cancel } from "../../base/signal.ts";
import { Announcements } from "./announcements.ts";
import type { Gateway } from "./gateway.ts";
import { igd } from "./igd.ts";
import type { Mapping, PortAnswer, PortPair, PortProtocol, RouterPorts, Talk } from "./mapping.ts";
import { natPmp } from "./nat-pmp.ts";
import { NONCE_BYTES, pcp } from "./pcp.ts";

interface RouterOptions extends Pick<Talk, "ask" | "clock"> {
  /** Asked anew each time: a box is moved to another network. */
  readonly gateway: () => Promise<Gateway | undefined>;
  readonly ports?: RouterPorts;
  readonly randomBytes: (size: number) => Buffer;
}

/** Newest first: what answers well is asked for nothing else. */
const PROTOCOLS: Readonly<Record<Mapping["by"], PortProtocol>> = { pcp, natpmp: natPmp, igd };
const ORDER: readonly Mapping["by"][] = ["pcp", "natpmp", "igd"];

/**
 * The port that answers to a search come back to, from port 1900 of the router: the image's
 * firewall knows it.
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
 * True where an older way of asking says more than a newer did: that it is not spoken says nothing, and
 * PCP has one result for whatever the router lacks.
 */
function explains(answer: PortAnswer, best: PortAnswer): boolean {
  if (answer.kind !== "refused" || best.kind !== "refused") return false;
  if (best.why === "not-supported") return answer.why !== "not-supported";
  return best.by === "pcp" && best.why === "no-public-address" && answer.why === "no-room";
}

/** HTTPS and HTTP. */
const OUTER_PORTS: readonly number[] = [443, 80];

/** The home's router, asked to lead a port to this box. Nothing but the default gateway is asked. */
export class HomeRouter {
  readonly #options: RouterOptions;
  /** One for all: who lost a mapping from sight still has what proves that it is theirs. */
  #nonce: string;
  #announcements: Announcements | undefined;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#nonce = options.randomBytes(NONCE_BYTES).toString("hex");
  }

  /**
   * Opens a TCP port, or renews what was granted `before`; ask again after `renewAfter`. It tries
   * PCP, NAT-PMP and UPnP, each for 3.5 s where no answer comes. A router that grants another outer
   * port is asked to take it back: that is a conflict.
   * @throws {RangeError} for another outer port than 443 and 80, or the Web UI's own
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
    // The protocol that granted the port is asked first, lest another way to the same router takes
    // it for a conflict.
    const order = before === undefined ? ORDER : [...new Set([before.by, ...ORDER])];
    for (const by of order) {
      const answer = await PROTOCOLS[by].map(pair, talk);
      // A granted mapping is told even so: it has to be taken back one day.
      if (answer.kind === "open") return answer;
      signal.throwIfAborted();
      if (answer.kind === "conflict") return answer;
      if (best.kind === "no-router" || explains(answer, best)) best = answer;
    }
    return best;
  }

  /** Takes a port back. @returns whether the router said that it is gone; else its lifetime ends it */
  async close(mapping: Mapping, signal: AbortSignal): Promise<boolean> {
    const talk = await this.#talk(signal);
    return talk !== undefined && PROTOCOLS[mapping.by].unmap(mapping, talk);
  }

  /**
   * The router's outer IPv4 address; undefined where it does not tell. Takes 7 s at most where no
   * answer comes.
   */
  async outerAddress(signal: AbortSignal): Promise<string | undefined> {
    const talk = await this.#talk(signal);
    if (talk === undefined) return undefined;
    return (await natPmp.outerAddress?.(talk)) ?? (await igd.outerAddress?.(talk));
  }

  /** Calls `heard` when the router says that it began anew, or may have; from when it is asked next on. */
  listen(heard: () => void): Cancel {
    const { ports = PORTS, clock } = this.#options;
    const announcements = new Announcements({ ports, clock, heard });
    this.#announcements = announcements;
    return () => {
      announcements.close();
      if (this.#announcements === announcements) this.#announcements = undefined;
    };
  }

  async #talk(signal: AbortSignal): Promise<Talk | undefined> {
    const { gateway: gatewayOf, ports = PORTS, ask, clock } = this.#options;
    const gateway = await gatewayOf();
    this.#announcements?.follow(gateway);
    return gateway && { gateway, ports, ask, clock, nonce: this.#nonce, signal };
  }
}
