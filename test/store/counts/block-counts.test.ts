import assert from "node:assert/strict";
import {
  DAY_MS,
  type Day,
  formatDay,
  HOUR_MS,
  parseDay,
} from "../../../appliance/base/calendar.ts";
import type { Condition } from "../../../appliance/base/text/condition.ts";
import type { CountsOf } from "../../../appliance/base/text/dimensions.ts";
import {
  hourlyViews,
  liveNumbers,
  overview,
  siteActivity,
  viewCounts,
} from "../../../appliance/store/counts/overview.ts";
import type { SiteCounts } from "../../../appliance/store/counts/site-counts.ts";
import type { Dimension } from "../../../appliance/store/log/record.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { askStats, factsByDay } from "../../helpers/stats-facts.ts";
import { Life, type Seeded, someRecord, someRule } from "../../helpers/store-life.ts";

function someCondition({ below, pick }: Seeded): Condition {
  const dimension = pick<Dimension>(["path", "ref", "browser", "country", "event"]);
  const test = pick<Condition["test"]>(["is", "not", "begins", "has"]);
  const whole = `${dimension}-${below(4)}`;
  return { dimension, test, value: test === "has" ? whole.slice(below(6)).toUpperCase() : whole };
}

const LATEST = { encoding: null, ifNoneMatch: "" } as const;

/** Each question has the answer of the naive count. */
async function assertAgreed(life: Life, drawn: Seeded): Promise<void> {
  const { below, pick } = drawn;
  const { today } = life;
  const site = pick(life.sites);
  const from = today - below(45);
  const hour = below(24);
  const alike = async (ask: (source: SiteCounts) => Promise<unknown>, of: CountsOf = "views") => {
    const { blocks, naive } = life.question(of);
    assert.deepEqual(await ask(blocks), await ask(naive));
  };
  const of = pick<CountsOf>(["views", "visitors", "sessions"]);
  for (const range of [
    { site, from, to: today },
    { site, from: "first", to: today },
    { site, from: today, to: today },
  ] as const)
    await assertStats(life, range, of, []);
  await alike((source) => viewCounts(source, { site, from, to: today }));
  await alike((source) => hourlyViews(source, { site, from, to: today }));
  const counter = pick<"pv" | "uv" | "sessions" | "bot">(["pv", "uv", "sessions", "bot"]);
  const days = pick<1 | 7 | 30>([1, 7, 30]);
  await alike((source) => liveNumbers(source, { site, counter, days, today, hour }));
  const sites = life.sites.map((key) => ({ key, id: `site-${key}`, live: 0 }));
  await alike((source) => siteActivity(source, { sites, today }));
  await alike(async (source) => {
    const query = { sites, today, hour, zone: "UTC", warnings: [] };
    const { body } = await overview(source, { query, accepts: LATEST });
    return JSON.parse(Buffer.from(body ?? []).toString());
  });
  const where = Array.from({ length: 1 + below(2) }, () => someCondition(drawn));
  await assertStats(life, { site, from, to: today }, of, where);
}

/** Each value of each day is that of the naive count, on days that a filter can judge. */
async function assertStats(
  life: Life,
  range: { readonly site: number; readonly from: Day | "first"; readonly to: Day },
  of: CountsOf,
  where: readonly Condition[],
): Promise<void> {
  const { site, to } = range;
  const { blocks, naive, asked } = life.question(of, where);
  const stats = await askStats(blocks, range, asked);
  const from = parseDay(stats.from) ?? assert.fail();
  if (range.from === "first") assert.equal(from, Math.min(to, naive.firstDay(site) ?? to));
  else assert.equal(from, range.from);
  const first = where.length === 0 ? from : (parseDay(stats.detail?.from ?? "") ?? to + 1);
  if (where.length > 0) {
    assert.ok(first <= Math.max(from, to - life.detailDays + 1), "detail is missing");
    assert.equal(stats.detail?.sampled, 1);
  }
  assert.deepEqual(factsByDay(stats), naive.byDay({ site, from: first, to }));
  assert.equal(stats.pending ?? 0, naive.pending([site])[0]);
  const counters = ["pv", "uv", "sessions", "bot", "app"] as const;
  const series = counters.map((counter) => naive.counterByDay([site], counter, first, to)[0] ?? []);
  const days = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  assert.deepEqual(
    stats.series,
    // Days that no filter can judge count nothing.
    days.map((day) => [formatDay(day), ...series.map((counts) => counts[day - first] ?? 0)]),
  );
}

describe("a log and its blocks", () => {
  for (const isRemote of [false, true])
    it(`answer as a naive count does, ${isRemote ? "later" : "at once"}, whatever happens between`, async () => {
      const drawn = seeded(TEST_SEED);
      const { below, pick } = drawn;
      const life = new Life(isRemote);
      try {
        for (let day = 0; day < (isRemote ? 20 : 60); day++) {
          life.pass(DAY_MS - below(4) * HOUR_MS);
          if (below(12) === 0) life.restart(below(2) > 0);
          if (!life.isSure && below(2) > 0) life.isSure = true;
          if (below(20) === 0) await life.erase(pick([0, 1, 2]));
          if (below(3) === 0 && !life.isForgetting) {
            life.merge(pick(life.sites), someRule(drawn));
            await life.settleAll();
          }
          for (let commits = below(6); commits > 0; commits--) {
            life.commit(
              below(2),
              Array.from({ length: 1 + below(12) }, () => someRecord(drawn, life.sites)),
            );
            life.pass(below(HOUR_MS));
            if (below(3) === 0) await life.settle();
            if (below(4) === 0 && !life.isForgetting) await assertAgreed(life, drawn);
          }
          if (below(3) > 0 || life.isForgetting) await life.settleAll();
          if (!life.isForgetting) await assertAgreed(life, drawn);
        }
        assert.ok(isRemote || life.forgotten > 0, "nothing went past retention");
      } catch (error) {
        throw new Error(`with TEST_SEED=${TEST_SEED}`, { cause: error });
      }
    });

  it("give no answer where memory is short: it would have less than there is", async () => {
    const life = new Life();
    life.commit(0, [{ site: 1, kind: "view", flags: 0, times: 1, values: [["path", "/"]] }]);
    await life.settleAll();
    const range = { site: 1, from: life.today, to: life.today };
    const short = {
      async begin() {},
      count() {
        throw new RangeError("Array buffer allocation failed");
      },
      async end() {},
    };
    const pass = life.question().blocks.values(range, "views");
    await assert.rejects(pass(new Set(["path"]), short), /allocation failed/);
  });
});
