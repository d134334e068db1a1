import type { Gateway } from "./gateway.ts";
import type { PortPair, RefusedWhy } from "./mapping.ts";

interface PortAdvice {
  readonly sentence: string;
  readonly next: string;
}

/** The advice for homes without a reachable address. */
export const TUNNEL_ADVICE =
  "Rent a small server and connect the machine to it by WireGuard; the page about the public address says how.";

/** Any answer but an open port. */
type Unopened = RefusedWhy | "conflict" | "no-router";

const SENTENCES: Readonly<Record<RefusedWhy | "no-router", string>> = {
  "not-allowed": "The router does not let this machine open a port.",
  "no-room": "The router has no room for another open port.",
  "no-internet": "The router says that it is not connected to the internet.",
  "no-public-address": "Your router has no public address of its own.",
  "router-behind-router":
    "There is another router between this machine and the one that was asked.",
  "not-supported": "The router cannot open a port when it is asked to.",
  failed: "The router failed to open the port.",
  "no-router": "No router answered when it was asked to open the port.",
};

export function portAdvice(
  answer: Unopened,
  pair: PortPair,
  gateway: Gateway | undefined,
): PortAdvice {
  const { external } = pair;
  if (answer === "conflict")
    return {
      sentence: `Port ${external} of the router leads elsewhere already, often to its own pages.`,
      next: `In the router, move its remote access to another port, or take away the other rule for ${external}.`,
    };
  return {
    sentence: SENTENCES[answer],
    next: nextAfter(answer, external, ruleByHand(pair, gateway)),
  };
}

function nextAfter(answer: RefusedWhy | "no-router", external: number, byHand: string): string {
  switch (answer) {
    case "not-allowed":
      return `In a FRITZ!Box, under Internet → Permit Access, allow this device to create port sharing by PCP or UPnP; elsewhere, switch on UPnP. Or do it by hand: ${byHand}`;
    case "no-room":
      return "Take away rules in the router that nobody needs.";
    case "no-internet":
      return "See in the router whether it is online.";
    case "no-public-address":
      return `If it is online, your provider shares one address among many homes (CGNAT), or another router stands before yours. Ask the provider for an IPv4 address of your own; or connect the machine to the outer router, or forward TCP port ${external} in both. Or: ${TUNNEL_ADVICE}`;
    case "router-behind-router":
      return `Connect the machine to the outer router, or forward TCP port ${external} in both.`;
    default:
      return byHand;
  }
}

function ruleByHand({ external, internal }: PortPair, gateway: Gateway | undefined): string {
  const { own, mac } = gateway ?? {};
  const box = own === undefined ? "this machine" : `${own}${mac === undefined ? "" : ` (${mac})`}`;
  return `In the router, forward TCP port ${external} to port ${internal} of ${box}.`;
}
