import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { DAY_MS } from "./calendar.ts";
import { type Cancel, type Listenable, Signal } from "./signal.ts";

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
  /** Told once; never when the clock is sure already. */
  readonly becameSure: Listenable;
  /** Runs `task` once after `ms` milliseconds. Does not keep the process alive. */
  after(ms: number, task: () => void): Cancel;
}

/** What tells that the machine's clock has been set, read from files the system keeps. */
interface ClockEvidence {
  /** True once NTP, the HTTPS-date helper or a battery-backed hardware clock set the time. */
  isSet(): boolean;
}

const EVIDENCE_POLL_MS = 1_000;
/** What the data knows of the time comes soon after the start: before, nobody is told of a refusal. */
const START_MS = 60_000;
/** A time that is further ahead of the newest thing known is not believed unless its owner confirms it. */
const FAR_AHEAD_MS = 400 * DAY_MS;

/** A time that is too far ahead to be believed. Epoch milliseconds. */
export interface FarAhead {
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
  /** The machine's time is far ahead, and not believed. Called once each time that it begins. */
  onFarAhead?: (refused: FarAhead) => void;
}

/** The clocks and timers the machine has, believed or not. */
type MachineClock = Pick<Clock, "now" | "monotonic" | "boot" | "after">;

export interface SystemClock extends Clock {
  /**
   * Takes over a wall clock somebody trustworthy told (epoch ms): the browser of a signed-in owner.
   * The service may not set the system clock, so it goes by what it was told until the system knows.
   * @param confirmed a person looked at the date and says that it is right
   * @returns why it does not; undefined when it does, or needs nobody to tell
   */
  believe(now: number, confirmed?: boolean): FarAhead | undefined;
  /** This time has been (epoch ms): the day of the newest data, or when the clock was last right. */
  learn(time: number): void;
}

/**
 * The machine's own clock. One that waits is believed up to FAR_AHEAD_MS past the newest time known;
 * where the machine is further ahead, time goes on from the newest known.
 */
export function createSystemClock({
  wait = false,
  evidence = systemEvidence(),
  machine = thisMachine(),
  known = machine.now(),
  onFarAhead = () => {},
}: SystemClockOptions = {}): SystemClock {
  const becameSure = new Signal();
  let sure = !wait;
  /** Somebody or something told the time; a clock that is only believed for want of better is not set. */
  let set = false;
  /** Epoch ms at monotonic zero by what somebody told; a step of the wall clock leaves it right. */
  let toldBootedAt: number | undefined;
  /** The same by the newest time known. */
  let newestBootedAt = Math.max(known, PLAUSIBLE_SINCE) - machine.monotonic();
  let wasFarAhead = false;
  const began = machine.monotonic();

  const newest = () => newestBootedAt + machine.monotonic();
  const learn = (time: number) => {
    newestBootedAt = Math.max(newestBootedAt, time - machine.monotonic());
  };
  const isFarAhead = (time: number) => wait && time - newest() > FAR_AHEAD_MS;
  const machineIsFarAhead = () => {
    const time = machine.now();
    const isFar = isFarAhead(time);
    const isTold = isFar && (wasFarAhead || machine.monotonic() - began >= START_MS);
    const begins = isTold && !wasFarAhead;
    wasFarAhead = isTold;
    if (begins) onFarAhead({ time, newest: newest() });
    return isFar;
  };
  const now = () => {
    if (toldBootedAt !== undefined) return toldBootedAt + machine.monotonic();
    return machineIsFarAhead() ? newest() : machine.now();
  };

  const becomeSure = () => {
    if (sure) return;
    sure = true;
    becameSure.emit();
  };

  const poll = () => {
    if (evidence.isSet() && !machineIsFarAhead()) {
      toldBootedAt = undefined;
      set = true;
      learn(machine.now());
      becomeSure();
      return;
    }
    if (machine.monotonic() - began >= DAY_MS) becomeSure();
    machine.after(EVIDENCE_POLL_MS, poll);
  };
  if (wait) {
    // The box set it to when it was last saved.
    if (!evidence.isSet() && !machineIsFarAhead()) learn(machine.now());
    poll();
  }

  return {
    now,
    monotonic: () => machine.monotonic(),
    boot: machine.boot,
    get sure() {
      return sure;
    },
    becameSure,
    after: (ms, task) => machine.after(ms, task),
    learn,
    believe(time, confirmed = false) {
      const isKnown = set && (toldBootedAt !== undefined || !machineIsFarAhead());
      if (!wait || (isKnown && !(confirmed && machineIsFarAhead()))) return undefined;
      if (!confirmed && isFarAhead(time)) return { time, newest: newest() };
      learn(time);
      set = true;
      const systemAgrees = evidence.isSet() && !machineIsFarAhead();
      toldBootedAt = systemAgrees ? undefined : time - machine.monotonic();
      becomeSure();
      return undefined;
    },
  };
}

function thisMachine(): MachineClock {
  // `performance` counts from the start of this thread by the same clock, and asks it quicker.
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
      there("/run/tallydeck-clock/set") !== undefined ||
      // A Pi 5 has a clock chip but mostly no battery: then it counts from 1970.
      Number(there("/sys/class/rtc/rtc0/since_epoch") ?? 0) * 1_000 > PLAUSIBLE_SINCE,
  };
}

/** No time before is right: there was no Tallydeck. */
export const PLAUSIBLE_SINCE = Date.UTC(2026, 0, 1);

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
