import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

/** Stops a timer; calling it again does nothing. */
export type Cancel = () => void;

/** Everything the appliance knows about time. Tests hand in a fake. */
export interface Clock {
  /** Wall clock, epoch milliseconds. May step. */
  now(): number;
  /** Milliseconds since this boot; never steps. */
  monotonic(): number;
  /** Names this boot of the machine: monotonic times are only comparable within one boot. */
  readonly boot: string;
  /** False while the wall clock cannot be trusted to name the day. Never turns false again. */
  readonly sure: boolean;
  /** Calls back once, when the clock becomes sure; never when it already is. */
  onSure(listener: () => void): void;
  /** Runs `task` once after `ms` milliseconds. Does not keep the process alive. */
  after(ms: number, task: () => void): Cancel;
}

/** What tells that the machine's clock has been set, read from files the system keeps. */
export interface ClockEvidence {
  /** True once NTP, the HTTPS-date helper or a battery-backed hardware clock set the time. */
  isSet(): boolean;
}

const DAY_MS = 86_400_000;
const EVIDENCE_POLL_MS = 1_000;

export interface SystemClockOptions {
  /** Begin unsure, as a board without a battery clock must (`WAIT_FOR_CLOCK=1`). */
  wait?: boolean;
  evidence?: ClockEvidence;
  machine?: MachineClock;
}

/** The clocks and timers the machine has, believed or not. */
export type MachineClock = Pick<Clock, "now" | "monotonic" | "boot" | "after">;

export interface SystemClock extends Clock {
  /**
   * Believes a wall clock somebody trustworthy told (epoch ms): the browser of a signed-in owner.
   * The service may not set the system clock, so it goes by what it was told until the system knows.
   */
  believe(now: number): void;
}

/** The machine's own clock. */
export function createSystemClock({
  wait = false,
  evidence = systemEvidence(),
  machine = thisMachine(),
}: SystemClockOptions = {}): SystemClock {
  const listeners: (() => void)[] = [];
  let sure = !wait;
  /** Epoch ms at monotonic zero by what somebody told; a step of the wall clock leaves it right. */
  let toldBootedAt: number | undefined;

  const becomeSure = () => {
    if (sure) return;
    sure = true;
    for (const listener of listeners.splice(0)) listener();
  };

  const began = machine.monotonic();
  const poll = () => {
    if (evidence.isSet()) {
      toldBootedAt = undefined;
      becomeSure();
      return;
    }
    if (machine.monotonic() - began >= DAY_MS) becomeSure();
    machine.after(EVIDENCE_POLL_MS, poll);
  };
  if (wait) poll();

  return {
    now: () => (toldBootedAt === undefined ? machine.now() : toldBootedAt + machine.monotonic()),
    monotonic: () => machine.monotonic(),
    boot: machine.boot,
    get sure() {
      return sure;
    },
    onSure: (listener) => void listeners.push(listener),
    after: (ms, task) => machine.after(ms, task),
    believe(now) {
      if (sure) return;
      toldBootedAt = now - machine.monotonic();
      becomeSure();
    },
  };
}

function thisMachine(): MachineClock {
  return {
    now: Date.now,
    monotonic: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
    boot: bootId(),
    after(ms, task) {
      const timer = setTimeout(task, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** `read` gives a file's text or throws; handed in for tests. */
export function systemEvidence(
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): ClockEvidence {
  const there = (path: string): string | undefined => {
    try {
      return read(path);
    } catch {
      return undefined;
    }
  };
  return {
    isSet: () =>
      // systemd-timesyncd touches this file at its first synchronisation.
      there("/run/systemd/timesync/synchronized") !== undefined ||
      there("/run/tallydeck/clock-set") !== undefined ||
      // A Pi 5 has a clock chip but mostly no battery: then it counts from 1970.
      Number(there("/sys/class/rtc/rtc0/since_epoch") ?? 0) * 1_000 > PLAUSIBLE_SINCE,
  };
}

const PLAUSIBLE_SINCE = Date.UTC(2026, 0, 1);

/** Where neither tells it, every start counts as a boot: times are never taken for comparable. */
function bootId(): string {
  // On the box the sandbox hides /proc/sys, and the unit tells.
  if (process.env.BOOT_ID) return process.env.BOOT_ID;
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}
