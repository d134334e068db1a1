import { againAt } from "./limits.ts";
import {
  isAtHome,
  isHindered,
  isInDoubt,
  isNamed,
  isServing,
  nextOrderAt,
  opensPort,
  PATIENT_TRIES,
  type PublicTaskFacts,
} from "./machine.ts";
import { countedBy, type PublicRecord } from "./record.ts";
import { renewalDue, warnsAt } from "./renewal.ts";
import type { CaFailureKind, PublicTask } from "./tasks.ts";
import type { PublicState, PublicView } from "./view.ts";

/** @param doing the running task */
export function publicStateOf(
  record: PublicRecord,
  facts: PublicTaskFacts,
  doing?: PublicTask,
): PublicState {
  const { settings, isSure, port } = facts;
  if (!settings.enabled) return "off";
  if (settings.name === "") return "needs-name";
  if (!settings.agreed) return "needs-consent";
  if (port === 0) return "needs-listener";
  if (isServing(facts)) return servingState(record, facts);
  if (!isSure) return "waiting-for-clock";
  return homeTrouble(record, facts) ?? caState(record, facts, doing);
}

function servingState(record: PublicRecord, facts: PublicTaskFacts): PublicState {
  const { served, now, isSure } = facts;
  if (served === undefined || !isSure) return "live";
  if (now >= warnsAt(served)) return "expires";
  if (isShut(record, facts)) return shutOutState(record, facts);
  // The name counts as right before it was looked up.
  const isKnown = isHindered(record) || record.lookUp !== null;
  const trouble = isKnown ? homeTrouble(record, facts) : undefined;
  if (trouble !== undefined) return ON_THE_WAY.includes(trouble) ? "address-changed" : trouble;
  if (isInDoubt(record, facts)) return "testing";
  return renewalDue(record, served) <= now ? "renewing" : "live";
}

/** The state with a certificate and without a reachable port, by the reason of router or line if there is one. */
function shutOutState(record: PublicRecord, facts: PublicTaskFacts): PublicState {
  const { address, port, trouble } = record;
  if (isAtHome(facts) && isHindered(record)) return address?.standing as PublicState;
  if (!opensPort(facts) || trouble?.kind === "dns" || port?.answer === "no-router")
    return "unreached";
  const state = portState(record);
  return state === "unreachable-from-outside" ? "unreached" : state;
}

const ON_THE_WAY: readonly PublicState[] = ["finding-address", "dns-updating", "dns-waiting"];

/** Whether the CA did not get in last, and no visitor has since. */
export function isShut(
  { outside }: PublicRecord,
  { reachedAt = 0 }: Pick<PublicTaskFacts, "reachedAt">,
): boolean {
  return outside?.by443 === false && reachedAt <= outside.at;
}

/** Warnings for the owner beside numbers. They are computed without a view, since each read needs them. */
export function warningsOf(
  record: PublicRecord,
  facts: Omit<PublicTaskFacts, "isTunnelled">,
): PublicView["warnings"] {
  const { settings, served, now, isSure } = facts;
  if (!settings.enabled) return [];
  // An expired certificate is a warning, too.
  const isWorried = isSure && served?.fits === true && now >= warnsAt(served);
  return [
    ...(isWorried ? (["certificate_expires"] as const) : []),
    ...(isServing(facts) && isShut(record, facts) ? (["unreached"] as const) : []),
  ];
}

/** The trouble, or the step not done yet, before the port; undefined where all is well. */
function homeTrouble(record: PublicRecord, facts: PublicTaskFacts): PublicState | undefined {
  const { address, dns, lookUp } = record;
  if (isAtHome(facts)) {
    if (address === null) return "finding-address";
    const { standing } = address;
    if (standing === "cgnat" || standing === "ds-lite" || standing === "double-nat")
      return standing;
  }
  if (isNamed(record, facts)) return undefined;
  if (dns?.result === "refused") return "dns-refused";
  const { ddns } = facts.settings;
  if (ddns !== "" && dns?.result !== "done" && !facts.isTunnelled) return "dns-updating";
  // An update takes a while; without a provider there is none.
  const isOnItsWay = ddns !== "" && (lookUp?.tries ?? 0) < PATIENT_TRIES;
  return lookUp === null || lookUp.result === "unknown" || isOnItsWay
    ? "dns-waiting"
    : "name-points-elsewhere";
}

function caState(
  record: PublicRecord,
  facts: PublicTaskFacts,
  doing: PublicTask | undefined,
): PublicState {
  const { trouble, limit, port, outside } = record;
  if (doing?.kind === "test") return "testing";
  if (doing?.kind === "order") return "ordering";
  // The CA may have reached the router itself, so its finding is not the reason.
  if (isSaidByRouter(port) && outside?.isOpen !== true && trouble?.kind !== "dns")
    return portState(record);
  const { settings, now } = facts;
  if (limit?.about === countedBy(settings) && againAt(limit) > now) return "limit";
  if (trouble !== null) return TROUBLES[trouble.kind] ?? shutState(record);
  if (port === null && settings.openPort && !facts.isTunnelled) return "opening-port";
  if (outside?.isOpen !== true) return "testing";
  return nextOrderAt(record, facts) > now ? "limit" : "ordering";
}

/** The state without a way in, which the router's answer explains. */
function shutState(record: PublicRecord): PublicState {
  const { trouble } = record;
  if (trouble?.kind === "dns" || trouble?.kind === "unauthorized") return "name-points-elsewhere";
  return portState(record);
}

/** Whether the router's answer alone says why there is no way in. */
export function isSaidByRouter(port: PublicRecord["port"]): boolean {
  return port?.answer === "conflict" || port?.answer === "no-public-address";
}

function portState({ port }: PublicRecord): PublicState {
  if (port?.answer === "conflict") return "port-taken";
  return port === null || port.answer === "open" || port.answer === "no-router"
    ? "unreachable-from-outside"
    : "port-refused";
}

const TROUBLES: Readonly<Partial<Record<CaFailureKind, PublicState>>> = {
  caa: "caa",
  "rejected-name": "name-refused",
  limit: "limit",
  agreement: "needs-consent",
  account: "ca-unreachable",
  server: "ca-unreachable",
  unreachable: "ca-unreachable",
  "bad-answer": "ca-unreachable",
};
