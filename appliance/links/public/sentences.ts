import { isServing, type PublicTaskFacts } from "./machine.ts";
import type { PublicRecord } from "./record.ts";
import { TUNNEL_ADVICE } from "./router/advice.ts";
import { isSaidByRouter } from "./state.ts";
import type { PublicState } from "./view.ts";

/** The state, and the one next step for the owner. */
export interface PublicAdvice {
  readonly sentence: string;
  readonly next?: string;
}

/** The facts that sentences need beside the state. */
export interface SentenceFacts {
  /** The provider of dynamic DNS, as people call it. */
  readonly provider?: string | undefined;
  /** Advice for the owner about the router's answer. */
  readonly port?: Required<PublicAdvice> | undefined;
}

const LOGS =
  "Agree to the terms of the certificate authority. Know that the name will stand in public logs of certificates for ever.";

/** The sentences about a state for people. */
export function adviceOf(
  state: PublicState,
  record: PublicRecord,
  facts: PublicTaskFacts,
  sentenceFacts: SentenceFacts,
): PublicAdvice {
  const { name, ddns } = facts.settings;
  const { address, trouble, dns } = record;
  const provider = sentenceFacts.provider ?? (ddns || "the DNS provider");
  const here = address?.v4 ?? "this home's address";
  switch (state) {
    case "off":
      return {
        sentence: "The public address is off.",
        next: "Switch it on to count public sites.",
      };
    case "needs-name":
      return {
        sentence: "The machine has no public name yet.",
        next: "Give it a name that is yours, or take a free one at desec.io or duckdns.org.",
      };
    case "needs-consent":
      return trouble?.kind === "agreement"
        ? {
            sentence: "The certificate authority has new terms.",
            next: "Read them, take the tick away, and set it again.",
          }
        : { sentence: "The terms are not agreed to yet.", next: LOGS };
    case "needs-listener":
      return {
        sentence: "The machine does not answer https:// on any port.",
        next: "Start it with TLS_PORT=8443, or another free port, to which the router has to forward 443.",
      };
    case "waiting-for-clock":
      return {
        sentence: "The machine waits until it knows the time.",
        next: "If that takes more than minutes, open the Web UI once: it tells the time.",
      };
    case "finding-address":
      return { sentence: "The machine asks the router for this home's address." };
    case "cgnat":
      return {
        sentence: "Your provider shares one address among many homes (CGNAT): nobody can get in.",
        next: `Ask the provider for an IPv4 address of your own. Or: ${TUNNEL_ADVICE}`,
      };
    case "ds-lite":
      return {
        sentence:
          "Your provider gives this home no IPv4 address (DS-Lite): most visitors cannot get in.",
        next: `Ask the provider for full dual stack. Or: ${TUNNEL_ADVICE}`,
      };
    case "double-nat":
      return {
        sentence: `The router stands behind another router: its address outside is ${here}.`,
        next: "Connect the machine to the outer router, or forward TCP port 443 in both and switch off that the machine opens it.",
      };
    case "dns-updating":
      return dns?.result === "later"
        ? {
            sentence: `${provider} did not take the address: ${dns.why || "it gave no reason"}.`,
            next: "Nothing to do: the machine tells it again.",
          }
        : { sentence: `The machine tells ${provider} where this home is.` };
    case "dns-waiting":
      return { sentence: `The machine waits until ${name} leads to ${here}.` };
    case "dns-refused":
      return {
        sentence: `${provider} refused: ${DNS_REFUSED[dns?.why ?? ""] ?? "it does not say why"}.`,
        next: DNS_NEXT[dns?.why ?? ""] ?? "Correct the settings: until then it is not asked again.",
      };
    case "name-points-elsewhere":
      return elsewhere(record, facts, here);
    case "address-changed":
      return {
        sentence: "This home has another address, and the name does not lead to it yet.",
        next:
          ddns === "" ? `Let ${name} lead to ${here}.` : "Nothing to do: it takes some minutes.",
      };
    case "opening-port":
      return { sentence: "The machine asks the router to open port 443." };
    case "testing":
      return {
        sentence: `${isServing(facts) ? `${ofRouter(record, sentenceFacts)} ` : ""}The certificate authority tries to get in from outside.`,
      };
    case "port-refused":
    case "port-taken":
    case "unreachable-from-outside":
      return shut(record, sentenceFacts);
    case "ordering":
      return { sentence: "The machine gets its certificate." };
    case "caa":
      return {
        sentence: `The DNS of ${name} has a CAA record that lets other certificate authorities only.`,
        next: 'Add a CAA record `0 issue "letsencrypt.org"`, or take the record away.',
      };
    case "name-refused":
      return {
        sentence: `The certificate authority gives no certificate for ${name}: ${trouble?.detail ?? ""}`,
        next: "Take another name.",
      };
    case "limit":
      return {
        sentence: "There were too many certificates, or too many tries, for this name.",
        next: "Nothing to do but wait: the machine tries again by itself.",
      };
    case "ca-unreachable":
      return {
        sentence: `The certificate authority gave no certificate: ${trouble?.detail || "it did not answer"}.`,
        next: "Nothing to do: the machine tries again. See whether the home is online.",
      };
    case "live":
      return { sentence: `Visitors reach the machine by https://${name}.` };
    case "renewing":
      return { sentence: "The certificate is being renewed; the one before is served until then." };
    case "expires":
      return {
        sentence: `The certificate ends soon and could not be renewed: ${trouble?.detail || "it is tried"}.`,
        next: "Test from the internet: it says what is in the way.",
      };
    case "unreached":
      return {
        sentence:
          record.port?.answer === "no-router"
            ? `${ofRouter(record, sentenceFacts)} From outside nobody gets in.`
            : "There is a certificate, but the machine was not reached from outside.",
        next: shut(record, sentenceFacts).next ?? BY_HAND,
      };
  }
}

const BY_HAND = "In the router, forward TCP port 443 to this machine.";

/** The router's answer to a request for the port, for people. */
export function ofRouter(
  { port }: Pick<PublicRecord, "port">,
  { port: advice }: SentenceFacts,
): string {
  if (port?.answer === "open") return "The router leads port 443 to this machine.";
  return advice?.sentence ?? "The router did not open port 443.";
}

function shut({ port, trouble }: PublicRecord, { port: advice }: SentenceFacts): PublicAdvice {
  if (trouble?.byV6 && !isSaidByRouter(port))
    return {
      sentence: "From outside the machine is not reached by IPv6.",
      next: "Take the AAAA record of the name away, or let IPv6 in for this machine in the router.",
    };
  if (port?.answer === "open")
    return {
      sentence: "The router says that port 443 is open, but from outside nobody gets in.",
      next: "See whether the provider blocks port 443, or another router or firewall stands before this one.",
    };
  return advice ?? { sentence: "From outside nobody gets in by port 443.", next: BY_HAND };
}

function elsewhere(
  { lookUp, trouble }: PublicRecord,
  { settings }: PublicTaskFacts,
  here: string,
): PublicAdvice {
  const { name, ddns } = settings;
  if (trouble?.kind === "unauthorized")
    return {
      sentence: `Another machine answers at ${name}.`,
      next: "Let the name lead to this home; and see whether the router answers port 443 itself.",
    };
  if (lookUp?.result === "nothing" || trouble?.kind === "dns")
    return {
      sentence: `There is no address for ${name} in the DNS.`,
      next: `Let the name lead to ${here}${ddns === "" ? ", or choose a provider here that does it" : ""}.`,
    };
  return {
    sentence: `${name} leads to another address than this home's.`,
    next: `Let the name lead to ${here}.`,
  };
}

const DNS_REFUSED: Readonly<Record<string, string>> = {
  auth: "user or token is wrong",
  name: "it does not know this name",
  abuse: "it blocks the name, as if it was asked too often",
  paid: "it does this for paying accounts only",
  "bad-request": "it does not understand the machine",
};

const ON_AGAIN =
  "then turn the public address off and on again: until then the machine does not ask it.";
/** Advice where the settings may be right. */
const DNS_NEXT: Readonly<Record<string, string>> = {
  abuse: `Have the name unblocked on the pages of the provider, ${ON_AGAIN}`,
  paid: `Choose another provider, or pay for this one, ${ON_AGAIN}`,
};
