import type { Cancel, Clock } from "../base/clock.ts";
import { CHANNEL_RULE, isChannelName } from "../base/names.ts";
import { PushError } from "./errors.ts";
import { cleanText } from "./text.ts";

/** What a sender asks for. Colours are `#rrggbb` and hold for this value only. */
export interface Push {
  text: string;
  /** Whole seconds until the value expires; 0 never does. */
  ttl?: number;
  color?: string;
  background?: string;
}

/** What a channel holds. Times are epoch milliseconds, `expiresAt` null for a value that stays. */
export interface ChannelValue {
  channel: string;
  text: string;
  color: string | null;
  background: string | null;
  updatedAt: number;
  expiresAt: number | null;
  state: "live" | "expired";
}

export interface PushResult {
  value: ChannelValue;
  replaced: number;
  truncated: boolean;
}

/** Channels by their names, as `channelName` gives them. */
export interface Channels {
  /**
   * Gives the channel a new value; the last write wins.
   * @throws {PushError} `invalid_channel`; `channel_limit` when every place holds a live value.
   */
  set(channel: string, push: Push): PushResult;
  /** The value, live or expired; undefined while the channel waits for one. */
  get(channel: string): ChannelValue | undefined;
  /** Back to waiting. Clearing an empty channel changes nothing. */
  clear(channel: string): void;
  /** Every channel that holds a value, by name. */
  list(): ChannelValue[];
  /** Calls `listener` with the channel's name when its value is set, cleared or expires. */
  onChange(listener: (channel: string) => void): Cancel;
  /** Stops the expiry timer. */
  close(): void;
}

const MAX_CHANNELS = 64;
const DEFAULT_TTL = 600;
const STEP_MS = 1_000;

interface Held {
  text: string;
  color: string | null;
  background: string | null;
  /** Monotonic milliseconds; `expires` is infinite for a value that stays. */
  set: number;
  expires: number;
  /** Wall clock minus monotonic clock when the value was set. */
  offset: number;
  announced: boolean;
}

/**
 * The name in its one form, lower case.
 * @throws {PushError} `invalid_channel`
 */
export function channelName(raw: string): string {
  if (isChannelName(raw)) return raw.toLowerCase();
  throw new PushError("invalid_channel", `A channel name has ${CHANNEL_RULE}.`);
}

/** The named channels and their values; in memory only, gone after a restart. */
export function createChannels(clock: Clock): Channels {
  const channels = new Map<string, Held>();
  const listeners = new Set<(channel: string) => void>();
  let cancelTimer: Cancel = () => {};

  const announce = (channel: string) => {
    for (const listener of [...listeners]) listener(channel);
  };

  const announceExpired = () => {
    const now = clock.monotonic();
    const expired = [...channels].filter(([, held]) => !held.announced && held.expires <= now);
    for (const [, held] of expired) held.announced = true;
    awaitNextExpiry();
    for (const [channel] of expired) announce(channel);
  };

  const awaitNextExpiry = () => {
    cancelTimer();
    const waiting = [...channels.values()].filter((held) => !held.announced);
    const next = Math.min(...waiting.map((held) => held.expires));
    cancelTimer =
      next === Number.POSITIVE_INFINITY
        ? () => {}
        : // A timer drops fractions, and one that rings too early would ring again at once.
          clock.after(Math.max(0, Math.ceil(next - clock.monotonic())), announceExpired);
  };

  const describe = (channel: string, held: Held): ChannelValue => {
    const epoch = (at: number) => Math.round(at + held.offset + wallClockStep(clock, held));
    return {
      channel,
      text: held.text,
      color: held.color,
      background: held.background,
      updatedAt: epoch(held.set),
      expiresAt: held.expires === Number.POSITIVE_INFINITY ? null : epoch(held.expires),
      state: held.expires <= clock.monotonic() ? "expired" : "live",
    };
  };

  return {
    set(channel, push) {
      const name = channelName(channel);
      const { text, replaced, truncated } = cleanText(push.text);
      const putOut = channels.has(name) ? undefined : makeRoom(channels, clock.monotonic());
      const held = hold(clock, push, text);
      channels.set(name, held);
      awaitNextExpiry();
      if (putOut !== undefined) announce(putOut);
      announce(name);
      return { value: describe(name, held), replaced, truncated };
    },
    get(channel) {
      const held = channels.get(channel);
      return held && describe(channel, held);
    },
    clear(channel) {
      if (!channels.delete(channel)) return;
      awaitNextExpiry();
      announce(channel);
    },
    list() {
      const names = [...channels].sort(([a], [b]) => (a < b ? -1 : 1));
      return names.map(([channel, held]) => describe(channel, held));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      cancelTimer();
    },
  };
}

function hold(clock: Clock, push: Push, text: string): Held {
  const { ttl = DEFAULT_TTL, color = null, background = null } = push;
  const now = clock.monotonic();
  return {
    text,
    color,
    background,
    set: now,
    expires: ttl === 0 ? Number.POSITIVE_INFINITY : now + ttl * 1_000,
    offset: clock.now() - now,
    announced: false,
  };
}

/** Puts out the value that expired first when every place is taken, and tells whose it was. */
function makeRoom(channels: Map<string, Held>, now: number): string | undefined {
  if (channels.size < MAX_CHANNELS) return undefined;
  const [oldest] = [...channels]
    .filter(([, held]) => held.expires <= now)
    .sort(([, a], [, b]) => a.expires - b.expires);
  if (oldest === undefined) {
    throw new PushError(
      "channel_limit",
      `${MAX_CHANNELS} channels already hold live values. Clear one, or give values a shorter ttl.`,
    );
  }
  channels.delete(oldest[0]);
  return oldest[0];
}

/** How far the wall clock was set since the value came in; its everyday jitter is none. */
function wallClockStep(clock: Clock, held: Held): number {
  const step = clock.now() - clock.monotonic() - held.offset;
  return Math.abs(step) < STEP_MS ? 0 : step;
}
