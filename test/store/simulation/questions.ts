import assert from "node:assert/strict";
import { parseDay } from "../../../appliance/base/calendar.ts";
import type { Condition } from "../../../appliance/base/text/condition.ts";
import { BlockCounts } from "../../../appliance/store/counts/block-counts.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { LogTail } from "../../../appliance/store/log/tail.ts";
import type { StatsQuery } from "../../../appliance/store/queries.ts";
import { detailFrom } from "../../../appliance/store/settling/folding.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import { openCursor } from "../../../appliance/store/store.ts";
import { NaiveCounts } from "../../helpers/naive-counts.ts";
import { askStats, factsByDay, type Stats } from "../../helpers/stats-facts.ts";
import type { Facts, ModelDay } from "./model.ts";
import type { SimulatedStore } from "./store.ts";

const ACCEPTS = { encoding: null, ifNoneMatch: "" } as const;
/** Further than any clock jumps. */
const ALL_DAYS = 120;
const OF = ["views", "visitors", "sessions"] as const;

/** Asks all there is to ask of what was counted; each answer is that of the maps. */
export async function compareAll(box: SimulatedStore): Promise<void> {
  for (const id of box.model.sites.keys()) {
    // The log may be settled meanwhile.
    await box.snapshot((snapshot) => compareDays(box, snapshot, id));
    await compareTotals(box, id);
    await box.snapshot((snapshot) => compareFiltered(box, snapshot, id));
    await compareSurveys(box, id);
  }
}

/** Mostly the days around today, for all of them take most of the time. */
async function compareDays(box: SimulatedStore, snapshot: Snapshot, id: string): Promise<void> {
  const { draw, today } = box;
  const all = box.model.sites.get(id)?.days ?? new Map<number, ModelDay>();
  const reach = draw.below(8) === 0 ? Number.POSITIVE_INFINITY : 2;
  // A day may have nothing but touches of pages that are left out, which count nothing.
  const counted = [...all].filter(([, { facts }]) => facts.size > 0);
  const days = new Map(counted.filter(([day]) => Math.abs(day - today) <= reach));
  const from = Math.min(...days.keys(), today - Math.min(reach, ALL_DAYS));
  const to = Math.max(...days.keys(), today + Math.min(reach, ALL_DAYS));
  const ask = async (from: number, to: number) =>
    factsByDay(await askAll(box, snapshot, { site: box.keyOf(id), from, to }, "views", []));
  const found = await ask(from, to);
  const hasFlood = [...days.values()].some(({ isFlooded }) => isFlooded);
  assert.deepEqual([...found.keys()].sort(), [...days.keys()].sort(), `days of site ${id}`);
  for (const [day, { facts, isFlooded }] of days) {
    // An answer with a flood has no room for what is rare on its other days.
    const its = (isFlooded || !hasFlood ? found : await ask(day, day)).get(day) ?? new Map();
    const what = () => `site ${id} on day ${day}`;
    if (isFlooded) compareSums(its, facts, what);
    else compareFacts(its, facts, what);
  }
}

async function compareTotals(box: SimulatedStore, id: string): Promise<void> {
  const { model, store, today } = box;
  const site = box.keyOf(id);
  const from = today - box.draw.below(30);
  const views = (day: number) => model.sites.get(id)?.days.get(day)?.facts.get("pv=_") ?? 0;
  const days = Array.from({ length: today - from + 1 }, (_, n) => views(from + n));
  const window = days.reduce((sum, n) => sum + n, 0);
  const counts = await store.numbers.read("viewCounts", { site, from, to: today });
  assert.deepEqual(counts, { window, total: model.total(id) }, `the badge of site ${id}`);
  const { hours } = await store.numbers.read("hourlyViews", { site, from, to: today });
  const byDay = days.map((_, n) => hours.slice(24 * n, 24 * n + 24).reduce((a, b) => a + b, 0));
  assert.deepEqual(byDay, days, `views by hour of site ${id}`);
  const body = await statsOf(box, id, from);
  assert.equal(body.pv?._ ?? 0, window, `the report of site ${id}`);
  assert.equal(body.pending ?? 0, model.pending(id), `what waits of site ${id}`);
}

async function statsOf(
  box: SimulatedStore,
  id: string,
  from: number,
  { of, where }: Pick<StatsQuery, "of" | "where"> = { of: "views", where: [] },
) {
  const { store, today } = box;
  const query = {
    site: box.keyOf(id),
    id,
    from,
    to: today,
    single: false,
    series: true,
    daily: undefined,
    zone: box.dayZone,
    warnings: [],
    of,
    where,
    detailFrom: detailFrom(box),
  };
  const { body } = await store.numbers.read("stats", { query, accepts: ACCEPTS });
  return JSON.parse(Buffer.from(body ?? []).toString());
}

async function compareFiltered(box: SimulatedStore, snapshot: Snapshot, id: string): Promise<void> {
  const { draw, today } = box;
  const of = draw.pick(OF);
  const where: Condition[] = [
    { dimension: "country", test: draw.pick(["is", "not"]), value: `country-${draw.below(3)}` },
  ];
  if (draw.below(2) > 0)
    where.push(
      draw.pick<Condition>([
        { dimension: "event_prop", test: draw.pick(["is", "not"]), value: `a-${draw.below(3)}` },
        { dimension: "time", test: draw.pick(["is", "not"]), value: `time-${draw.below(3)}` },
        { dimension: "path", test: "begins", value: `path-${draw.below(2)}` },
        { dimension: "path", test: "has", value: `H-${draw.below(2)}` },
      ]),
    );
  const days = box.model.sites.get(id)?.days ?? new Map();
  const site = box.keyOf(id);
  const asked = { site, from: today - draw.below(8), to: today };
  const stats = await askAll(box, snapshot, asked, of, where);
  const from = parseDay(stats.detail?.from ?? "");
  if (from === undefined || (stats.detail?.sampled ?? 0) > 1) return;
  const counted: HitRecord[] = [];
  for (let day = from; day <= today; day++) {
    const { isFlooded = false, lacksDetail = false } = days.get(day) ?? {};
    // The events of a day hide as many of its views that came while none was kept.
    if (isFlooded || lacksDetail) return;
    counted.push(...(days.get(day)?.records ?? []));
  }
  const state = { counted: counted.map((one) => ({ ...one, site })), pending: [], past: new Map() };
  const naive = new NaiveCounts(state, { of, where }).byDay({ ...asked, from });
  const found = factsByDay(stats);
  assert.deepEqual([...found.keys()], [...naive.keys()], `filtered days of site ${id}`);
  const how = () => `${of} ${JSON.stringify(where)}, detail for ${box.detailDays} days`;
  for (const [day, facts] of naive)
    compareFacts(found.get(day) ?? new Map(), facts, () => `site ${id} on day ${day} as ${how()}`);
  const views = [...naive.values()].reduce((sum, facts) => sum + (facts.get("pv=_") ?? 0), 0);
  const body = await statsOf(box, id, from, { of, where });
  assert.equal(body.pv?._ ?? 0, views, `the filtered report of site ${id}`);
}

async function compareSurveys(box: SimulatedStore, id: string): Promise<void> {
  const { store } = box;
  const filter = { site: box.keyOf(id), version: 1, from: null, to: null };
  const secret = store.numbers.cursorSecret;
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after = openCursor(secret, filter, cursor) ?? null;
    const query = { id, filter, after, secret };
    const { body } = await store.numbers.read("surveyPage", { query, accepts: ACCEPTS });
    const page = JSON.parse(Buffer.from(body ?? []).toString());
    seen.push(...page.responses.map(({ a }: { a: { q: string } }) => a.q));
    cursor = page.cursor;
  }
  const sent = box.model.sites.get(id)?.surveys ?? [];
  assert.deepEqual(seen.sort(), sent.toSorted(), `responses of site ${id}`);
}

type Of = (typeof OF)[number];

/** All that is known of the days by what was seen together. */
function askAll(
  box: SimulatedStore,
  snapshot: Snapshot,
  days: { site: number; from: number; to: number },
  of: Of,
  where: readonly Condition[],
): Promise<Stats> {
  const counts = new BlockCounts(snapshot, new LogTail());
  return askStats(counts, days, { of, where, detailFrom: detailFrom(box) });
}

function compareFacts(found: Facts, expected: Facts, what: () => string): void {
  const same = found.size === expected.size && [...expected].every(([k, n]) => found.get(k) === n);
  if (same) return;
  const facts = new Set([...found.keys(), ...expected.keys()]);
  const other = [...facts].filter((fact) => found.get(fact) !== expected.get(fact));
  const said = other.map((fact) => `${fact}: ${found.get(fact)}, not ${expected.get(fact)}`);
  assert.fail(`${what()}: ${said.slice(0, 12).join("; ")}`);
}

/** Sums of each dimension are the same, and no value counts more often. */
function compareSums(found: Facts, expected: Facts, what: () => string): void {
  assert.deepEqual(sorted(sumsOf(found)), sorted(sumsOf(expected)), what());
  for (const [fact, n] of found)
    if (!fact.endsWith("=(other)"))
      assert.ok(n <= (expected.get(fact) ?? 0), `${what()}: ${fact} is ${n}`);
}

function sumsOf(facts: Facts): Facts {
  const sums = new Map<string, number>();
  for (const [fact, n] of facts) {
    const dimension = fact.slice(0, fact.indexOf("="));
    sums.set(dimension, (sums.get(dimension) ?? 0) + n);
  }
  return sums;
}

function sorted(facts: Facts): [string, number][] {
  return [...facts].sort(([a], [b]) => (a < b ? -1 : 1));
}
