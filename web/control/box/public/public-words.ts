import type { StepView } from "../../../../appliance/control/wire.ts";

export const STEPS: Readonly<Record<StepView["step"], string>> = {
  name: "Name",
  address: "Address",
  port: "Port",
  certificate: "Certificate",
  reached: "Reached",
};

/** The state of a line: a sign for the eye, and a word. */
export const STATES: Readonly<Record<StepView["state"], { sign: string; word: string }>> = {
  done: { sign: "✓", word: "done" },
  working: { sign: "…", word: "working" },
  wrong: { sign: "✗", word: "needs you" },
  waiting: { sign: "–", word: "waiting" },
};

/** The teller of the home's address to the DNS, as the page offers it. */
export type Teller = "none" | "desec" | "duckdns" | "other";

export const TELLERS: readonly { id: Teller; name: string }[] = [
  { id: "none", name: "My router, or the address never changes" },
  { id: "desec", name: "deSEC (dedyn.io)" },
  { id: "duckdns", name: "DuckDNS" },
  { id: "other", name: "Another provider" },
];

/** The choice for a provider as the box keeps it. */
export function tellerOf(ddns: string): Teller {
  if (ddns === "") return "none";
  return ddns === "desec" || ddns === "duckdns" ? ddns : "other";
}
