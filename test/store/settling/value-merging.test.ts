import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import type { ValueRule } from "../../../appliance/base/text/dimensions.ts";
import { MAX_VALUE_RULES } from "../../../appliance/base/text/dimensions.ts";
import { decodeBlock } from "../../../appliance/store/blocks/codec.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { nextSettlement } from "../../../appliance/store/settling/settling.ts";
import { EMPTY_DIRECTORY } from "../../../appliance/store/sites/directory.ts";
import { SITE_PLANS } from "../../../appliance/store/sites/plans.ts";
import { NO_VALUE_RULES, withRule } from "../../../appliance/store/sites/value-rules.ts";
import { askStats } from "../../helpers/stats-facts.ts";
import { Life } from "../../helpers/store-life.ts";

const RULE: ValueRule = { dimension: "path", from: "/old", to: "/new" };

const view = (path: string): Omit<HitRecord, "moment"> => ({
  site: 1,
  kind: "view",
  flags: 19,
  times: 1,
  values: [
    ["path", path],
    ["ref", path],
  ],
});

/** The pages of all days, with what filters find. */
async function pages(life: Life) {
  const range = { site: 1, from: "first", to: life.today } as const;
  const whole = life.question();
  const { path, ref } = await askStats(whole.blocks, range, whole.asked);
  const where = life.question("views", [{ dimension: "path", test: "is", value: "/new" }]);
  const { series } = await askStats(where.blocks, range, where.asked);
  const found = (series ?? []).reduce((sum, [, views]) => sum + Number(views), 0);
  return { path, ref, found };
}

/** Lives through days, each with a view of both pages. */
async function live(days: number): Promise<Life> {
  const life = new Life();
  life.retentionDays = 10_000;
  life.detailDays = 10_000;
  for (let day = 0; day < days; day++) {
    life.commit(0, [view("/old"), view("/new")]);
    await life.settleAll();
    life.pass(DAY_MS);
  }
  await life.settleAll();
  return life;
}

const textsOf = ({ engine }: Life) =>
  engine.blocks.flatMap((row) => decodeBlock(row).dimensions.get("path")?.texts ?? []);

describe("values that are made one", () => {
  it("are one in what was settled, in its detail, and in the same dimension alone", async () => {
    const life = await live(40);
    const before = await pages(life);
    assert.deepEqual([before.path, before.found], [{ "/old": 40, "/new": 40 }, 40]);
    life.merge(1, RULE);
    await life.settleAll();
    const { path, ref, found } = await pages(life);
    assert.deepEqual([path, found, ref], [{ "/new": 80 }, 80, before.ref]);
    assert.ok(!textsOf(life).includes("/old"));
    assert.deepEqual(life.engine.rulesOf(1), { rules: [RULE], due: [] });
  });

  it("keep the sums of visitors and sessions, which are added", async () => {
    const life = await live(3);
    life.merge(1, RULE);
    await life.settleAll();
    for (const kind of ["visitors", "sessions"] as const) {
      const { blocks, asked } = life.question(kind);
      const { path } = await askStats(blocks, { site: 1, from: "first", to: life.today }, asked);
      assert.deepEqual(path, { "/new": 6 });
    }
  });

  it("are one in a log that waits for the clock, and of collectors that have not heard", async () => {
    const life = new Life();
    life.isSure = false;
    life.commit(0, [view("/old")]);
    life.merge(1, RULE);
    await life.settleAll();
    assert.deepEqual((await pages(life)).path, undefined);
    life.isSure = true;
    await life.settleAll();
    assert.deepEqual(await pages(life), { path: { "/new": 1 }, ref: { "/old": 1 }, found: 1 });
  });

  it("are the same where the work ends in the middle, and is done again", async () => {
    // More months than one settlement takes.
    const life = await live(1);
    for (let month = 0; month < 128; month++) {
      life.pass(31 * DAY_MS);
      life.commit(0, [view("/old")]);
    }
    life.pass(DAY_MS);
    await life.settleAll();
    const sum = async () =>
      Object.values((await pages(life)).path ?? {}).reduce((a, b) => a + b, 0);
    assert.equal(await sum(), 130);
    const early = await nextSettlement(life.engine.snapshot(), life.time);
    assert.equal(early, null);
    life.merge(1, RULE);
    await nextSettlement(life.engine.snapshot(), life.time);
    let steps = 0;
    for (; await life.settle(); steps++) {
      assert.equal(await sum(), 130);
      life.restart(true);
    }
    assert.ok(steps > 1, `${steps}`);
    assert.deepEqual((await pages(life)).path, { "/new": 130 });
    assert.deepEqual(life.engine.rulesOf(1).due, []);
  });

  it("do not wait for a block that a card has bent", async () => {
    const life = await live(1);
    life.engine.bend("counts");
    life.merge(1, RULE);
    await life.settleAll();
    assert.deepEqual(life.engine.rulesOf(1).due, []);
  });

  it("have an end where a document that was brought leads in a circle", async () => {
    const life = await live(2);
    const back = { ...RULE, from: "/new", to: "/old" };
    life.engine.rule(1, { rules: [RULE, back], due: [RULE, back, { ...RULE, to: "/old" }] });
    life.commit(0, [view("/old")]);
    await life.settleAll();
    assert.deepEqual((await pages(life)).path, { "/old": 5 });
    assert.deepEqual(life.engine.rulesOf(1).due, []);
  });

  it("keep a rule that came while a settlement was prepared", async () => {
    const life = await live(1);
    life.merge(1, RULE);
    const prepared = await nextSettlement(life.engine.snapshot(), life.time);
    life.merge(1, { ...RULE, from: "/older" });
    assert.ok(prepared !== null && !life.engine.settle(prepared));
    assert.equal(life.engine.rulesOf(1).due.length, 2);
  });
});

describe("rules for values", () => {
  const rule = (from: string, to: string): ValueRule => ({ dimension: "path", from, to });
  const all = (...rules: ValueRule[]) => {
    let made = NO_VALUE_RULES;
    for (const one of rules) {
      const next = withRule(made, one);
      assert.notEqual(next, "cycle");
      made = next as typeof made;
    }
    return made.rules.map(({ from, to }) => `${from}${to}`).sort();
  };

  it("lead to the end of a chain, whichever of it came first", () => {
    assert.deepEqual(all(rule("/a", "/b"), rule("/b", "/c")), ["/a/c", "/b/c"]);
    assert.deepEqual(all(rule("/b", "/c"), rule("/a", "/b")), ["/a/c", "/b/c"]);
  });

  it("take the place of one for the same value, and of no other dimension's", () => {
    assert.deepEqual(all(rule("/a", "/b"), rule("/a", "/c")), ["/a/c"]);
    const event = { ...rule("/b", "/a"), dimension: "event" } as const;
    assert.deepEqual(all(rule("/a", "/b"), event), ["/a/b", "/b/a"]);
  });

  it("are two hundred at most, and fewer once one is forgotten", () => {
    const rules = Array.from({ length: MAX_VALUE_RULES }, (_, n) => rule(`/${n}`, "/"));
    const blog = {
      ...{ key: 1, id: "blog", host: null, badge: false, declared: false, tokenHash: null },
      ...{ share: null, shares: [], valueRules: { rules, due: [] } },
    };
    const directory = { ...EMPTY_DIRECTORY, sites: [blog] };
    const merge = (from: string) =>
      SITE_PLANS.mergeValues(directory, { id: "blog", rule: rule(from, "/") }).result;
    assert.deepEqual([merge("/more"), merge("/7")], ["too_many_rules", "done"]);
    const forget = (from: string) =>
      SITE_PLANS.forgetRule(directory, { id: "blog", rule: rule(from, "") }).result;
    assert.deepEqual([forget("/more"), forget("/7")], ["no_such_rule", "done"]);
  });

  it("are none where they would go round", () => {
    const made = withRule(NO_VALUE_RULES, rule("/a", "/b"));
    assert.ok(made !== "cycle");
    assert.equal(withRule(made, rule("/b", "/a")), "cycle");
    const longer = withRule(made, rule("/b", "/c"));
    assert.ok(longer !== "cycle");
    assert.equal(withRule(longer, rule("/c", "/a")), "cycle");
  });
});
