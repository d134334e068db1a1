import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";

const LOOK_MS = 5_000;
/** The clock moving on by so much more than expected means that the host was suspended. */
const GAP_MS = 10_000;
const STEP_MS = 1_000;

interface ClockWatcher {
  /** The host was suspended, or stood still for as long. */
  slept(): void;
  /** The wall clock was set. */
  stepped(): void;
}

/** Looks at the clock every few seconds for what no timer tells. */
export function watchClock(clock: Clock, watcher: ClockWatcher): Cancel {
  let cancel: Cancel = () => {};
  const look = () => {
    const before = { now: clock.now(), monotonic: clock.monotonic() };
    cancel = clock.after(LOOK_MS, () => {
      const passed = clock.monotonic() - before.monotonic;
      // Monotonic time stands still while the host is suspended; the wall clock does not.
      const wallPassed = clock.now() - before.now;
      if (Math.max(passed, wallPassed) > LOOK_MS + GAP_MS) watcher.slept();
      if (Math.abs(wallPassed - passed) > STEP_MS) watcher.stepped();
      look();
    });
  };
  look();
  return () => cancel();
}
