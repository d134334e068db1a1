import type { HeldMessage } from "./held.ts";

/**
 * The state of a channel that holds something: `new` to `paused` for a dead-man's channel, which
 * has a period; `firing` to `resolved` those of a held message.
 */
export type ChannelState =
  | "live"
  | "expired"
  | DeadManState
  | "firing"
  | "acknowledged"
  | "resolved";

/** The states: declared without a push; in time; past its period; past its grace too, or failed; not watched. */
export type DeadManState = "new" | "up" | "late" | "down" | "paused";

/** The state of a dead-man's channel, by its last push and the time; undefined for any other. */
export function deadManState(held: HeldMessage, now: number): DeadManState | undefined {
  const { period, paused, heard, status } = held;
  if (period === null) return undefined;
  if (paused) return "paused";
  if (heard === null) return "new";
  if (status === "fail") return "down";
  const { late, down } = stepsOf(held, heard, period);
  if (now >= down) return "down";
  return now >= late ? "late" : "up";
}

/** The time at which a dead-man's channel turns `late` or `down` unless a push comes; null for never. */
export function nextDeadManStep(held: HeldMessage, now: number): number | null {
  const { period, heard } = held;
  const state = deadManState(held, now);
  if (period === null || heard === null || (state !== "up" && state !== "late")) return null;
  const { late, down } = stepsOf(held, heard, period);
  return now < late ? late : down;
}

/** A run that began has its grace to end, and is not late before; it puts off no step of the period. */
function stepsOf({ grace, started }: HeldMessage, heard: number, period: number) {
  const late = heard + period * 1_000;
  const down = late + grace * 1_000;
  if (started === null) return { late, down };
  const end = Math.min(started + grace * 1_000, down);
  return { late: end, down: end };
}

/**
 * The state of a channel. @param deadMan its state as a dead-man's channel, which its keeper may
 * hold back
 */
export function channelStateOf(
  held: HeldMessage,
  deadMan: DeadManState | undefined,
  now: number,
): ChannelState {
  if (deadMan !== undefined && deadMan !== "up") return deadMan;
  const message = messageState(held);
  if (message === "firing") return message;
  if (deadMan === undefined && isOver(held, now)) return "expired";
  if (message === "acknowledged") return message;
  return deadMan ?? message ?? "live";
}

export function isOver({ expires }: HeldMessage, now: number): boolean {
  return expires !== null && expires <= now;
}

function messageState({
  hold,
  status,
  ack,
}: HeldMessage): "firing" | "acknowledged" | "resolved" | undefined {
  if (!hold || status === "start") return undefined;
  if (status === "ok") return "resolved";
  return ack === null ? "firing" : "acknowledged";
}

/** Whether a state should be seen and has not been acknowledged. */
export function isAlarm(held: HeldMessage, state: ChannelState): boolean {
  return held.ack === null && (state === "late" || state === "down" || state === "firing");
}

/** Whether a message can be acknowledged. A late one cannot, since it would be news again once it is down. */
export function awaitsSeeing(held: HeldMessage, state: ChannelState): boolean {
  return held.ack === null && (state === "down" || state === "firing");
}

/**
 * Whether a push repeats a known alarm: the same message goes on firing, or a dead-man's channel stays down.
 * @param down whether it was, and is
 */
export function isSameAlarm(
  before: HeldMessage,
  after: HeldMessage,
  down: { before: boolean; after: boolean },
): boolean {
  if (before.id !== after.id) return false;
  if (down.before && down.after) return true;
  return after.id !== null && isFiringMessage(before) && isFiringMessage(after);
}

function isFiringMessage(held: HeldMessage): boolean {
  const state = messageState(held);
  return state === "firing" || state === "acknowledged";
}
