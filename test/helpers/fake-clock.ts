import type { Clock } from "../../appliance/clock.ts";

export interface FakeClock extends Clock {
  /** Lets time pass, running what falls due in its order. */
  advance(ms: number): void;
  /** Sets the wall clock, as NTP does; monotonic time goes on untouched. */
  setWallClock(epochMs: number): void;
  becomeSure(): void;
}

/** A clock that moves only when told to. */
export function createFakeClock({ now = Date.UTC(2026, 4, 20, 12), sure = true } = {}): FakeClock {
  let monotonic = 1_000;
  let offset = now - monotonic;
  let isSure = sure;
  let timers: { due: number; task: () => void }[] = [];
  const listeners: (() => void)[] = [];

  return {
    now: () => monotonic + offset,
    monotonic: () => monotonic,
    boot: "fake-boot",
    get sure() {
      return isSure;
    },
    onSure: (listener) => void listeners.push(listener),
    after(ms, task) {
      const timer = { due: monotonic + Math.max(0, ms), task };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = monotonic + ms;
      for (;;) {
        const [next] = timers.filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due);
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        monotonic = Math.max(monotonic, next.due);
        next.task();
      }
      monotonic = end;
    },
    setWallClock(epochMs) {
      offset = epochMs - monotonic;
    },
    becomeSure() {
      isSure = true;
      for (const listener of listeners.splice(0)) listener();
    },
  };
}
