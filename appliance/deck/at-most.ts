import type { Clock } from "../base/clock.ts";

/** Waits for `work` as long as `ms` milliseconds; how it fails, and when, matters to nobody but `onError`. */
export function atMost(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const done = () => {
      cancel();
      resolve();
    };
    work.catch(onError).then(done, done);
  });
}
