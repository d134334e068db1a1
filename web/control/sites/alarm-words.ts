import type { SiteActivity } from "../../../appliance/control/wire.ts";
import { ago } from "../times.ts";

type Kind = keyof SiteActivity["alarms"];
type State = SiteActivity["alarms"][Kind];

const STATES: Readonly<Record<Exclude<State["state"], "firing">, string>> = {
  off: "",
  learning: "Learning: it takes three weeks of views, and 20 a week.",
  waiting: "On. It judges from an hour after a start on.",
  quiet: "On. All is as usual.",
};

/** The state of an alarm as a sentence; empty for one that is off. */
export function alarmState(kind: Kind, { state, since }: State, now: number): string {
  return state === "firing" ? standing(kind, since ?? now, now) : STATES[state];
}

/** The alarms of a site that stand now, a sentence each. */
export function standingAlarms(alarms: SiteActivity["alarms"], now: number): string[] {
  return (["silence", "rush"] as const).flatMap((kind) =>
    alarms[kind].state === "firing" ? [alarmState(kind, alarms[kind], now)] : [],
  );
}

function standing(kind: Kind, since: number, now: number): string {
  return kind === "silence"
    ? `Silent: the last view came ${ago(since, now)}, and many more are usual.`
    : `Rush: far more views than usual. It began ${ago(since, now)}.`;
}
