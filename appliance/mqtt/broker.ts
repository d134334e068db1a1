import type { Clock } from "../base/clock.ts";
import type { Cancel } from "../base/signal.ts";
import type { Connect, Connection, Message, Outgoing } from "./client.ts";
import { problemOf } from "./problems.ts";
import type { MqttSettings } from "./settings.ts";
import { isTopic } from "./topics.ts";

/** A value as the broker is to keep it. */
interface Kept {
  readonly payload: string | Uint8Array;
  /** The broker confirms it. */
  readonly isVital: boolean;
  /** Monotonic milliseconds when it is no longer true; infinite for what stays. */
  readonly until: number;
}

/** How it stands with the broker. Times are epoch milliseconds. */
export type BrokerState =
  | { readonly connected: true; readonly since: number }
  /** The last problem, in a sentence; null while the first try runs. */
  | { readonly connected: false; readonly problem: string | null };

interface BrokerOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { info(line: string): void; warn(line: string): void };
  readonly connect: Connect;
  readonly to: MqttSettings;
  readonly clientId: string;
  readonly will: Outgoing;
  /** Filters of what to listen for from the beginning. */
  readonly listenFor: readonly string[];
  /** Everything is to be announced. */
  readonly connected: () => void;
  /** A message came in; the next one comes after `done`. */
  readonly message: (message: Message, done: () => void) => void;
  /** The state is another. */
  readonly changed: () => void;
}

/** Milliseconds until the next try, after so many in vain. */
const BACKOFF_MS = [5_000, 10_000, 20_000, 40_000, 60_000];
/** Two boxes that lost one broker do not come back at the same moment. */
const JITTER = 0.2;
/** A farewell that nobody confirms. */
const FAREWELL_MS = 2_000;

/**
 * The connection with a broker, made anew for as long as it takes. Nothing waits in a queue: of each
 * topic the last value is kept here, and sent when the broker is there.
 */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #kept = new Map<string, Kept>();
  /** Topics whose value the broker does not have yet; of one that is not kept, that it is gone. */
  readonly #unsent = new Set<string>();
  #connection: Connection | undefined;
  #since: number | undefined;
  #problem: string | null = null;
  #tries = 0;
  #cancelRetry: Cancel = () => {};
  #isOver = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#open();
  }

  get state(): BrokerState {
    return this.#since === undefined
      ? { connected: false, problem: this.#problem }
      : { connected: true, since: this.#since };
  }

  /** Whether a topic has a value. */
  has(topic: string): boolean {
    return this.#kept.has(topic);
  }

  /** All that have one. */
  topics(): string[] {
    return [...this.#kept.keys()];
  }

  /** The broker is to keep this value of a topic; `ttl` in seconds, for one that does not stay. */
  keep(
    topic: string,
    payload: string | Uint8Array,
    { isVital = false, ttl }: { isVital?: boolean; ttl?: number | undefined } = {},
  ): void {
    if (!isTopic(topic)) return;
    const until =
      ttl === undefined ? Number.POSITIVE_INFINITY : this.#options.clock.monotonic() + ttl * 1_000;
    const known = this.#kept.get(topic);
    if (known && isSame(known.payload, payload)) return;
    this.#kept.set(topic, { payload, isVital, until });
    this.#unsent.add(topic);
    this.#send();
  }

  /** The broker is to drop what it keeps of a topic. */
  drop(topic: string): void {
    this.#kept.delete(topic);
    this.#unsent.add(topic);
    this.#send();
  }

  /** Something happened: told now or never. */
  tell(topic: string, payload: string): void {
    if (!isTopic(topic) || this.#since === undefined || this.#connection?.isCongested) return;
    this.#connection?.publish({ topic, payload, retain: false, qos: 0 });
  }

  /** Sends every value again, those named first in front. */
  sendAll(first: readonly string[]): void {
    const gone = [...this.#unsent].filter((topic) => !this.#kept.has(topic));
    this.#unsent.clear();
    for (const topic of [...first, ...this.#kept.keys(), ...gone]) this.#unsent.add(topic);
    this.#send();
  }

  subscribe(filters: readonly string[]): void {
    this.#connection?.subscribe(filters);
  }

  unsubscribe(filters: readonly string[]): void {
    this.#connection?.unsubscribe(filters);
  }

  /** Ends the connection once the broker has what it is to keep. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#cancelRetry();
    const connection = this.#connection;
    if (connection === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(FAREWELL_MS, resolve);
    await Promise.race([connection.end(), promise]);
    cancel();
    connection.cut();
  }

  #open(): void {
    const { connect, to, clientId, will, listenFor, message } = this.#options;
    this.#connection = connect(
      to,
      { clientId, will, listenFor },
      {
        connected: () => this.#opened(),
        closed: (error) => this.#closed(error),
        message,
        drained: () => this.#send(),
      },
    );
  }

  #opened(): void {
    const { log, clock, connected, changed } = this.#options;
    this.#tries = 0;
    this.#since = clock.now();
    this.#problem = null;
    log.info("The MQTT broker is connected");
    connected();
    changed();
  }

  #closed(error: unknown): void {
    const { log, clock, random, changed } = this.#options;
    this.#connection = undefined;
    this.#since = undefined;
    if (this.#isOver) return;
    const problem = problemOf(error);
    // Said once: a broker may be away for weeks.
    if (problem !== this.#problem) log.warn(`MQTT: ${problem}`);
    this.#problem = problem;
    const wait = BACKOFF_MS[Math.min(this.#tries, BACKOFF_MS.length - 1)] ?? 0;
    this.#tries += 1;
    this.#cancelRetry = clock.after(wait * (1 + JITTER * random()), () => this.#open());
    changed();
  }

  /** Sends what the broker does not have; the rest when it has taken that. */
  #send(): void {
    if (this.#since === undefined) return;
    const now = this.#options.clock.monotonic();
    // A set is walked in the order in which it grew.
    for (const topic of this.#unsent) {
      if (this.#connection === undefined || this.#connection.isCongested) return;
      this.#unsent.delete(topic);
      const kept = this.#kept.get(topic);
      const left = kept === undefined ? 0 : (kept.until - now) / 1_000;
      const isGone = kept === undefined || left <= 0;
      if (isGone) this.#kept.delete(topic);
      this.#connection.publish({
        topic,
        payload: isGone ? "" : kept.payload,
        retain: true,
        qos: kept?.isVital ? 1 : 0,
        expiry: isGone || left === Number.POSITIVE_INFINITY ? undefined : Math.ceil(left),
      });
    }
  }
}

function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  return Buffer.from(one).equals(Buffer.from(other));
}
