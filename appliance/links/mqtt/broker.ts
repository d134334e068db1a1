import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import type { BrokerConnection, Connect, Message, OutgoingMessage } from "./client.ts";
import { type Need, Permissions } from "./permissions.ts";
import { isEndedUnsaid, isTooNew, problemOf } from "./problems.ts";
import type { BrokerState, MqttSettings, MqttVersion } from "./settings.ts";
import { isTopic } from "./topics.ts";

/** A value as the broker is to keep it. */
interface Kept {
  readonly payload: string | Uint8Array;
  /** The broker confirms it. */
  readonly isVital: boolean;
  /** Monotonic milliseconds when the value expires; Infinity for one that does not. */
  readonly until: number;
}

interface BrokerOptions {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { info(line: string): void; warn(line: string): void };
  readonly connect: Connect;
  readonly to: MqttSettings;
  readonly clientId: string;
  readonly will: OutgoingMessage;
  /** Filters of what to listen for from the beginning. */
  readonly listenFor: readonly string[];
  /** The rights that the broker has to grant. */
  readonly needs: readonly Need[];
  /** Called when all must be announced. */
  readonly connected: () => void;
  /** Takes a message. The next one follows after `done`. */
  readonly message: (message: Message, done: () => void) => void;
  readonly changed: () => void;
}

/** Milliseconds until the next try, by the number of failures. */
const BACKOFF_MS = [5_000, 10_000, 20_000, 40_000, 60_000];
/** A random share of the pause, so that boxes do not all come back to a broker at the same moment. */
const JITTER = 0.2;
/** A connection that has stood for so long was good: the next one is tried for soon. */
const STEADY_MS = 60_000;
/** A broker that takes nothing for so long will not. */
const STALLED_MS = 60_000;
/** The time limit for the echo of a message. */
const ECHO_MS = 5_000;
/** The unsent topics at which removing stops. The next connection finds the rest at the broker. */
const MAX_UNSENT = 4_096;
/** A farewell that is not confirmed by then is given up. */
const FAREWELL_MS = 2_000;

/**
 * A connection with a broker that is made again after each loss. There is no queue: the last value of each topic is
 * kept here, and sent when the broker is connected. Each time it tries MQTT 5 first, and then 3.1.1.
 */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #kept = new Map<string, Kept>();
  /**
   * Topics whose value, or removal, is not sent on this connection yet. It is emptied with the connection, since the
   * next one sends everything.
   */
  readonly #unsent = new Set<string>();
  #permissions: Permissions;
  #version: MqttVersion;
  /** Problems that the log has, since all was well. */
  readonly #said = new Set<string>();
  #connection: BrokerConnection | undefined;
  #since: number | undefined;
  #problem: string | null = null;
  #tries = 0;
  #cancelRetry: Cancel = () => {};
  #timers: readonly Cancel[] = [];
  #cancelStalled: Cancel | undefined;
  #isOver = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#version = options.to.version;
    this.#permissions = this.#noPermissions();
    this.#open(this.#version);
  }

  get state(): BrokerState {
    return this.#since === undefined
      ? { connected: false, problem: this.#problem }
      : {
          connected: true,
          since: this.#since,
          version: this.#version,
          problems: this.#permissions.problems,
        };
  }

  has(topic: string): boolean {
    return this.#kept.has(topic);
  }

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
    this.#tellOf(topic);
  }

  /** Removes the retained value of a topic from the broker. */
  drop(topic: string): void {
    this.#kept.delete(topic);
    this.#tellOf(topic);
  }

  /** Publishes an event, if the broker is connected now. */
  tell(topic: string, payload: string): void {
    if (!isTopic(topic) || this.#since === undefined || this.#connection?.isCongested) return;
    this.#connection?.publish({ topic, payload, retain: false, qos: 0 });
  }

  /** Sends every value again, those named first in front. */
  sendAll(first: readonly string[]): void {
    const others = [...this.#unsent];
    this.#unsent.clear();
    for (const topic of [...first, ...this.#kept.keys(), ...others]) this.#unsent.add(topic);
    this.#send();
  }

  subscribe(filters: readonly string[]): void {
    this.#connection?.subscribe(filters);
  }

  unsubscribe(filters: readonly string[]): void {
    this.#connection?.unsubscribe(filters);
  }

  /** Closes the connection once the broker has all values. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#cancelRetry();
    const connection = this.#connection;
    if (connection === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(FAREWELL_MS, resolve);
    await Promise.race([connection.close(), promise]);
    cancel();
    connection.cut();
  }

  #noPermissions(): Permissions {
    const { needs, to } = this.#options;
    return new Permissions(needs, to.user);
  }

  #open(version: MqttVersion): void {
    const { connect, to, clientId, will, listenFor, message } = this.#options;
    this.#version = version;
    this.#permissions = this.#noPermissions();
    this.#connection = connect(
      { ...to, version },
      { clientId, will, listenFor: [...listenFor, ...this.#permissions.filters] },
      {
        connected: () => this.#opened(),
        closed: (error) => this.#closed(error),
        refused: (what, topics) => this.#judge(() => this.#permissions.refused(what, topics)),
        message: (heard, done) => {
          if (!this.#permissions.isSure) this.#judge(() => this.#permissions.heard(heard));
          message(heard, done);
        },
        drained: () => this.#send(),
      },
    );
  }

  #opened(): void {
    const { log, clock, connected, changed, to } = this.#options;
    this.#since = clock.now();
    this.#problem = null;
    this.#timers = [
      clock.after(STEADY_MS, () => {
        this.#tries = 0;
        if (this.#permissions.problems.length === 0) this.#said.clear();
      }),
      clock.after(ECHO_MS, () => this.#judge(() => this.#permissions.expire())),
    ];
    log.info(
      this.#version === to.version
        ? "The MQTT broker is connected"
        : `The MQTT broker is connected; it does not speak MQTT ${to.version}, so the machine speaks ${this.#version}`,
    );
    connected();
    changed();
  }

  #closed(error: unknown): void {
    const { clock, random, changed, to } = this.#options;
    this.#connection = undefined;
    this.#since = undefined;
    this.#unsent.clear();
    for (const cancel of this.#timers) cancel();
    this.#noteStall(false);
    if (this.#isOver) return;
    if (this.#version === "5" && isTooNew(error)) {
      this.#open("3.1.1");
      return;
    }
    const isEarly = isEndedUnsaid(error) && !this.#permissions.isSure;
    const problem = isEarly ? this.#permissions.endedEarly : problemOf(error);
    this.#say(problem);
    this.#problem = problem;
    const wait = BACKOFF_MS[Math.min(this.#tries, BACKOFF_MS.length - 1)] ?? 0;
    this.#tries += 1;
    this.#cancelRetry = clock.after(wait * (1 + JITTER * random()), () => this.#open(to.version));
    changed();
  }

  /** Updates the rights that the broker grants, and reports changes. */
  #judge(learn: () => void): void {
    const before = this.#permissions.problems.join();
    learn();
    const { problems } = this.#permissions;
    if (problems.join() === before) return;
    for (const problem of problems) this.#say(problem);
    this.#options.changed();
  }

  /** Logs a problem once, since a broker may be away for weeks. */
  #say(problem: string): void {
    if (!this.#said.has(problem)) this.#options.log.warn(`MQTT: ${problem}`);
    this.#said.add(problem);
  }

  #tellOf(topic: string): void {
    if (this.#since === undefined) return;
    if (this.#kept.has(topic) || this.#unsent.size < MAX_UNSENT) this.#unsent.add(topic);
    else this.#unsent.delete(topic);
    this.#send();
  }

  #noteStall(isStalled: boolean): void {
    if (!isStalled) {
      this.#cancelStalled?.();
      this.#cancelStalled = undefined;
    } else
      this.#cancelStalled ??= this.#options.clock.after(STALLED_MS, () =>
        this.#connection?.cut("STALLED"),
      );
  }

  /** Sends unsent values, and the rest once these are confirmed. */
  #send(): void {
    if (this.#since === undefined) return;
    const now = this.#options.clock.monotonic();
    // A set is walked in the order in which it grew.
    for (const topic of this.#unsent) {
      if (this.#connection === undefined) return;
      this.#noteStall(this.#connection.isCongested);
      if (this.#connection.isCongested) return;
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
