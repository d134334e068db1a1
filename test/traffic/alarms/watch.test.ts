import assert from "node:assert/strict";
import { HOUR_MS } from "../../../appliance/base/calendar.ts";
import {
  type AlarmChange,
  AlarmWatch,
  type Look,
  type WatchedSite,
} from "../../../appliance/traffic/alarms/watch.ts";

const MINUTE_MS = 60_000;
const NOON = Date.UTC(2026, 2, 4, 12);
/** Sixty views in every hour of the week. */
const HABIT = { week: Array<number>(168).fill(60), visitSize: 2, spread: 0.05 };
const KNOWN: WatchedSite = { baseline: HABIT, from: NOON / HOUR_MS, hours: [60] };
const USUAL = 5;

/** A watch, and how minutes pass for it. */
function watching(since?: ConstructorParameters<typeof AlarmWatch>[0], knowledge = KNOWN) {
  const watch = new AlarmWatch(since);
  let minute = 0;
  return {
    watch,
    /** @returns what began or was over in these minutes */
    pass(minutes: number, live: number, look: Partial<Look> = {}): AlarmChange[] {
      return Array.from({ length: minutes }, () => {
        minute++;
        const at = { now: NOON + minute * MINUTE_MS, monotonic: minute * MINUTE_MS };
        return watch.look({ ...at, live, isSound: true, ...look }, knowledge);
      }).flat();
    },
    /** Passes time without looks, as on a machine that sleeps. */
    sleep(minutes: number) {
      minute += minutes;
    },
  };
}

const said = (changes: AlarmChange[]) => changes.map(({ kind, state }) => `${kind} ${state}`);

describe("a watch on a site", () => {
  it("says once that it is silent, since the last view, and once that it is not", () => {
    const { pass } = watching();
    assert.deepEqual(pass(90, USUAL), []);
    const began = pass(120, 0);
    assert.deepEqual(said(began), ["silence firing"]);
    assert.equal(began[0]?.since, NOON + 86 * MINUTE_MS);
    assert.deepEqual(said(pass(1, 2)), ["silence resolved"]);
    assert.deepEqual(pass(30, USUAL), []);
  });

  it("says once that there is a rush, and once that it is over, after half an hour of calm", () => {
    const { pass } = watching();
    pass(90, USUAL);
    assert.deepEqual(said(pass(30, 100)), ["rush firing"]);
    assert.deepEqual(pass(20, USUAL), []);
    assert.deepEqual(pass(20, 100), []);
    assert.deepEqual(pass(80, USUAL), []);
    assert.deepEqual(said(pass(30, USUAL)), ["rush resolved"]);
  });

  it("takes no single look for a rush", () => {
    const { pass } = watching();
    pass(90, USUAL);
    assert.deepEqual([...pass(1, 100), ...pass(60, USUAL)], []);
  });

  it("judges nothing in the first hour", () => {
    const silent = watching();
    assert.deepEqual(silent.pass(59, 0), []);
    assert.equal(silent.watch.phase("silence", KNOWN), "waiting");
    const busy = watching();
    assert.deepEqual(busy.pass(60, 100), []);
    assert.equal(said(busy.pass(3, 100)).join(), "rush firing");
  });

  it("takes a sleep of the box for no silence, and waits an hour again", () => {
    const { pass, sleep } = watching();
    pass(90, USUAL);
    sleep(600);
    assert.deepEqual(pass(59, 0), []);
    assert.deepEqual(said(pass(120, 0)), ["silence firing"]);
  });

  it("judges nothing while storage is in trouble, and goes on where it was", () => {
    const { pass } = watching();
    pass(90, USUAL);
    assert.deepEqual(pass(300, 0, { isSound: false }), []);
    assert.deepEqual(said(pass(1, 0)), ["silence firing"]);
  });

  it("keeps an alarm that stood before, until a view comes", () => {
    const { watch, pass } = watching([["silence", NOON - HOUR_MS]]);
    assert.deepEqual(pass(300, 0), []);
    assert.equal(watch.phase("silence", KNOWN), "firing");
    assert.deepEqual(said(pass(1, 1)), ["silence resolved"]);
  });

  it("says that it learns while nothing is usual", () => {
    const nothing = { ...KNOWN, baseline: undefined };
    const { watch, pass } = watching([], nothing);
    assert.deepEqual(pass(600, 0), []);
    assert.equal(watch.phase("rush", nothing), "learning");
  });
});
