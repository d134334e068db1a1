import type { Clock } from "../base/clock.ts";
import { CHANNEL_RULE, isChannelName } from "../base/names.ts";
import { Refusal } from "../base/refusal.ts";
import { type Cancel, Signal } from "../base/signal.ts";
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
interface ChannelValue {
  channel: string;
  text: string;
  color: string | null;
  background: string | null;
  updatedAt: number;
  expiresAt: number | null;
  state: "live" | "expired";
}

interface PushResult {
  value: ChannelValue;
  replaced: number;
  truncated: boolean;
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
 * @throws {Refusal} `invalid_channel`
 */
export function channelName(raw: string): string {
  if (isChannelName(raw)) return raw.toLowerCase();
  throw new Refusal("invalid_channel", `A channel name has ${CHANNEL_RULE}.`);
}

/**
 * The named channels and their values, by the names that `channelName` gives them; in memory only,
 * gone after a restart.
 */
export class Channels {
  /** The value of the channel of this name was set, was cleared or expired. */
  readonly changed = new Signal<string>();
  readonly #clock: Clock;
  readonly #channels = new Map<string, Held>();
  #cancelTimer: Cancel = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Gives the channel a new value; the last write wins.
   * @throws {Refusal} `invalid_channel`; `channel_limit` when every place holds a live value.
   */
  set(channel: string, push: Push): PushResult {
    const name = channelName(channel);
    const { text, replaced, truncated } = cleanText(push.text);
    const isNew = !this.#channels.has(name);
    const putOut = isNew ? makeRoom(this.#channels, this.#clock.monotonic()) : undefined;
    const held = hold(this.#clock, push, text);
    this.#channels.set(name, held);
    this.#awaitNextExpiry();
    if (putOut !== undefined) this.changed.emit(putOut);
    this.changed.emit(name);
    return { value: this.#describe(name, held), replaced, truncated };
  }

  /** The value, live or expired; undefined while the channel waits for one. */
  get(channel: string): ChannelValue | undefined {
    const held = this.#channels.get(channel);
    return held && this.#describe(channel, held);
  }

  /** Back to waiting. Clearing an empty channel changes nothing. */
  clear(channel: string): void {
    if (!this.#channels.delete(channel)) return;
    this.#awaitNextExpiry();
    this.changed.emit(channel);
  }

  /** Every channel that holds a value, by name. */
  list(): ChannelValue[] {
    const names = [...this.#channels].sort(([a], [b]) => (a < b ? -1 : 1));
    return names.map(([channel, held]) => this.#describe(channel, held));
  }

  /** Stops the expiry timer. */
  close(): void {
    this.#cancelTimer();
  }

  #announceExpired(): void {
    const now = this.#clock.monotonic();
    const expired = [...this.#channels].filter(
      ([, held]) => !held.announced && held.expires <= now,
    );
    for (const [, held] of expired) held.announced = true;
    this.#awaitNextExpiry();
    for (const [channel] of expired) this.changed.emit(channel);
  }

  #awaitNextExpiry(): void {
    this.#cancelTimer();
    const waiting = [...this.#channels.values()].filter((held) => !held.announced);
    const next = Math.min(...waiting.map((held) => held.expires));
    if (next === Number.POSITIVE_INFINITY) return;
    // A timer drops fractions, and one that rings too early would ring again at once.
    const wait = Math.max(0, Math.ceil(next - this.#clock.monotonic()));
    this.#cancelTimer = this.#clock.after(wait, () => this.#announceExpired());
  }

  #describe(channel: string, held: Held): ChannelValue {
    const step = wallClockStep(this.#clock, held);
    const epoch = (at: number) => Math.round(at + held.offset + step);
    return {
      channel,
      text: held.text,
      color: held.color,
      background: held.background,
      updatedAt: epoch(held.set),
      expiresAt: held.expires === Number.POSITIVE_INFINITY ? null : epoch(held.expires),
      state: held.expires <= this.#clock.monotonic() ? "expired" : "live",
    };
  }
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
    throw new Refusal(
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
