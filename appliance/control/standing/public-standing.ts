import type { BoardOptions } from "../../box/box-notices.ts";
import type { PublicAddress } from "../../links/public/public-address.ts";
import type { PublicView, StepView } from "../../links/public/view.ts";

/** Two or three words for a key of 72 pixels; other states use the name of their step. */
const WORDS: Readonly<Partial<Record<PublicView["state"], string>>> = {
  "needs-name": "no name",
  "needs-consent": "terms not agreed",
  "needs-listener": "no port for TLS",
  "waiting-for-clock": "waits for the time",
  "dns-refused": "DNS refused",
  "name-points-elsewhere": "name leads elsewhere",
  cgnat: "no own address",
  "ds-lite": "no own address",
  "double-nat": "two routers",
  "port-taken": "port taken",
  "unreachable-from-outside": "not reached",
  testing: "is tested",
  expires: "certificate ends",
};
const LINES: Readonly<Record<StepView["step"], { wrong: string; working: string }>> = {
  name: { wrong: "name wrong", working: "name" },
  address: { wrong: "address wrong", working: "sets address" },
  port: { wrong: "port closed", working: "opens port" },
  certificate: { wrong: "no certificate", working: "gets certificate" },
  reached: { wrong: "not reached", working: "is tested" },
};

export function publicStanding(
  address: Pick<PublicAddress, "changed" | "settings" | "view">,
): NonNullable<BoardOptions["publicAddress"]> {
  return {
    changed: address.changed,
    standing() {
      const { settings } = address;
      if (!settings.enabled) return undefined;
      const { state, live, warnings, steps, headline: sentence, reachedAt } = address.view();
      const at = steps.find((step) => step.state === "wrong" || step.state === "working");
      const isWrong = at?.state === "wrong" || warnings.length > 0;
      const line = at === undefined ? "live" : LINES[at.step][isWrong ? "wrong" : "working"];
      return {
        name: settings.name,
        state: live ? (isWrong ? "warning" : "live") : isWrong ? "wrong" : "working",
        words: WORDS[state] ?? line,
        sentence,
        reachedAt,
      };
    },
  };
}
