import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { serialize, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { silentLog } from "../../../appliance/base/log.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import type { BatchData } from "../../../appliance/store/counting.ts";
import { MAX_BARE_HOURS } from "../../../appliance/store/intake/bare-hits.ts";
import { MAX_WAITING_SURVEYS } from "../../../appliance/store/intake/commit-group.ts";
import { Intake } from "../../../appliance/store/intake/intake.ts";
import { MAX_WAITING_BYTES } from "../../../appliance/store/intake/waiting-hits.ts";
import { FLAG, type Hit } from "../../../appliance/store/log/record.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { type CountGroup, groupsOf } from "../../helpers/groups.ts";
import { viewOf } from "../../helpers/traffic.ts";

/** An intake whose storage fails until it is mended. */
class Failing {
  readonly clock = new FakeClock();
  /** Attempts of commits while nothing could be stored, with their times and sizes. */
  readonly attempts: { at: number; log: readonly Uint8Array[]; bytes: number }[] = [];
  readonly committed: BatchData[] = [];
  readonly intake: Intake;
  /** Commits that succeed before one fails; the rest of them once it is mended. */
  #left = 0;

  constructor() {
    this.intake = new Intake({
      clock: this.clock,
      log: silentLog(),
      lowSpace: () => false,
      send: async (request) => {
        assert.ok(request.kind === "commit");
        if (this.#left-- > 0) {
          this.committed.push(request.batch);
          return { ok: true, surveys: request.batch.surveys.map(() => true), more: false };
        }
        const { batch } = request;
        const bytes = serialize(batch).length;
        this.attempts.push({ at: this.clock.monotonic(), log: batch.log, bytes });
        return { ok: false, busy: false, message: "disk full" };
      },
    });
  }

  view(path: string): Promise<void> {
    return this.intake.count(1, viewOf({ path }));
  }

  /** A view, and then that nothing can be stored is known. */
  async begin(): Promise<void> {
    await this.view("/");
    assert.equal(this.intake.unavailable, true);
  }

  /** Lets commits succeed, at most so many, and waits until no more is tried. */
  async mend(commits = Number.POSITIVE_INFINITY): Promise<CountGroup[]> {
    this.#left = commits;
    const begun = this.committed.length;
    this.clock.advance(120_000);
    await this.intake.drain();
    return this.committed.slice(begun).flatMap(({ log }) => log.flatMap(groupsOf));
  }
}

/** The counts of each value of a dimension, and the views. */
function sums(groups: readonly CountGroup[], dimension: string) {
  const byValue = new Map<string, number>();
  for (const { counts } of groups)
    for (const [value, n] of counts.get(dimension) ?? [])
      byValue.set(value, (byValue.get(value) ?? 0) + n);
  const total = [...byValue.values()].reduce((sum, n) => sum + n, 0);
  return { byValue, total, views: groups.reduce((sum, { views }) => sum + views, 0) };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function memory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const HOUR_MS = 3_600_000;
const VALUES = 100_000;
/** 128 characters, cut from a text that is far longer. */
const cutValue = (i: number) => `${i}/${"漢".repeat(4_000)}`.slice(0, 128);
const LONG = "漢".repeat(128);
/** The same at once. */
const longValue = (i: number) => `${i}/${LONG}`.slice(0, 128);
/** More of these than there is room for. */
const CROWD = VALUES / 2;

describe("what waits in memory", () => {
  /** Different values, 2,000 in each hour. */
  function flood(failing: Failing, values = CROWD, value = longValue): void {
    for (let i = 0; i < values; i++) {
      if (i % 2_000 === 0) failing.clock.setWall(Date.UTC(2026, 2, 5) + (i / 2_000) * HOUR_MS);
      void failing.view(value(i));
    }
  }

  it("takes at most 16 MB, and loses no view", async () => {
    const failing = new Failing();
    await failing.begin();
    const before = memory();
    flood(failing, VALUES, cutValue);
    const taken = memory() - before;
    assert.ok(taken < 1.25 * MAX_WAITING_BYTES, `${Math.round(taken / 1e6)} MB`);
    const groups = await failing.mend();
    const paths = sums(groups, "path");
    assert.ok((paths.byValue.get(OTHER) ?? 0) > VALUES / 2);
    assert.ok(paths.byValue.size > VALUES / 10);
    assert.deepEqual([paths.total, paths.views], [VALUES + 1, VALUES + 1]);
    assert.equal(sums(groups, "pv").total, VALUES + 1);
  });

  it("holds hits that are alike once, however many they are", async () => {
    const failing = new Failing();
    await failing.begin();
    for (let i = 0; i < VALUES; i++) void failing.view(`/${i % 10}`);
    const { waitingHits, waitingBytes } = failing.intake.figures;
    assert.equal(waitingHits, VALUES + 1);
    assert.ok(waitingBytes < 10_000, `${waitingBytes} bytes`);
    const paths = sums(await failing.mend(), "path");
    assert.deepEqual([paths.byValue.size, paths.byValue.get("/7")], [11, VALUES / 10]);
  });

  describe("where there is no room for more", () => {
    async function full(): Promise<Failing> {
      const failing = new Failing();
      await failing.begin();
      flood(failing);
      return failing;
    }

    it("takes hits as they are that are alike to those before", async () => {
      const other = new Failing();
      await other.begin();
      const waiting = () => other.intake.figures.waitingBytes;
      let next = 0;
      for (let bytes = 0; bytes !== waiting(); next++) {
        bytes = waiting();
        void other.view(longValue(next));
      }
      // The last found no room, nor did the one before, which was the first of its hour.
      const known = longValue(next - 3);
      for (let i = 0; i < 1_000; i++) void other.view(known);
      assert.equal(sums(await other.mend(), "path").byValue.get(known), 1_001);
    });

    it("tells all that it counts but its texts, hour by hour", async () => {
      const failing = await full();
      const hour = Date.UTC(2026, 5, 1);
      const hits: Hit[] = [
        viewOf({ path: "/new" }, FLAG.visitor | FLAG.session),
        viewOf({ path: "/newer" }, FLAG.visitor),
        { kind: "event", flags: 0, values: [["event", "new"]] },
        { kind: "interaction", flags: 0, values: [["hi", "new"]] },
        { kind: "interaction", flags: 0, values: [["left_out", "host"]] },
        { kind: "interaction", flags: 0, values: [] },
        { kind: "crawler", flags: 0, values: [["bot_kind", "new"]] },
        { kind: "synthetic", flags: 0, values: [] },
        { kind: "ping", flags: 0, values: [["app_os", "new"]] },
      ];
      for (const later of [0, 1]) {
        failing.clock.setWall(hour + later * HOUR_MS);
        for (const hit of hits) void failing.intake.count(2, hit);
      }
      const ofSite = (await failing.mend()).filter(({ site }) => site === 2);
      const stamps = ofSite.map(({ stamp }) => stamp);
      assert.deepEqual(stamps, [{ hour: hour / HOUR_MS }, { hour: hour / HOUR_MS + 1 }]);
      for (const { hits: all, views, counts } of ofSite) {
        assert.deepEqual([all, views], [8, 2]);
        const counted = (name: string) => Object.fromEntries(counts.get(name) ?? []);
        assert.deepEqual(
          ["pv", "uv", "sessions", "path", "event", "hi", "left_out", "bot", "bot_kind", "app"].map(
            counted,
          ),
          [
            { _: 2 },
            { _: 2 },
            { _: 1 },
            { [OTHER]: 2 },
            { [OTHER]: 1 },
            { [OTHER]: 1 },
            { [OTHER]: 1 },
            { ua: 1, synthetic: 1 },
            { [OTHER]: 1 },
            { _: 1 },
          ],
        );
      }
    });

    it("is bounded in hours: later ones join the last", async () => {
      const failing = await full();
      for (let hour = 0; hour < MAX_BARE_HOURS + 500; hour++) {
        failing.clock.setWall(Date.UTC(2026, 5, 1, hour));
        void failing.intake.count(2, viewOf());
      }
      assert.ok(failing.intake.figures.waitingBytes < MAX_WAITING_BYTES);
      const ofSite = (await failing.mend()).filter(({ site }) => site === 2);
      const hours = new Set(ofSite.map(({ stamp }) => "hour" in stamp && stamp.hour));
      assert.ok(hours.size > MAX_BARE_HOURS / 2 && hours.size <= MAX_BARE_HOURS, `${hours.size}`);
      assert.equal(sums(ofSite, "pv").views, MAX_BARE_HOURS + 500);
    });
  });

  it("is tried again ever more rarely, at last about once a minute", async () => {
    const failing = new Failing();
    await failing.begin();
    for (let second = 0; second < 300; second++) {
      failing.clock.advance(1_000);
      await nextTurn();
    }
    const times = failing.attempts.map(({ at }) => at / 1_000);
    const waits = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 64, 64]);
  });

  it("is sent as the same bytes again", async () => {
    const failing = new Failing();
    await failing.begin();
    for (let minute = 0; minute < 3; minute++) {
      void failing.view(`/${minute}`);
      failing.clock.advance(60_000);
      await nextTurn();
    }
    const [first, ...others] = failing.attempts;
    assert.equal(others.length, 3);
    for (const { log } of others) assert.deepEqual(log, first?.log);
  });

  it("is not copied whole when it is tried again, nor when it is stored at last", async () => {
    const failing = new Failing();
    await failing.begin();
    flood(failing);
    for (let minute = 0; minute < 5; minute++) {
      failing.clock.advance(60_000);
      await nextTurn();
    }
    await failing.mend();
    const sizes = failing.committed.map((batch) => serialize(batch).length);
    const largest = Math.max(...failing.attempts.map(({ bytes }) => bytes), ...sizes);
    assert.ok(largest < 2_000_000, `${largest} bytes`);
    assert.ok(sizes.length > 5);
  });

  it("is counted once when storage fails again in the middle of it", async () => {
    const failing = new Failing();
    await failing.begin();
    flood(failing);
    const first = await failing.mend(3);
    assert.equal(failing.intake.unavailable, true);
    const groups = [...first, ...(await failing.mend())];
    const paths = sums(groups, "path");
    assert.deepEqual([paths.total, paths.views], [CROWD + 1, CROWD + 1]);
  });
});

describe("surveys that wait for a commit", () => {
  it("are bounded; one more is refused", async () => {
    const intake = new Intake({
      clock: new FakeClock(),
      log: silentLog(),
      lowSpace: () => false,
      send: () => new Promise(() => {}),
    });
    for (let i = 0; i < MAX_WAITING_SURVEYS; i++) void intake.addSurvey(1, 1, "{}");
    await assert.rejects(intake.addSurvey(1, 1, "{}"), { code: "storage_unavailable" });
  });
});
