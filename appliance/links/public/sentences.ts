import { isServing, type PublicTaskFacts } from "./machine.ts";
import type { PublicRecord } from "./record.ts";
import { TUNNEL_ADVICE } from "./router/advice.ts";
import { isSaidByRouter } from "./state.ts";
import type { PublicState, PublicStep, StepView } from "./view.ts";

/** The state, and the one next step for the owner. */
export interface PublicAdvice {
  readonly sentence: string;
  readonly next?: string;
}

export interface SentenceFacts {
  /** The provider of dynamic DNS, as people call it. */
  readonly provider?: string | undefined;
  readonly port?: Required<PublicAdvice> | undefined;
  /** Whether the machine is in a data centre, without a router of its owner. */
  readonly isServer?: boolean | undefined;
}

interface About {
  readonly name: string;
  /** Words for where the machine is. */
  readonly home: string;
  /** The home's own address, or words for it. */
  readonly here: string;
  /** The provider of dynamic DNS, or words for it. */
  readonly provider: string;
  readonly record: PublicRecord;
  readonly facts: PublicTaskFacts;
  readonly more: SentenceFacts;
}

interface StateLine {
  /** The step at which it is shown. Earlier steps are done, later ones wait. */
  readonly step: PublicStep;
  readonly how: StepView["state"];
  readonly says: PublicAdvice | ((about: About) => PublicAdvice);
}

type Says = StateLine["says"];
const waiting = (step: PublicStep, says: Says): StateLine => ({ step, how: "waiting", says });
const working = (step: PublicStep, says: Says): StateLine => ({ step, how: "working", says });
const wrong = (step: PublicStep, says: Says): StateLine => ({ step, how: "wrong", says });
const done = (step: PublicStep, says: Says): StateLine => ({ step, how: "done", says });
const wrongPort = wrong("port", ({ record, more }) => shut(record, more));

export const STATES: Readonly<Record<PublicState, StateLine>> = {
  off: waiting("name", {
    sentence: "The public address is off.",
    next: "Switch it on to count public sites.",
  }),
  "needs-name": wrong("name", {
    sentence: "The machine has no public name yet.",
    next: "Give it a name that is yours, or take a free one at desec.io or duckdns.org.",
  }),
  "needs-consent": wrong("name", ({ record: { trouble } }) =>
    trouble?.kind === "agreement"
      ? {
          sentence: "The certificate authority has new terms.",
          next: "Read them, take the tick away, and set it again.",
        }
      : {
          sentence: "The terms are not agreed to yet.",
          next: "Agree to the terms of the certificate authority. Know that the name will stand in public logs of certificates for ever.",
        },
  ),
  "needs-listener": wrong("name", {
    sentence: "The machine does not answer https:// on any port.",
    next: "Start it with TLS_PORT=8443, or another free port, to which the router has to forward 443.",
  }),
  "waiting-for-clock": working("name", {
    sentence: "The machine waits until it knows the time.",
    next: "If that takes more than minutes, open the Web UI once: it tells the time.",
  }),
  "finding-address": working("address", {
    sentence: "The machine asks the router for this home's address.",
  }),
  cgnat: wrong("address", {
    sentence: "Your provider shares one address among many homes (CGNAT): nobody can get in.",
    next: `Ask the provider for an IPv4 address of your own. Or: ${TUNNEL_ADVICE}`,
  }),
  "ds-lite": wrong("address", {
    sentence:
      "Your provider gives this home no IPv4 address (DS-Lite): most visitors cannot get in.",
    next: `Ask the provider for full dual stack. Or: ${TUNNEL_ADVICE}`,
  }),
  "double-nat": wrong("address", ({ here }) => ({
    sentence: `The router stands behind another router: its address outside is ${here}.`,
    next: "Connect the machine to the outer router, or forward TCP port 443 in both and switch off that the machine opens it.",
  })),
  "dns-updating": working("address", ({ provider, home, record: { dns } }) =>
    dns?.result === "later"
      ? {
          sentence: `${provider} did not take the address: ${dns.why || "it gave no reason"}.`,
          next: "Nothing to do: the machine tells it again.",
        }
      : { sentence: `The machine tells ${provider} where ${home} is.` },
  ),
  "dns-waiting": working("address", ({ name, here }) => ({
    sentence: `The machine waits until ${name} leads to ${here}.`,
  })),
  "dns-refused": wrong("address", ({ provider, record: { dns } }) => ({
    sentence: `${provider} refused: ${DNS_REFUSED[dns?.why ?? ""] ?? "it does not say why"}.`,
    next: DNS_NEXT[dns?.why ?? ""] ?? "Correct the settings: until then it is not asked again.",
  })),
  "name-points-elsewhere": wrong("address", elsewhere),
  "address-changed": working("address", ({ name, here, home, facts }) => ({
    sentence: `${home.replace("t", "T")} has another address, and the name does not lead to it yet.`,
    next:
      facts.settings.ddns === ""
        ? `Let ${name} lead to ${here}.`
        : "Nothing to do: it takes some minutes.",
  })),
  "opening-port": working("port", { sentence: "The machine asks the router to open port 443." }),
  "port-refused": wrongPort,
  "port-taken": wrongPort,
  "unreachable-from-outside": wrongPort,
  testing: working("port", ({ record, facts, more }) => ({
    sentence: `${isServing(facts) ? `${ofRouter(record, more)} ` : ""}The certificate authority tries to get in from outside.`,
  })),
  ordering: working("certificate", { sentence: "The machine gets its certificate." }),
  caa: wrong("certificate", ({ name }) => ({
    sentence: `The DNS of ${name} has a CAA record that lets other certificate authorities only.`,
    next: 'Add a CAA record `0 issue "letsencrypt.org"`, or take the record away.',
  })),
  "name-refused": wrong("certificate", ({ name, record: { trouble } }) => ({
    sentence: `The certificate authority gives no certificate for ${name}: ${trouble?.detail ?? ""}`,
    next: "Take another name.",
  })),
  limit: wrong("certificate", {
    sentence: "There were too many certificates, or too many tries, for this name.",
    next: "Nothing to do but wait: the machine tries again by itself.",
  }),
  "ca-unreachable": wrong("certificate", ({ home, record: { trouble } }) => ({
    sentence: `The certificate authority gave no certificate: ${trouble?.detail || "it did not answer"}.`,
    next: `Nothing to do: the machine tries again. See whether ${home} is online.`,
  })),
  renewing: done("certificate", {
    sentence: "The certificate is being renewed; the one before is served until then.",
  }),
  expires: wrong("certificate", ({ record: { trouble }, more }) => ({
    sentence: `The certificate ends soon and could not be renewed: ${trouble?.detail || "it is tried"}.`,
    next: more.isServer
      ? "See whether the name leads here, and port 443 is open."
      : "Test from the internet: it says what is in the way.",
  })),
  unreached: wrong("reached", ({ record, more }) => ({
    sentence:
      record.port?.answer === "no-router"
        ? `${ofRouter(record, more)} From outside nobody gets in.`
        : "There is a certificate, but the machine was not reached from outside.",
    next: shut(record, more).next ?? byHand(more),
  })),
  live: done("reached", ({ name }) => ({
    sentence: `Visitors reach the machine by https://${name}.`,
  })),
};

export function adviceOf(
  state: PublicState,
  record: PublicRecord,
  facts: PublicTaskFacts,
  more: SentenceFacts,
): PublicAdvice {
  const { says } = STATES[state];
  if (typeof says !== "function") return says;
  const { name, ddns } = facts.settings;
  const home = more.isServer ? "this server" : "this home";
  const here = record.address?.v4 ?? `${home}'s address`;
  const provider = more.provider ?? (ddns || "the DNS provider");
  return says({ name, home, here, provider, record, facts, more });
}

function byHand({ isServer }: SentenceFacts): string {
  return isServer
    ? "Let TCP port 443 in, in the firewall of this machine and at its provider."
    : "In the router, forward TCP port 443 to this machine.";
}

/** The router's answer to a request for the port, for people. */
export function ofRouter(
  { port }: Pick<PublicRecord, "port">,
  { port: advice }: SentenceFacts,
): string {
  if (port?.answer === "open") return "The router leads port 443 to this machine.";
  return advice?.sentence ?? "The router did not open port 443.";
}

function shut({ port, trouble }: PublicRecord, more: SentenceFacts): PublicAdvice {
  if (trouble?.byV6 && !isSaidByRouter(port))
    return {
      sentence: "From outside the machine is not reached by IPv6.",
      next: `Take the AAAA record of the name away, or let IPv6 in for this machine in the ${more.isServer ? "firewall" : "router"}.`,
    };
  if (port?.answer === "open")
    return {
      sentence: "The router says that port 443 is open, but from outside nobody gets in.",
      next: "See whether the provider blocks port 443, or another router or firewall stands before this one.",
    };
  return more.port ?? { sentence: "From outside nobody gets in by port 443.", next: byHand(more) };
}

function elsewhere({
  name,
  home,
  here,
  more,
  record: { lookUp, trouble },
  facts: { settings },
}: About): PublicAdvice {
  if (trouble?.kind === "unauthorized")
    return {
      sentence: `Another machine answers at ${name}.`,
      next: more.isServer
        ? "Let the name lead to this server; and see whether something else answers port 443 on it."
        : "Let the name lead to this home; and see whether the router answers port 443 itself.",
    };
  if (lookUp?.result === "nothing" || trouble?.kind === "dns")
    return {
      sentence: `There is no address for ${name} in the DNS.`,
      next: `Let the name lead to ${here}${settings.ddns === "" ? ", or choose a provider here that does it" : ""}.`,
    };
  return {
    sentence: `${name} leads to another address than ${home}'s.`,
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
