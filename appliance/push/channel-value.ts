import { type ChannelState, isOver, nextDeadManStep } from "./channel-state.ts";
import type { Acknowledgement, HeldMessage } from "./held.ts";
import type { Status } from "./status.ts";

/**
 * The value of a channel. Times are epoch milliseconds, `expiresAt` null for a value that stays.
 */
export interface ChannelValue {
  channel: string;
  text: string;
  color: string | null;
  background: string | null;
  updatedAt: number;
  expiresAt: number | null;
  state: ChannelState;
  /** The fields from here on are there where the sender gave them. */
  icon?: string;
  status?: Status;
  id?: string;
  hold?: true;
  /** Whether its alarms wake the decks that show it. */
  wake?: true;
  ack?: Acknowledgement;
  /** The period of a dead-man's channel, in seconds. */
  period?: number;
  grace?: number;
  /** The time at which it will be late, or down, unless a push comes. */
  stepsAt?: number;
}

/**
 * The value for display.
 * @param times converts the times of the held value; `wall` makes them epoch milliseconds
 */
export function shownValue(
  held: HeldMessage,
  state: ChannelState,
  { now, wall }: { now: number; wall: number },
): Omit<ChannelValue, "channel"> {
  const epoch = (at: number) => Math.round(at + wall);
  const step = nextDeadManStep(held, now);
  // A message that fires does so beyond its time.
  const stays = held.expires === null || state === "firing";
  return {
    text: held.period !== null && isOver(held, now) ? "" : held.text,
    color: held.color,
    background: held.background,
    updatedAt: epoch(held.set),
    expiresAt: stays ? null : epoch(held.expires ?? 0),
    state,
    // A value that was kept by an earlier version has none.
    ...(held.icon != null && { icon: held.icon }),
    ...(held.status !== null && { status: held.status }),
    ...(held.id !== null && { id: held.id }),
    ...(held.hold && { hold: true as const }),
    ...(held.wake && { wake: true as const }),
    ...(held.ack !== null && { ack: { ...held.ack, at: epoch(held.ack.at) } }),
    ...(held.period !== null && { period: held.period, grace: held.grace }),
    ...(step !== null && { stepsAt: epoch(step) }),
  };
}
