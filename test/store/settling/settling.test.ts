import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { decodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { monthOf } from "../../../appliance/store/blocks/month.ts";
import { BlockCounts } from "../../../appliance/store/counts/block-counts.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { nextSettlement } from "../../../appliance/store/settling/settling.ts";
import type { BlockRow } from "../../../appliance/store/snapshot.ts";
import { askStats, factsByDay } from "../../helpers/stats-facts.ts";
import { Life } from "../../helpers/store-life.ts";

type Hit = Omit<HitRecord, "moment">;

const view = (site: number, path = "/", times = 1): Hit => ({
  site,
  kind: "view",
  flags: 3,
  times,
  values: [
    ["path", path],
    ["country", "DE"],
  ],
});

const views = async (life: Life, site: number) => {
  const [[sum = 0]] = await viewsBy(life, site);
  return sum;
};

/** Views of today, and of all time. */
async function viewsBy(life: Life, site: number): Promise<[number[], number]> {
  const { blocks } = life.question();
  const [today = []] = await blocks.counterByDay([site], "pv", life.today, life.today);
  const [total = 0] = await blocks.totals([site]);
  return [today, total];
}

const partsOf = ({ engine }: Life) => engine.blocks.map(({ part }) => part);
const detailBytes = ({ engine }: Life) =>
  engine.blocks.reduce((sum, { pieces }) => sum + sizeOf(pieces), 0);
const sizeOf = (pieces: BlockRow["pieces"]) =>
  [...pieces].reduce((sum, [n, { length }]) => sum + (n < 0 ? 0 : length), 0);

/** Lives through days, each with some views of a site. */
async function live(life: Life, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    life.commit(0, [view(1, `/day-${life.today}`, 5)]);
    await life.settleAll();
    life.pass(DAY_MS);
  }
}

describe("settling", () => {
  it("merges the parts of a running day, and all of a day once it is over", async () => {
    const life = new Life();
    const counts: number[] = [];
    for (let fold = 0; fold < 12; fold++) {
      life.commit(0, [view(1)]);
      await life.settleAll();
      counts.push(partsOf(life).length);
    }
    assert.equal(Math.max(...counts), 8);
    assert.ok(!partsOf(life).includes(0));
    life.pass(DAY_MS);
    await life.settleAll();
    assert.deepEqual(partsOf(life), [0]);
    assert.equal((await viewsBy(life, 1))[1], 12);
  });

  it("merges each month once, however many blocks there are", async () => {
    const life = new Life();
    const sites = Array.from({ length: 150 }, (_, n) => 100 + n);
    for (const site of sites) life.engine.sites.add(site);
    // Seven each are more than one look takes in, and the look ends in the middle of a site.
    for (let fold = 0; fold < 7; fold++) {
      life.commit(
        0,
        sites.map((site) => view(site)),
      );
      await life.settleAll();
    }
    assert.equal(partsOf(life).length, 1_050);
    life.pass(DAY_MS);
    await life.settleAll();
    assert.deepEqual(partsOf(life), Array(150).fill(0));
    const totals = await life.question().blocks.totals(sites);
    assert.deepEqual(totals, Array(150).fill(7));
  });

  it("merges a month once whose parts lie on both sides of where a look ends", async () => {
    const life = new Life();
    const settled = Array.from({ length: 991 }, (_, n) => 100 + n);
    const running = [2_000, 2_001, 2_002];
    for (const site of [...settled, ...running]) life.engine.sites.add(site);
    life.commit(
      0,
      settled.map((site) => view(site)),
    );
    await life.settleAll();
    life.pass(DAY_MS);
    await life.settleAll();
    for (let fold = 0; fold < 7; fold++) {
      life.commit(
        0,
        running.map((site) => view(site)),
      );
      await life.settleAll();
    }
    // A look takes in 1,000: of the second site, two parts of seven.
    assert.equal(partsOf(life).length, 991 + 3 * 7);
    // Where detail is bounded, a look takes in what is settled, too.
    life.maxDetailBytes = 2 ** 40;
    life.pass(DAY_MS);
    await life.settleAll();
    assert.deepEqual(partsOf(life), Array(991 + 3).fill(0));
    assert.deepEqual(await life.question().blocks.totals(running), [7, 7, 7]);
  });

  it("leaves what waits for the clock, and what came after it, until the time is known", async () => {
    const life = new Life();
    life.commit(1, [view(1)]);
    life.isSure = false;
    life.commit(0, [view(1)]);
    life.commit(1, [view(1)]);
    await life.settleAll();
    const { blocks } = life.question();
    assert.deepEqual(await blocks.pending([1]), [2]);
    assert.equal(await views(life, 1), 1);
    life.isSure = true;
    await life.settleAll();
    assert.deepEqual(await life.question().blocks.pending([1]), [0]);
    assert.equal(await views(life, 1), 3);
  });

  it("files what waited by the saved clock once another boot runs", async () => {
    const life = new Life();
    life.pass(12 * HOUR_MS);
    life.restart(false);
    life.commit(0, [view(1)]);
    life.pass(HOUR_MS);
    life.restart(false);
    await life.settleAll();
    const [hours = []] = await life
      .question()
      .blocks.byHour([{ site: 1, day: life.today }], "hour");
    // Three hours behind.
    assert.equal(
      hours.findIndex((n) => n > 0),
      12 + 5 - 3,
    );
  });

  it("drops what was sent for sites that do not exist", async () => {
    const life = new Life();
    life.commit(0, [view(0), view(-5), view(77)]);
    await life.settleAll();
    assert.deepEqual(life.engine.blocks, []);
    assert.ok(life.engine.isFolded(0, 1));
  });

  it("goes in steps of what records take in memory, and of so many sites", async () => {
    const life = new Life();
    // Texts of some 700 kB a batch, twice as much in memory.
    for (let batch = 0; batch < 10; batch++)
      life.commit(
        0,
        Array.from({ length: 6_000 }, (_, i) => view(1, `/${batch}/${i}/`.padEnd(120, "-"))),
      );
    const steps: number[] = [];
    for (let left = 10; left > 0; ) {
      const settlement = await nextSettlement(life.engine.snapshot(), life.time);
      const [[, to] = [0, 0]] = settlement?.folded ?? [];
      steps.push(to - (10 - left));
      left = 10 - to;
      assert.ok(settlement !== null && life.engine.settle(settlement));
    }
    assert.deepEqual(steps, [3, 3, 3, 1]);
    for (let site = 100; site < 1_300; site++) life.engine.sites.add(site);
    for (let site = 100; site < 1_300; site += 100)
      life.commit(
        0,
        Array.from({ length: 100 }, (_, n) => view(site + n)),
      );
    const settlement = await nextSettlement(life.engine.snapshot(), life.time);
    assert.equal(settlement?.puts.length, 500);
  });

  it("takes days past retention to those of the past, which count for ever", async () => {
    const life = new Life();
    await live(life, life.retentionDays + 10);
    await life.settleAll();
    const { blocks } = life.question();
    assert.equal(await blocks.firstDay(1), life.today - life.retentionDays + 1);
    assert.equal((await viewsBy(life, 1))[1], 5 * (life.retentionDays + 10));
    const texts = life.engine.blocks.flatMap((row) => decodeBlock(row).dimension("path").texts);
    assert.equal(texts.length, life.retentionDays - 1);
  });

  it("takes nothing out by a clock alone, nor by one that is not sure", async () => {
    const life = new Life();
    await live(life, 3);
    // The clock jumps by ten years, but the service has not run for them.
    life.now += 3_650 * DAY_MS;
    await life.settleAll();
    assert.equal((await life.question().blocks.firstDay(1)) ?? 0, life.today - 3_653);
    life.pass(3_650 * DAY_MS);
    life.restart(false);
    await life.settleAll();
    assert.equal((await life.question().blocks.firstDay(1)) ?? 0, life.today - 7_303);
  });

  it("keeps detail for its days, and counts for longer", async () => {
    const life = new Life();
    await live(life, 30);
    await life.settleAll();
    const range = { site: 1, from: life.today - 29, to: life.today };
    const where = [{ dimension: "country", test: "is", value: "DE" }] as const;
    const { blocks, asked } = life.question("views", where);
    const { from } = await blocks.detail(range, asked.detailFrom);
    assert.equal(from, life.today - life.detailDays + 1);
    assert.equal((await viewsBy(life, 1))[1], 150);
    life.detailDays = 0;
    await life.settleAll();
    assert.equal(detailBytes(life), 0);
    life.commit(0, [view(1)]);
    await life.settleAll();
    assert.equal(detailBytes(life), 0);
    assert.equal(await views(life, 1), 1);
  });

  it("keeps detail of what comes to the log between a question of all and one of some", async () => {
    const life = new Life();
    const where = [{ dimension: "country", test: "is", value: "DE" }] as const;
    const days = [[1], "pv", life.today, life.today] as const;
    const some = async () => {
      const { blocks, asked } = life.question("views", where);
      const stats = await askStats(blocks, { site: 1, from: life.today, to: life.today }, asked);
      return stats.series.map(([, views]) => [views]);
    };
    const all = () => new BlockCounts(life.engine.snapshot(), life.tail).counterByDay(...days);
    life.commit(0, [view(1)]);
    assert.deepEqual(await some(), [[1]]);
    life.commit(0, [view(1)]);
    assert.deepEqual(await all(), [[2]]);
    assert.deepEqual(await some(), [[2]]);
  });

  it("answers of a log that takes more than is kept of it in memory", async () => {
    const life = new Life();
    const some = () =>
      [1, 2].flatMap((site) =>
        Array.from({ length: 3_000 }, (_, i) =>
          view(site, `/${life.engine.runMs}/${i}/`.padEnd(120, "-")),
        ),
      );
    for (let batch = 1; batch <= 14; batch++) {
      life.pass(1);
      life.commit(0, some());
      if (batch === 1) assert.equal(await views(life, 1), 3_000);
    }
    assert.equal(await views(life, 1), 14 * 3_000);
    assert.equal(await views(life, 2), 14 * 3_000);
    life.commit(0, some());
    for (const site of [1, 2]) assert.equal(await views(life, site), 15 * 3_000);
  });

  it("lets the oldest detail go where all of it takes more than its share", async () => {
    const life = new Life();
    life.detailDays = 90;
    await live(life, 39);
    await life.settleAll();
    const months = () =>
      new Set(life.engine.blocks.filter((row) => sizeOf(row.pieces) > 0).map((row) => row.month));
    const all = [...months()].sort((a, b) => a - b);
    assert.equal(all.length, 2);
    life.maxDetailBytes = detailBytes(life) - 1;
    await life.settleAll();
    assert.ok(detailBytes(life) <= life.maxDetailBytes && detailBytes(life) > 0);
    const { blocks, asked } = life.question("views", ANY);
    const { from } = await blocks.detail(rangeOf(life), asked.detailFrom);
    assert.ok(from > life.today - 39, `detail from ${from} on`);
    assert.equal(monthOf(from), all[0]);
    life.maxDetailBytes = 0;
    await life.settleAll();
    assert.equal(detailBytes(life), 0);
    assert.equal((await viewsBy(life, 1))[1], 5 * 39);
  });

  it("goes on without a batch that nobody can read, and tells of it", async () => {
    const life = new Life();
    life.commit(0, [view(1, "/lost", 3)]);
    life.engine.bend("log");
    life.commit(0, [view(1, "/kept")]);
    assert.equal(await views(life, 1), 1);
    const settlement = await nextSettlement(life.engine.snapshot(), life.time);
    assert.equal(settlement?.unreadable, 1);
    await life.settleAll();
    assert.equal(await views(life, 1), 1);
  });

  it("leaves a month as it is that nobody can read, and goes on with the others", async () => {
    const life = new Life();
    await live(life, 1);
    life.engine.bend("counts");
    life.commit(0, [view(1)]);
    life.commit(0, [view(2)]);
    life.pass(DAY_MS);
    const [bent] = life.engine.blocks;
    await life.settleAll();
    assert.ok(life.engine.blocks.includes(bent as BlockRow));
    const parts = life.engine.blocks.filter(({ site }) => site === 2).map(({ part }) => part);
    assert.deepEqual(parts, [0]);
    assert.equal((await viewsBy(life, 2))[1], 1);
  });

  it("merges the parts of a running day beside one of its month that nobody can read", async () => {
    const life = new Life();
    await live(life, 1);
    life.engine.bend("counts");
    for (let fold = 0; fold < 12; fold++) {
      life.commit(0, [view(1)]);
      await life.settleAll();
    }
    assert.ok(partsOf(life).length <= 1 + 8, `${partsOf(life).length} parts`);
    assert.deepEqual((await viewsBy(life, 1))[0], [12]);
  });

  it("takes in under low space what blocks know, and counts all else as OTHER", async () => {
    const life = new Life();
    life.commit(0, [view(1, "/known")]);
    await life.settleAll();
    life.lowSpace = true;
    life.commit(0, [view(1, "/known"), view(1, "/new")]);
    await life.settleAll();
    const range = { site: 1, from: life.today, to: life.today };
    const facts = factsByDay(await askStats(life.question().blocks, range)).get(life.today);
    assert.equal(facts?.get("path=/known"), 2);
    assert.equal(facts?.get(`path=${OTHER}`), 1);
    assert.equal(facts?.get("path=/new"), undefined);
  });
});

const ANY = [{ dimension: "path", test: "not", value: "/none" }] as const;
const rangeOf = (life: Life) => ({ site: 1, from: life.today - 39, to: life.today });
