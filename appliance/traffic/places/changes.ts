import { UTC_DAYS } from "../../base/day-zone.ts";
import type { FeedQuery, Numbers, PlaceUnit } from "../../store/store.ts";

/** An answer ends after so long, news or none. */
const LONGEST_WAIT_MS = 25_000;
/** An answer goes on for so long after its first unit: home's next question confirms what came. */
const GOES_ON_MS = 8_000;
/** Hits so soon after the first one go with it. */
const TOGETHER_MS = 100;
/** Units are so far apart, unless they have much. */
const APART_MS = 800;
const MUCH_BYTES = 65_536;
/** Another node of a fleet settles once a minute. */
const SETTLED_AFTER_MS = 1_000;

/** A question of a home that is answered now. */
interface Answering {
  readonly numbers: Numbers;
  /** Names who asks. */
  readonly home: string;
  /** Aborted when who asks has left. */
  readonly signal: AbortSignal;
}

/**
 * The changes after a cursor, once there are any; and what is counted in the seconds after them, as it comes. None where there
 * is nothing for a while.
 * @param home names who asks
 * @param signal aborted when who asks has left
 */
export async function* changesAfter(
  numbers: Numbers,
  home: string,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<PlaceUnit> {
  const { clock, confirmed } = numbers;
  confirmed.asked(home, after);
  const answering = { numbers, home, signal };
  const last = clock.monotonic() + LONGEST_WAIT_MS;
  let unit = await firstUnit(answering, after, last);
  const until = Math.min(last, clock.monotonic() + GOES_ON_MS);
  while (unit !== undefined) {
    yield unit;
    if (!isLittle(unit) || signal.aborted || clock.monotonic() >= until) return;
    unit = await furtherUnit(answering, unit.until, until);
  }
}

/** @param until the moment (monotonic ms) at which it is answered without news, too */
async function firstUnit(
  answering: Answering,
  after: string,
  until: number,
): Promise<PlaceUnit | undefined> {
  const { numbers, home, signal } = answering;
  const { clock, confirmed } = numbers;
  const asked = clock.monotonic();
  let settled: FeedQuery["settled"];
  let isFiled = false;
  for (;;) {
    using counted = next(numbers);
    const feed = await feedAfter(numbers, after, settled);
    const left = until - clock.monotonic();
    if ("unit" in feed && feed.isWaiting) {
      confirmed.left(home);
      // Hits that waited for the clock are settled before all that came after.
      if (clock.sure && !isFiled) {
        isFiled = true;
        confirmed.release();
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

/** The news after a unit of the same answer. None where there is nothing until then, or it is for another question to have it settled. */
async function furtherUnit(
  { numbers, home, signal }: Answering,
  after: string,
  until: number,
): Promise<PlaceUnit | undefined> {
  const { clock, confirmed } = numbers;
  const left = () => Math.max(0, until - clock.monotonic());
  await wait(numbers, Math.min(APART_MS, left()), signal);
  for (;;) {
    using counted = next(numbers);
    const feed = await feedAfter(numbers, after);
    if (!("unit" in feed) || feed.isWaiting) return undefined;
    if (feed.hasNews) {
      confirmed.answered(home);
      return feed.unit;
    }
    if (left() === 0 || signal.aborted) return undefined;
    await wait(numbers, left(), signal, counted);
    if (!signal.aborted) await wait(numbers, TOGETHER_MS, signal);
  }
}

function feedAfter(numbers: Numbers, after: string, settled?: FeedQuery["settled"]) {
  const zone = numbers.directory.dayZone ?? UTC_DAYS;
  return numbers.read("placeFeed", { after, settled, zone, now: numbers.clock.now() });
}

/** Whether it has some hits, and nothing else. */
function isLittle({ hello, log, days, surveys }: PlaceUnit): boolean {
  const bytes = log.reduce((sum, { length }) => sum + length, 0);
  const others = days.length + surveys.length;
  return bytes > 0 && bytes < MUCH_BYTES && hello.sites === undefined && others === 0;
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
