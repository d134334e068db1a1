import { UTC_DAYS } from "../../base/day-zone.ts";
import type { FeedQuery, Numbers, PlaceUnit } from "../../store/store.ts";

/** A question is answered after so long, news or none. */
const LONGEST_WAIT_MS = 25_000;
/** Hits so soon after the first one go with it. */
const TOGETHER_MS = 100;
/** Home asks again at once: answers are so far apart, unless they have much. */
const APART_MS = 700;
const MUCH_BYTES = 65_536;
/** Another node of a fleet settles once a minute. */
const SETTLED_AFTER_MS = 1_000;

/**
 * The changes after a cursor, once there are any.
 * @param home names who asks
 * @param signal aborted when who asks has left
 */
export async function changesAfter(
  numbers: Numbers,
  home: string,
  after: string,
  signal: AbortSignal,
): Promise<PlaceUnit | undefined> {
  const { clock, confirmed } = numbers;
  confirmed.asked(home, after);
  const asked = clock.monotonic();
  const until = asked + LONGEST_WAIT_MS;
  let settled: FeedQuery["settled"];
  let isFiled = false;
  for (;;) {
    using counted = next(numbers);
    const feed = await numbers.read("placeFeed", {
      after,
      settled,
      zone: numbers.directory.dayZone ?? UTC_DAYS,
      now: clock.now(),
    });
    const left = until - clock.monotonic();
    if ("unit" in feed && feed.isWaiting) {
      confirmed.left(home);
      // Hits that waited for the clock are settled before all that came after.
      if (clock.sure && !isFiled) {
        isFiled = true;
        await numbers.upkeep.anew();
        continue;
      }
    }
    const early = asked + APART_MS - clock.monotonic();
    if ("unit" in feed && feed.hasNews && early > 0 && !signal.aborted && isLittle(feed.unit)) {
      await wait(numbers, early, signal);
      continue;
    }
    if ("unit" in feed && (feed.hasNews || left <= 0)) {
      confirmed.answered(home);
      return feed.unit;
    }
    if (left <= 0 || signal.aborted) return undefined;
    if ("unit" in feed) {
      await wait(numbers, left, signal, counted);
      if (!signal.aborted) await wait(numbers, TOGETHER_MS, signal);
    } else if (settled === undefined) {
      settled = feed.unsettled;
      await numbers.upkeep.anew();
    } else {
      await wait(numbers, SETTLED_AFTER_MS, signal);
      await numbers.upkeep.anew();
    }
  }
}

/** Whether it has nothing but some hits. */
function isLittle({ hello, log, days, surveys }: PlaceUnit): boolean {
  const bytes = log.reduce((sum, { length }) => sum + length, 0);
  return bytes < MUCH_BYTES && hello.sites === undefined && days.length + surveys.length === 0;
}

/** Resolves when something is counted, or a site is another. It listens from now on. */
function next(numbers: Numbers): { readonly promise: Promise<void>; [Symbol.dispose](): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancels = [numbers.counted.on(resolve), numbers.directoryChanged.on(() => resolve())];
  return {
    promise,
    [Symbol.dispose]: () => {
      for (const cancel of cancels) cancel();
    },
  };
}

async function wait(
  { clock }: Pick<Numbers, "clock">,
  ms: number,
  signal: AbortSignal,
  earlier?: ReturnType<typeof next>,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const left = () => resolve();
  signal.addEventListener("abort", left);
  await Promise.race([promise, ...(earlier ? [earlier.promise] : [])]);
  signal.removeEventListener("abort", left);
  cancel();
}
