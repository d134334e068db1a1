import assert from "node:assert/strict";
import { dayOf, formatDay } from "../../../appliance/base/calendar.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_ANSWERED_VALUES } from "../../../appliance/store/counts/values.ts";
import { DIMENSIONS } from "../../../appliance/store/log/record.ts";
import {
  MAX_COMMENTS,
  MAX_GROUPS,
  MAX_QUESTIONS,
} from "../../../appliance/store/surveys/report.ts";
import { onEachEngine, onOneEngine } from "../../helpers/engines.ts";
import { importInto } from "../../helpers/importing.ts";
import { isLong } from "../../helpers/long.ts";
import { daysFrom } from "../../helpers/uploading.ts";
import { ADMIN, eachWorld, sharedWorld, type World } from "../../helpers/world.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));
const READER_MB = 48;

/** `{[name]: n, …}` of `from`, … `from + count - 1`. */
function values(
  from: number,
  count: number,
  n: (i: number) => number,
  name = (i: number) => `/${i}`,
) {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [name(from + i), n(from + i)]));
}

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/** Counts by day of a `daily` list. */
function byDay(list: readonly number[] = []): Map<number, number> {
  return new Map(
    Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i] ?? 0, list[2 * i + 1] ?? 0]),
  );
}

const ALL = { from: "first", series: 1, daily: 1 };

/** By dimension and value counts, for each day before today. */
function startWith(
  world: World,
  days: readonly Readonly<Record<string, Readonly<Record<string, number>>>>[],
): Promise<void> {
  return importInto(
    world,
    days.map((counts, ago) => ({
      site: "blog",
      day: formatDay(TODAY - 1 - ago),
      counts,
      surveys: [],
    })),
  );
}

// A million counts take seconds, and are added up above the store.
onOneEngine(() => {
  describe("an answer of /stats to years of many values", () => {
    const world = eachWorld({ readerMemoryMb: READER_MB });

    it("holds no more counts by day than fit, of the highest values", async () => {
      const one = {
        path: values(0, 2_000, (i) => (i === 5 ? 9 : 1)),
        ref: values(0, 300, () => 1),
      };
      const days = daysFrom("2026-02-01", 28).map((day) => ({ day, site: "blog", counts: one }));
      await importInto(
        world(),
        days.map((day) => ({ ...day, surveys: [] })),
        16,
      );
      const { path, ref, daily } = await world().stats(ALL);
      const lists = [daily.path, daily.ref].flatMap((table) => Object.values<number[]>(table));
      const counts = lists.reduce((sum, list) => sum + list.length / 2, 0);
      // The room that few values leave is for the many.
      const room = 1_000_000;
      assert.ok(counts <= room + 2 * 476 && counts > 0.99 * room, `${counts}`);
      assert.deepEqual([path["/5"], daily.path["/5"].slice(0, 4)], [476 * 9, [0, 9, 1, 9]]);
      assert.equal(sumOf(path), 476 * 2_008);
      assert.equal(Object.keys(ref).length, 300);
    });
  });
});

onEachEngine(() => {
  describe("an answer of /stats", () => {
    const world = eachWorld({ readerMemoryMb: READER_MB });
    it("carries the 2,000 highest of a dimension, the others as (other)", async () => {
      assert.equal(MAX_ANSWERED_VALUES, 2_000);
      await startWith(world(), [
        { path: { ...values(0, 2_000, (i) => i + 1), [OTHER]: 7 } },
        { path: values(1_000, 2_000, (i) => i + 1) },
      ]);
      const { path, daily } = await world().stats(ALL);
      const { [OTHER]: other, ...named } = path;
      assert.equal(Object.keys(named).length, 2_000);
      assert.deepEqual([named["/1999"], named["/1000"], named["/999"]], [4_000, 2_002, undefined]);
      assert.equal(other, 7 + (1_000 * 1_001) / 2);
      assert.deepEqual(daily.path["/1000"], [0, 1_001, 1, 1_001]);
      assert.deepEqual(daily.path["/2000"], [0, 2_001]);
      assert.deepEqual(daily.path[OTHER], [1, other]);
    });

    it("stays under 3 MB whatever the values are", async () => {
      const long = (i: number) => `/${"🙂".repeat(120)}${i}`;
      const dimensions = DIMENSIONS.slice(0, 11);
      await startWith(
        world(),
        Array.from({ length: 2 }, (_, day) =>
          Object.fromEntries(
            dimensions.map((name) => [name, values(day * 400, 400, () => 1, long)]),
          ),
        ),
      );
      const { body, status } = await world().readRaw("/stats", ALL);
      assert.equal(status, 200);
      assert.ok(body.length < 3_000_000, `${body.length} bytes`);
      const answer = JSON.parse(body.toString());
      for (const name of dimensions) {
        assert.equal(sumOf(answer[name]), 800);
        const perDay = Object.values<number[]>(answer.daily[name]).flatMap((list) => [
          ...byDay(list),
        ]);
        for (const offset of [0, 1])
          assert.equal(
            perDay.filter(([day]) => day === offset).reduce((sum, [, n]) => sum + n, 0),
            400,
          );
      }
    });

    it("is sent again to who reloads, and as 304 to who has it", async () => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      const first = await world().ask("/stats", { headers });
      const known = { ...headers, "if-none-match": String(first.headers.etag) };
      assert.equal((await world().ask("/stats", { headers: known })).status, 304);
      const reload = { ...known, "cache-control": "no-cache" };
      assert.equal((await world().ask("/stats", { headers: reload })).text, first.text);
      await world().beacon({ p: "/" });
      assert.equal((await world().ask("/stats", { headers: known })).status, 200);
    });
  });

  describe("an answer of /surveys", () => {
    const RESPONSES = 1_100;
    /** The most that one may answer. */
    const QUESTIONS = isLong ? 64 : 16;
    const world = sharedWorld({ readerMemoryMb: READER_MB });
    // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
    let answer: any;
    before(async () => {
      await importInto(world(), [
        {
          site: "blog",
          day: formatDay(TODAY),
          counts: {},
          surveys: Array.from({ length: RESPONSES }, (_, i) => {
            const made = Array.from({ length: QUESTIONS }, (_, k) => [`q${i}-${k}`, `o${i}-${k}`]);
            return {
              sv: 1,
              v: `1.0.${i % 250}`,
              // One in ten is honest.
              a: i % 10 === 0 ? { like: "yes", many: ["a", `b${i}`] } : Object.fromEntries(made),
              c: `comment ${i}`,
            };
          }),
        },
      ]);
      answer = await world().read("/surveys");
    });

    it("tells apart what is asked and chosen most, however much is made up", () => {
      const { total, counts } = answer;
      assert.equal(total, RESPONSES);
      assert.equal(MAX_QUESTIONS, 200);
      assert.ok(Object.keys(counts).length <= MAX_QUESTIONS + 1);
      assert.deepEqual(counts.like, { yes: RESPONSES / 10 });
      assert.equal(counts.many.a, RESPONSES / 10);
      // Responses with too many questions; the last few of them fill the room.
      assert.ok(counts[OTHER][OTHER] > 0.85 * RESPONSES, `${counts[OTHER][OTHER]}`);
    });

    it("tells so many groups apart, and counts the others together", async () => {
      const { groups } = await world().read("/surveys", { cross: "v" });
      const { [OTHER]: other, ...named } = groups;
      assert.equal(MAX_GROUPS, 200);
      assert.ok(Object.keys(named).length <= MAX_GROUPS);
      const totals = Object.values<{ total: number }>(named).reduce(
        (sum, { total }) => sum + total,
        0,
      );
      assert.equal(totals + other.total, RESPONSES);
      assert.equal(named["1.0.240"]?.total ?? 4, 4);
    });

    it("holds the newest comments", () => {
      const { comments } = answer;
      assert.equal(MAX_COMMENTS, 1_000);
      assert.equal(comments.length, MAX_COMMENTS);
      assert.deepEqual([comments[0].c, comments.at(-1).c], ["comment 1099", "comment 100"]);
    });
  });

  describe("an answer of /surveys to a question of many options", () => {
    const OPTIONS = 250;
    const TOLD_APART = 200;
    const world = eachWorld();

    it("tells 200 options apart, and counts the others together", async () => {
      const surveys = Array.from({ length: OPTIONS }, (_, i) => ({
        sv: 1,
        a: { many: [`o${i}`, "all"] },
      }));
      const today = { site: "blog", day: formatDay(TODAY), counts: {}, surveys };
      await importInto(world(), [today]);
      const { many } = (await world().read("/surveys")).counts;
      assert.equal(Object.keys(many).length, TOLD_APART + 1);
      assert.deepEqual([many.all, many[OTHER]], [OPTIONS, OPTIONS - (TOLD_APART - 1)]);
    });
  });
});
