import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { SecureContext } from "node:tls";
import type { Clock } from "../base/clock.ts";
import { addressKey } from "../base/http/client.ts";
import type { Certificates } from "../base/http/tls.ts";
import { type Cancel, type Listenable, Signal } from "../base/signal.ts";
import { TUNNEL } from "../box/ipc/tunnel.ts";
import { kindOfAddress } from "../links/public/addresses.ts";
import type { PhoneLinks } from "../links/public/phone-links.ts";
import type { PublicFacts } from "../traffic/collector/public-surface.ts";

/** The source of the state of the public address. */
export interface DoorSource {
  /** The answers of `view` or `settings` may be other than before. */
  readonly changed: Listenable;
  readonly settings: { readonly name: string; readonly dashboard: boolean };
  view(): { readonly live: boolean; readonly url: string | null };
  readonly certificate: ReturnType<Certificates["current"]>;
  readonly certificateChanged: Listenable;
  /** The router's outer address, as far as it is known. */
  outerAddress?(): string | undefined;
  /** Notes a visitor from outside. */
  reached(): void;
}

interface DoorParts {
  clock: Pick<Clock, "monotonic">;
  /** The networks of this machine's interfaces: `192.168.1.7/24`. */
  networks?: () => readonly string[];
  /** The box's addresses at which a tunnel of the owner's ends. */
  tunnelEnds?: () => readonly string[];
}

/** Visitors are reported at most this often. */
const REACHED_EVERY_MS = 30_000;

/**
 * The public address for the public listener and the collector. The address itself opens after them and closes before
 * them; its certificate stays meanwhile.
 */
export class PublicDoor implements PublicFacts {
  readonly certificates: Certificates;
  readonly #parts: DoorParts;
  readonly #certificateChanged = new Signal();
  readonly #contexts = new Map<string, SecureContext>();
  readonly #answers = new Map<string, string>();
  #source: DoorSource | undefined;
  /** The links that the owner was given. */
  #links: Pick<PhoneLinks, "use"> | undefined;
  #certificate: DoorSource["certificate"];
  #liveUrl: string | undefined;
  #reachedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.certificates = {
      current: () => this.#certificate,
      changed: this.#certificateChanged,
      challengeFor: (servername) => this.#contexts.get(servername.toLowerCase()),
    };
  }

  /** Uses the state of `source` from now on, with `links` to it. @returns a function that ends it */
  follow(source: DoorSource, links: Pick<PhoneLinks, "use">): Cancel {
    this.#source = source;
    this.#links = links;
    const look = () => {
      const { live, url } = source.view();
      this.#liveUrl = live && url !== null ? url : undefined;
    };
    const show = () => {
      this.#certificate = source.certificate;
      this.#certificateChanged.emit();
    };
    const cancels = [source.changed.on(look), source.certificateChanged.on(show)];
    look();
    show();
    return () => {
      for (const cancel of cancels) cancel();
      if (this.#source !== source) return;
      this.#source = undefined;
      this.#liveUrl = undefined;
    };
  }

  /** Sets a certificate for the time before the first one of a source. */
  fallBackOn(certificate: () => DoorSource["certificate"]): void {
    if (this.#certificate !== undefined) return;
    this.#certificate = certificate();
    this.#certificateChanged.emit();
  }

  /** Shows the challenge of a name to a CA. @returns a function that ends it */
  showContext(servername: string, context: SecureContext): Cancel {
    return shown(this.#contexts, servername.toLowerCase(), context);
  }

  /** Answers a CA that requests a token. @returns a function that ends it */
  showAnswer(token: string, answer: string): Cancel {
    return shown(this.#answers, token, answer);
  }

  secured(address: string, servername: string): void {
    const source = this.#source;
    if (source === undefined || !isAskedFor(source.settings.name, servername)) return;
    const now = this.#parts.clock.monotonic();
    if (now - this.#reachedAt < REACHED_EVERY_MS || !this.#isOutside(address)) return;
    this.#reachedAt = now;
    source.reached();
  }

  liveUrl(): string | undefined {
    return this.#liveUrl;
  }

  showsDashboard(): boolean {
    return this.#source?.settings.dashboard ?? false;
  }

  challengeAnswer(token: string): string | undefined {
    return this.#answers.get(token);
  }

  isTunnel(ownAddress: string): boolean {
    const { tunnelEnds = tunnelEndsHere } = this.#parts;
    return tunnelEnds().includes(ownAddress);
  }

  isReached(address: string, nonce: string): "reached" | "inside" | "unknown" {
    if (!this.#isOutside(address)) return "inside";
    if (this.#source === undefined || this.#links?.use(nonce) !== true) return "unknown";
    this.#source.reached();
    return "reached";
  }

  /**
   * Whether a request with this address can only come from the internet: it is in none of the own networks, and not the
   * router's outer address, which requests from the home to the public name may have.
   */
  #isOutside(address: string): boolean {
    if (kindOfAddress(address) !== "public" || address === this.#source?.outerAddress?.())
      return false;
    const { networks = networksHere } = this.#parts;
    return !networks().some((network) => isWithin(address, network));
  }
}

/**
 * Whether a TLS client has requested this name. For an IP address clients send no name (RFC 6066, section 3).
 */
function isAskedFor(name: string, servername: string): boolean {
  return servername.toLowerCase() === (isIP(name) === 0 ? name : "");
}

/** @param network of an interface of the machine: `192.168.1.7/24` */
function isWithin(address: string, network: string): boolean {
  const [own = "", bits] = network.split("/");
  const family = isIP(address);
  if (isIP(own) !== family) return false;
  // A home has at least a /64, also where the prefix of the machine's own address is longer.
  if (family === 6 && addressKey(own) === addressKey(address)) return true;
  const block = new BlockList();
  block.addSubnet(own, Number(bits), family === 6 ? "ipv6" : "ipv4");
  return block.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** The entry may be another by the time this is over. */
function shown<T>(all: Map<string, T>, name: string, value: T): Cancel {
  all.set(name, value);
  return () => {
    if (all.get(name) === value) all.delete(name);
  };
}

function tunnelEndsHere(): string[] {
  return (networkInterfaces()[TUNNEL] ?? []).map(({ address }) => address);
}

function networksHere(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ cidr }) => cidr ?? []),
  );
}
