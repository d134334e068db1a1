import { HOUR_MS } from "../../base/calendar.ts";
import { recent, TESTS_AN_HOUR } from "./limits.ts";
import {
  isAtHome,
  isInDoubt,
  isNamed,
  isServing,
  nextTryAt,
  type PublicTaskFacts,
} from "./machine.ts";
import type { PublicRecord } from "./record.ts";
import { adviceOf, ofRouter, type PublicAdvice, type SentenceFacts, STATES } from "./sentences.ts";
import type { PublicSettings } from "./settings.ts";
import { isShut, publicStateOf, warningsOf } from "./state.ts";
import type { PublicTask } from "./tasks.ts";
import type { PublicState, PublicStep, PublicView, StepView } from "./view.ts";

const STEPS: readonly PublicStep[] = ["name", "address", "port", "certificate", "reached"];

/** @param doing the running task @param sentenceFacts facts for sentences, beside the record */
export function publicViewOf(
  record: PublicRecord,
  facts: PublicTaskFacts,
  sentenceFacts: SentenceFacts,
  doing?: PublicTask,
): PublicView {
  const { settings, served, now, reachedAt = null } = facts;
  const state = publicStateOf(record, facts, doing);
  const advice = adviceOf(state, record, facts, sentenceFacts);
  const isLive = settings.enabled && isServing(facts);
  return {
    state,
    live: isLive,
    url: urlOf(settings),
    headline: advice.sentence,
    steps: stepsOf(record, facts, state, { ...sentenceFacts, advice }),
    expiresAt: served?.fits ? served.notAfter : null,
    reachedAt,
    testsLeft: Math.max(0, TESTS_AN_HOUR - recent(record.tests, HOUR_MS, now).length),
    warnings: warningsOf(record, facts),
  };
}

function urlOf({ name }: PublicSettings): string | null {
  if (name === "") return null;
  return `https://${name.includes(":") ? `[${name}]` : name}`;
}

function stepsOf(
  record: PublicRecord,
  facts: PublicTaskFacts,
  state: PublicState,
  { advice, ...sentenceFacts }: SentenceFacts & { readonly advice: PublicAdvice },
): StepView[] {
  const { step: place, how } = STATES[state];
  const at = STEPS.indexOf(place);
  const open = state === "live" || state === "renewing" ? STEPS.length : at;
  return STEPS.map((step, index): StepView => {
    if (index === at && state !== "live" && state !== "renewing") {
      const againAt = how === "done" ? undefined : nextTryAt(step, record, facts);
      return {
        step,
        state: how,
        sentence: advice.sentence,
        ...(advice.next !== undefined && { next: advice.next }),
        ...(againAt !== undefined && { nextTryAt: againAt }),
      };
    }
    if (step === "port" && index < open && !isPortKnown(record, facts))
      return { step, state: "waiting", sentence: unknownPortLine(record, sentenceFacts) };
    const isDone = index < open || isDoneAnyway(step, record, facts);
    return {
      step,
      state: isDone ? "done" : "waiting",
      sentence: lineOf(step, isDone, record, facts, sentenceFacts),
    };
  });
}

/** A step that has been shown to be well stays so while something before it is amiss. */
function isDoneAnyway(step: PublicStep, record: PublicRecord, facts: PublicTaskFacts): boolean {
  if (!isServing(facts)) return false;
  return step === "certificate" || (step === "reached" && isReached(record, facts));
}

function lineOf(
  step: PublicStep,
  isDone: boolean,
  record: PublicRecord,
  facts: PublicTaskFacts,
  sentenceFacts: SentenceFacts,
): string {
  const { address } = record;
  const { settings, served } = facts;
  switch (step) {
    case "name":
      return `The name is ${settings.name}.`;
    case "address":
      if (!isDone) return "Then the machine finds out where it is on the internet.";
      if (!isAtHome(facts)) return "The name leads to where somebody passes its traffic on.";
      return isNamed(record, facts) && address?.v4
        ? `The name leads to this home, ${address.v4}.`
        : "The name leads somewhere; the router does not say where this home is.";
    case "port":
      if (!isDone) return "Then the router opens port 443.";
      return portLine(record, sentenceFacts);
    case "certificate":
      return isDone && served !== undefined
        ? `The certificate is good until ${new Date(served.notAfter).toISOString().slice(0, 10)}.`
        : "Then the machine gets a certificate.";
    case "reached":
      return isDone ? "The machine is reached from outside." : "Then it is tried from outside.";
  }
}

function portLine(record: PublicRecord, sentenceFacts: SentenceFacts): string {
  const { port, mapping } = record;
  if (port?.answer === "open") return ofRouter(record, sentenceFacts);
  return mapping?.isGranted
    ? `${ofRouter(record, sentenceFacts)} It still leads to this machine.`
    : "Port 443 leads to this machine by a rule of yours.";
}

function unknownPortLine({ port, outside }: PublicRecord, sentenceFacts: SentenceFacts): string {
  const advice = port === null ? [] : [ofRouter({ port }, sentenceFacts)];
  return [
    ...advice,
    outside === null
      ? "Nobody knows yet whether a rule of yours leads port 443 to this machine."
      : "From outside nobody got in by port 443.",
  ].join(" ");
}

/** Whether the router has opened the port, or a visitor has come in. */
function isPortKnown(record: PublicRecord, facts: PublicTaskFacts): boolean {
  return record.port?.answer === "open" || isReached(record, facts);
}

/** Whether there was a visitor from outside, without a change of the router since. */
function isReached(record: PublicRecord, facts: PublicTaskFacts): boolean {
  // A certificate proves that the CA has reached the box.
  const hasCome =
    isServing(facts) || record.outside?.isOpen === true || facts.reachedAt !== undefined;
  return hasCome && !isShut(record, facts) && !isInDoubt(record, facts);
}
