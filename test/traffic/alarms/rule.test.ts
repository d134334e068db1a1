import assert from "node:assert/strict";
import { DAY_MS, dayOf, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import {
  BASELINE_DAYS,
  type Baseline,
  baselineOf,
  usualViews,
} from "../../../appliance/traffic/alarms/baseline.ts";
import { judgeSilence, rushBound } from "../../../appliance/traffic/alarms/rule.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

/** A Wednesday. */
const NOON = Date.UTC(2026, 2, 4, 12);
const TODAY = dayOf(NOON);
const MINUTE_MS = 60_000;

/** Days of 10 views an hour from 8 to 20 UTC, of two views a visit; `change` makes of a day what it was. */
function historyOf(days: number, change: (hours: number[], ago: number) => number[] = (h) => h) {
  const hours = Array.from({ length: days }, (_, i) =>
    change(
      Array.from({ length: 24 }, (_, hour) => (hour >= 8 && hour < 20 ? 10 : 0)),
      days - i,
    ),
  ).flat();
  const views = hours.reduce((sum, n) => sum + n, 0);
  return { from: TODAY - days, hours, sessions: views / 2 };
}

function baseline(...given: Parameters<typeof historyOf>): Baseline {
  return baselineOf(historyOf(...given), TODAY) ?? assert.fail("nothing is usual");
}

/** The minutes from noon on that must be silent. */
function silentMinutes(usual: Baseline, lately = { seen: 0, usual: 0 }): number {
  for (let minutes = 1; ; minutes++) {
    const span = { from: NOON, to: NOON + minutes * MINUTE_MS };
    if (judgeSilence(usual, span, lately).isAlarm) return minutes;
  }
}

const hourBound = (usual: Baseline) => rushBound(usual, { from: NOON - HOUR_MS, to: NOON }).bound;

describe("what is usual for a site", () => {
  it("is the mean of the same hours of the week", () => {
    const usual = baseline(BASELINE_DAYS);
    const day = usualViews(usual, TODAY * DAY_MS, (TODAY + 1) * DAY_MS);
    assert.deepEqual([Math.round(day), usual.visitSize], [120, 2]);
    assert.equal(Math.round(usualViews(usual, NOON, NOON + HOUR_MS / 2)), 5);
    assert.equal(Math.round(usualViews(usual, NOON, NOON + 15 * DAY_MS)), 15 * 120);
  });

  it("has the hours that the clock of a zone shows, and one less when that is put forward", () => {
    const history = historyOf(BASELINE_DAYS, (hours) => hours.map((_, hour) => hour));
    const zone = new DayZone({ zone: "Europe/Zurich", before: null });
    const usual = baselineOf(history, TODAY, zone) ?? assert.fail("nothing is usual");
    const hourFrom = (text: string) => {
      const from = Date.parse(text);
      return Math.round(usualViews(usual, from, from + HOUR_MS));
    };
    assert.equal(hourFrom("2026-03-04T12:00:00Z"), 13);
    assert.equal(hourFrom("2026-07-01T12:00:00Z"), 14);
    const found = ["00", "01"].map((hour) => hourFrom(`2026-03-29T${hour}:00:00Z`));
    assert.deepEqual(found, [1, 3]);
  });

  it("is not known before three weeks, nor of a site with a handful of views", () => {
    assert.equal(baselineOf(historyOf(21), TODAY), undefined);
    assert.notEqual(baselineOf(historyOf(23), TODAY), undefined);
    const few = historyOf(BASELINE_DAYS, (hours, ago) =>
      hours.map((_, i) => Number(i + ago === 12)),
    );
    assert.equal(baselineOf(few, TODAY), undefined);
  });

  it("goes by no day on which site or box were away, and little by one that was talked about", () => {
    const plain = usualViews(baseline(BASELINE_DAYS), NOON, NOON + 7 * DAY_MS);
    const away = baseline(BASELINE_DAYS, (hours, ago) =>
      ago % 8 === 3 ? hours.map(() => 0) : hours,
    );
    assert.equal(Math.round(usualViews(away, NOON, NOON + 7 * DAY_MS)), Math.round(plain));
    const loud = baseline(BASELINE_DAYS, (hours, ago) =>
      ago === 20 ? hours.map((n) => n * 50) : hours,
    );
    assert.ok(usualViews(loud, NOON, NOON + 7 * DAY_MS) < 1.1 * plain);
  });

  it("follows a site that grows", () => {
    const grown = baseline(BASELINE_DAYS, (hours, ago) =>
      ago <= 7 ? hours.map((n) => n * 1.8) : hours,
    );
    assert.ok(usualViews(grown, NOON, NOON + HOUR_MS) > 15);
  });
});

describe("a silence", () => {
  it("is improbable once enough views are usual in it, whatever the hour", () => {
    const usual = baseline(BASELINE_DAYS);
    const minutes = silentMinutes(usual);
    assert.ok(minutes > 90 && minutes < 240, `${minutes} minutes`);
    const night = { from: NOON + 8 * HOUR_MS, to: NOON + 19 * HOUR_MS };
    assert.equal(judgeSilence(usual, night, { seen: 0, usual: 0 }).isAlarm, false);
  });

  it("is judged more slowly on a day that was quiet before, and no sooner on a loud one", () => {
    const usual = baseline(BASELINE_DAYS);
    const plain = silentMinutes(usual, { seen: 120, usual: 120 });
    assert.ok(silentMinutes(usual, { seen: 30, usual: 120 }) > 1.5 * plain);
    assert.equal(silentMinutes(usual, { seen: 1_200, usual: 120 }), plain);
  });

  it("is not put off for good by a day without a view", () => {
    const usual = baseline(BASELINE_DAYS);
    const afterOne = silentMinutes(usual, { seen: 0, usual: 200 });
    assert.equal(silentMinutes(usual, { seen: 0, usual: 2_000 }), afterOne);
  });

  it("is none of the first ten minutes, however many views are usual", () => {
    const busy = baseline(BASELINE_DAYS, (hours) => hours.map((n) => n * 1_000));
    assert.equal(silentMinutes(busy), 10);
  });

  it("may be an hour longer where visitors put their clocks forward", () => {
    const usual = baseline(BASELINE_DAYS);
    const morning = { from: NOON - 12 * HOUR_MS, to: NOON - 2 * HOUR_MS };
    const { usual: views } = judgeSilence(usual, morning, { seen: 0, usual: 0 });
    assert.equal(Math.round(views), 10);
  });
});

describe("a rush", () => {
  it("is at least three times the usual, and twenty views", () => {
    assert.ok(hourBound(baseline(BASELINE_DAYS)) >= 30);
    const thin = baseline(BASELINE_DAYS, (hours) => hours.map((n) => n / 10));
    assert.ok(hourBound(thin) >= 20);
    const busy = baseline(BASELINE_DAYS, (hours) => hours.map((n) => n * 1_000));
    assert.equal(hourBound(busy), 30_000);
  });

  it("takes more of a site whose days stray", () => {
    const { random } = seeded(TEST_SEED);
    const stray = baseline(BASELINE_DAYS, (hours) => {
      const level = 10 * (0.2 + 1.6 * random());
      return hours.map((n) => n * level);
    });
    const even = baseline(BASELINE_DAYS, (hours) => hours.map((n) => n * 10));
    const bound = hourBound({ ...stray, week: even.week });
    assert.ok(bound > hourBound(even), `TEST_SEED=${TEST_SEED}`);
  });
});

describe("more history of the same", () => {
  it("makes no bound looser", () => {
    const { random, below } = seeded(TEST_SEED);
    for (let run = 0; run < 20; run++) {
      // Whole numbers, so that chance has no part in it.
      const week = Array.from({ length: 7 }, () =>
        Array.from({ length: 24 }, () => below(2 + 20 * random())),
      );
      const same = (weeks: number) =>
        baseline(7 * weeks, (_, ago) => week[(TODAY - ago) % 7]?.slice() ?? []);
      for (let weeks = 4; weeks < 8; weeks++) {
        const [less, more] = [same(weeks), same(weeks + 1)];
        const at = `TEST_SEED=${TEST_SEED}, run ${run}, ${weeks} weeks`;
        assert.ok(silentMinutes(more) <= silentMinutes(less), at);
        assert.ok(hourBound(more) <= hourBound(less), at);
      }
    }
  });
});
