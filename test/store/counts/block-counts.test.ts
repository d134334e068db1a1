import assert from "node:assert/strict";
import { DAY_MS, type Day, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { CountsOf } from "../../../appliance/store/blocks/day-table.ts";
import type { Condition } from "../../../appliance/store/blocks/filter.ts";
import { PLAIN } from "../../../appliance/store/counts/block-counts.ts";
import { hourlyViews } from "../../../appliance/store/counts/hourly-views.ts";
import { liveNumbers } from "../../../appliance/store/counts/live-numbers.ts";
import { overview } from "../../../appliance/store/counts/overview.ts";
import { statsBody } from "../../../appliance/store/counts/reports.ts";
import { siteActivity } from "../../../appliance/store/counts/site-activity.ts";
import type { CountsSource } from "../../../appliance/store/counts/source.ts";
import { viewCounts } from "../../../appliance/store/counts/view-counts.ts";
import type { Dimension } from "../../../appliance/store/log/record.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { Life, type Seeded, someRecord } from "../../helpers/store-life.ts";

function someCondition({ below, pick }: Seeded): Condition {
  const dimension = pick<Dimension>(["path", "ref", "browser", "country", "event"]);
  const test = pick<Condition["test"]>(["is", "not", "begins"]);
  return { dimension, test, value: `${dimension}-${below(4)}` };
}

const LATEST = { encoding: null, ifNoneMatch: "" } as const;

function statsOf(source: CountsSource, site: number, from: Day | "first", to: Day) {
  const query = {
    site,
    id: "s",
    from,
    to,
    ...PLAIN,
    single: false,
    series: true,
    zone: "UTC",
    warnings: [],
  } as const;
  return statsBody(source, { ...query, daily: "offsets" }).then((bytes) =>
    JSON.parse(Buffer.from(bytes).toString()),
  );
}

/** Each question has the answer of the naive count. */
async function assertAgreed(life: Life, drawn: Seeded): Promise<void> {
  const { below, pick } = drawn;
  const { today } = life;
  const site = pick(life.sites);
  const from = today - below(45);
  const hour = below(24);
  const alike = async (ask: (source: CountsSource) => Promise<unknown>, of: CountsOf = "views") => {
    const { blocks, naive } = life.question(of);
    assert.deepEqual(await ask(blocks), await ask(naive));
  };
  const of = pick<CountsOf>(["views", "visitors", "sessions"]);
  await alike((source) => statsOf(source, site, from, today), of);
  await alike((source) => statsOf(source, site, "first", today));
  await alike((source) => statsOf(source, site, today, today), of);
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
  const { blocks, naive } = life.question(of, where);
  const detail = await blocks.detail({ site, from, to: today });
  assert.ok(detail.from <= Math.max(from, today - life.detailDays + 1), "detail is missing");
  assert.equal(detail.sampled, 1);
  if (detail.from <= today) {
    const counted = await statsOf(naive, site, detail.from, today);
    assert.deepEqual(await statsOf(blocks, site, detail.from, today), counted);
    // Days that no filter can judge count nothing, and the others the same.
    const [series = []] = await blocks.counterByDay([site], "pv", from, today);
    const [those = []] = naive.counterByDay([site], "pv", detail.from, today);
    assert.deepEqual(series, [...Array(detail.from - from).fill(0), ...those]);
  }
}

describe("a log and its blocks", () => {
  for (const isRemote of [false, true])
    it(`answer as a naive count does, ${isRemote ? "later" : "at once"}, whatever happens between`, async function () {
      this.timeout(120_000);
      const drawn = seeded(TEST_SEED);
      const { below, pick } = drawn;
      const life = new Life(isRemote);
      try {
        for (let day = 0; day < (isRemote ? 20 : 60); day++) {
          life.pass(DAY_MS - below(4) * HOUR_MS);
          if (below(12) === 0) life.restart(below(2) > 0);
          if (!life.isSure && below(2) > 0) life.isSure = true;
          if (below(20) === 0) await life.erase(pick([0, 1, 2]));
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
});
