import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { DAY_MS } from "../calendar.ts";
import type { Clock } from "../clock.ts";
import { type Cancel, Signal } from "../signal.ts";

/** The evidence that the machine's clock has been set, read from files the system keeps. */
interface ClockEvidence {
  /** Whether NTP, the HTTPS-date helper or a battery-backed hardware clock has set the time. */
  isSet(): boolean;
}

const EVIDENCE_POLL_MS = 1_000;
/** The time after the start in which no refusal is reported, until the newest time in the data is known. */
const START_MS = 60_000;
/** A time that is further ahead of the newest thing known is not believed unless its owner confirms it. */
const FAR_AHEAD_MS = 400 * DAY_MS;

/** A time that is too far ahead to be believed. Epoch milliseconds. */
export interface ImplausibleTime {
  readonly time: number;
  /** The newest time that is known to have been. */
  readonly newest: number;
}

interface SystemClockOptions {
  /** Begin unsure, as a board without a battery clock must (`WAIT_FOR_CLOCK=1`). */
  wait?: boolean;
  evidence?: ClockEvidence;
  machine?: MachineClock;
  /** Epoch ms of something that certainly has been, like the making of this release. */
  known?: number;
  /** Called when the machine's time becomes too far ahead to be trusted, once each time. */
  onFarAhead?: (refused: ImplausibleTime) => void;
}

/** The clocks and timers the machine has, believed or not. */
type MachineClock = Pick<Clock, "now" | "monotonic" | "boot" | "after">;

/**
 * The machine's own clock. It is trusted up to FAR_AHEAD_MS beyond the newest known time; if the machine is further
 * ahead, the time goes on from the newest known one.
 */
export class SystemClock implements Clock {
  readonly becameSure = new Signal();
  readonly #wait: boolean;
  readonly #evidence: ClockEvidence;
  readonly #machine: MachineClock;
  readonly #onFarAhead: (refused: ImplausibleTime) => void;
  readonly #began: number;
  #sure: boolean;
  /**
   * Whether a person or a time source has set the time, and not only a default.
   */
  #set = false;
  /**
   * Epoch ms at monotonic zero by the time that was set, which a step of the wall clock does not change.
   */
  #toldBootedAt: number | undefined;
  /** The same by the newest time known. */
  #newestBootedAt: number;
  #wasFarAhead = false;

  constructor({
    wait = false,
    evidence = systemEvidence(),
    machine = thisMachine(),
    known = machine.now(),
    onFarAhead = () => {},
  }: SystemClockOptions = {}) {
    this.#wait = wait;
    this.#evidence = evidence;
    this.#machine = machine;
    this.#onFarAhead = onFarAhead;
    this.#began = machine.monotonic();
    this.#sure = !wait;
    this.#newestBootedAt = Math.max(known, PLAUSIBLE_SINCE) - this.#began;
    if (!wait) return;
    // The box set it to when it was last saved.
    if (!evidence.isSet() && !this.#machineIsFarAhead()) this.learn(machine.now());
    this.#poll();
  }

  now(): number {
    if (this.#toldBootedAt !== undefined) return this.#toldBootedAt + this.monotonic();
    return this.#machineIsFarAhead() ? this.#newest() : this.#machine.now();
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  get boot(): string {
    return this.#machine.boot;
  }

  get sure(): boolean {
    return this.#sure;
  }

  after(ms: number, task: () => void): Cancel {
    return this.#machine.after(ms, task);
  }

  /** Notes a past time (epoch ms): the day of the newest data, or the last time at which the clock was right. */
  learn(time: number): void {
    this.#newestBootedAt = Math.max(this.#newestBootedAt, time - this.monotonic());
  }

  /**
   * Takes over a trusted time (epoch ms), that of a signed-in owner's browser. The service may not set the system
   * clock, so it uses this time until the system has one.
   * @param confirmed whether a person has confirmed the date
   * @returns the refusal; undefined when the time was taken over, or is not needed
   */
  believe(time: number, confirmed = false): ImplausibleTime | undefined {
    const isKnown = this.#set && (this.#toldBootedAt !== undefined || !this.#machineIsFarAhead());
    if (!this.#wait || (isKnown && !(confirmed && this.#machineIsFarAhead()))) return undefined;
    if (!confirmed && this.#isFarAhead(time)) return { time, newest: this.#newest() };
    this.learn(time);
    this.#set = true;
    const systemAgrees = this.#evidence.isSet() && !this.#machineIsFarAhead();
    this.#toldBootedAt = systemAgrees ? undefined : time - this.monotonic();
    this.#becomeSure();
    return undefined;
  }

  #newest(): number {
    return this.#newestBootedAt + this.monotonic();
  }

  #isFarAhead(time: number): boolean {
    return this.#wait && time - this.#newest() > FAR_AHEAD_MS;
  }

  /** Whether the machine's clock is far ahead; reports the beginning of that. */
  #machineIsFarAhead(): boolean {
    const time = this.#machine.now();
    const isFar = this.#isFarAhead(time);
    const isTold = isFar && (this.#wasFarAhead || this.monotonic() - this.#began >= START_MS);
    const begins = isTold && !this.#wasFarAhead;
    this.#wasFarAhead = isTold;
    if (begins) this.#onFarAhead({ time, newest: this.#newest() });
    return isFar;
  }

  #becomeSure(): void {
    if (this.#sure) return;
    this.#sure = true;
    this.becameSure.emit();
  }

  #poll(): void {
    if (this.#evidence.isSet() && !this.#machineIsFarAhead()) {
      this.#toldBootedAt = undefined;
      this.#set = true;
      this.learn(this.#machine.now());
      this.#becomeSure();
      return;
    }
    if (this.monotonic() - this.#began >= DAY_MS) this.#becomeSure();
    this.#machine.after(EVIDENCE_POLL_MS, () => this.#poll());
  }
}

function thisMachine(): MachineClock {
  // `performance` uses the same clock from the start of this thread, and is faster.
  const startedAt = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return {
    now: Date.now,
    monotonic: () => startedAt + performance.now(),
    boot: bootId(),
    after(ms, task) {
      const timer = setTimeout(task, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** `read` gives a file's text or throws; handed in for tests. */
export function systemEvidence(read?: (path: string) => string): ClockEvidence {
  return { isSet: () => clockSource(read) !== undefined };
}

/** The source that has set the machine's clock, in a word or two; undefined while none has. */
export function clockSource(
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): string | undefined {
  const there = (path: string): string | undefined => {
    try {
      return read(path);
    } catch {
      return undefined;
    }
  };
  // systemd-timesyncd touches this file at its first synchronisation.
  if (there("/run/systemd/timesync/synchronized") !== undefined) return "NTP";
  if (there("/run/tallydeck-clock/set") !== undefined) return "the date of a web server";
  // A Pi 5 has a clock chip but mostly no battery: then it counts from 1970.
  const chip = Number(there("/sys/class/rtc/rtc0/since_epoch") ?? 0) * 1_000;
  return chip > PLAUSIBLE_SINCE ? "a clock chip" : undefined;
}

/** The beginning of Tallydeck, before which every time is wrong. */
export const PLAUSIBLE_SINCE = Date.UTC(2026, 0, 1);

/** The id of this boot. Where it is unknown, every start counts as a boot, so that times are not compared wrongly. */
export function bootId(): string {
  // The unit passes the id, since the sandbox of the box hides /proc/sys.
  if (process.env.BOOT_ID) return process.env.BOOT_ID;
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}
