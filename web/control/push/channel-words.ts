import type { PushChannel } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";
import { ago, clockOf } from "../times.ts";

const SIGNS: Partial<Record<PushChannel["state"], string>> = {
  late: "! late",
  down: "✗ down",
  firing: "! firing",
  acknowledged: "✓ acknowledged",
  resolved: "✓ resolved",
};

/** The state of a channel that is watched or held; undefined for one that only holds a text. */
export function stateOf({ state }: Pick<PushChannel, "state">): string | undefined {
  return state === "live" || state === "expired" ? undefined : (SIGNS[state] ?? state);
}

/** Whether there is an alarm that has not been acknowledged. */
export function isOpenAlarm({ state, ack }: Pick<PushChannel, "state" | "ack">): boolean {
  return ack === undefined && (state === "down" || state === "firing");
}

/** How long it stays as it is, and who has seen it. */
export function lifeOf(held: PushChannel, now: number): string {
  const { state, expiresAt, period, ack } = held;
  if (ack !== undefined) return `seen ${ago(ack.at, now)}`;
  if (period !== undefined) return `every ${spanOf(period)}`;
  if (state === "expired") return "expired";
  return expiresAt === null ? "stays" : `${clockOf((expiresAt - now) / 1_000)} left`;
}

/** Seconds → `10 minutes`; what is no whole number of a larger unit is told in a smaller one. */
function spanOf(seconds: number): string {
  for (const [unit, size] of [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const)
    if (seconds % size === 0) return seconds === size ? unit : counted(seconds / size, unit);
  return counted(seconds, "second");
}
