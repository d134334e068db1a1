import type { Gateway } from "./gateway.ts";
import type { PortAnswer, PortPair, RefusedWhy } from "./mapping.ts";

/** For the owner: what is, and the one next step. */
interface PortAdvice {
  readonly sentence: string;
  readonly next: string;
}

const REFUSED: Readonly<Record<RefusedWhy, string>> = {
  "not-allowed": "The router does not let this box open a port.",
  "no-room": "The router has no room for another open port.",
  "no-internet": "The router says that it is not connected to the internet.",
  "router-behind-router": "There is another router between this box and the one that was asked.",
  "not-supported": "The router cannot open a port when it is asked to.",
  failed: "The router failed to open the port.",
};

/** What an owner can do about an answer; undefined where the port is open. */
export function portAdvice(
  answer: PortAnswer,
  pair: PortPair,
  gateway: Gateway | undefined,
): PortAdvice | undefined {
  const { external } = pair;
  const byHand = ruleByHand(pair, gateway);
  if (answer.kind === "open") return undefined;
  if (answer.kind === "no-router")
    return { sentence: "No router answered when it was asked to open the port.", next: byHand };
  if (answer.kind === "conflict")
    return {
      sentence: `Port ${external} of the router leads elsewhere already, often to its own pages.`,
      next: `In the router, move its remote access to another port, or take away the other rule for ${external}.`,
    };
  return { sentence: REFUSED[answer.why], next: nextAfter(answer.why, external, byHand) };
}

function nextAfter(why: RefusedWhy, external: number, byHand: string): string {
  switch (why) {
    case "not-allowed":
      return `In a FRITZ!Box, edit this device under Home Network and allow it to create port sharing by PCP or UPnP; elsewhere, switch on UPnP. Or do it by hand: ${byHand}`;
    case "no-room":
      return "Take away rules in the router that nobody needs.";
    case "no-internet":
      return "See in the router whether it is online.";
    case "router-behind-router":
      return `Connect the box to the outer router, or forward TCP port ${external} in both.`;
    default:
      return byHand;
  }
}

function ruleByHand({ external, internal }: PortPair, gateway: Gateway | undefined): string {
  const { own, mac } = gateway ?? {};
  const box = own === undefined ? "this box" : `${own}${mac === undefined ? "" : ` (${mac})`}`;
  return `In the router, forward TCP port ${external} to port ${internal} of ${box}.`;
}
