import type { Clock } from "../base/clock.ts";

/**
 * Waits for `work` as long as `ms` milliseconds; a failure, early or late, is told to `onError`
 * alone.
 */
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
