import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { type EngineWorld, eachFleet } from "./engine-world.ts";

const BATCHES = 60;
const NODES = 3;

describe(`upkeep in PostgreSQL beside hits (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const { nodes, open, server, sql } = eachFleet();
  /** Views by site and day. */
  const sent = new Map<string, number>();

  it("loses nothing and counts nothing twice, though the log is settled meanwhile by one node after the other", async () => {
    const draw = seeded(TEST_SEED);
    const proxy = await CuttingProxy.open(server().port, TEST_SEED);
    for (let at = 0; at < NODES; at++) {
      const ports = [proxy.port];
      await open({ ports }, { name: `node ${at}`, sites: ["blog", "shop"] }).ready();
    }
    proxy.trouble = { commits: 0.03 };
    sent.clear();
    const expect = (site: number, day: number, n: number) =>
      sent.set(`${site}/${day}`, (sent.get(`${site}/${day}`) ?? 0) + n);
    let counting = NODES;

    const count = async (node: EngineWorld) => {
      for (let batch = 0; batch < BATCHES; batch++) {
        // Days pass, and whoever waits for an answer meanwhile is cut off.
        if (draw.random() < 0.03) for (const { clock } of nodes) clock.jump(DAY_MS);
        const site = node.site(draw.pick(["blog", "shop"]));
        const hour = node.hour - 24 * draw.below(5);
        const paths = Array.from({ length: 1 + draw.below(30) }, () => `/${draw.below(3_000)}`);
        const answer = await node.count(paths, { site, hour });
        assert.ok(answer.ok);
        expect(site, Math.floor(hour / 24), paths.length);
      }
    };
    const over = () => {
      counting -= 1;
    };
    const keepUp = async (node: EngineWorld) => {
      while (counting > 0) {
        await node.upkeep().catch(() => 0);
        await sql("UPDATE lease SET until = now() - interval '1 second'");
        await sql(
          `UPDATE node SET seen_at = now() - interval '1 hour'
           WHERE id = (SELECT id FROM node ORDER BY random() LIMIT 1)`,
        );
        await setTimeout(5);
      }
    };
    await passing(
      Promise.all([...nodes.map((node) => count(node).finally(over)), ...nodes.map(keepUp)]),
    );
    proxy.trouble = {};
    assert.deepEqual(await stored(), Object.fromEntries([...sent].sort()));
  });

  async function passing(promise: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    while (!isDone) {
      for (const { clock } of nodes) clock.advance(5);
      await setTimeout(5);
    }
    await promise;
  }

  /** Asks again where the database could not be asked: the last cut, or a busy machine, may keep it away for a moment. */
  async function asked<T>(node: EngineWorld, ask: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await node.passing(ask());
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "storage_unavailable") throw error;
      }
  }

  /** Paths that were counted, by site and day; as the counter of views has them, it is checked. */
  async function stored(): Promise<Record<string, number>> {
    const [node] = nodes as [EngineWorld];
    const sums = new Map<string, number>();
    for (const key of [...sent.keys()].sort()) {
      const [site = 0, day = 0] = key.split("/").map(Number);
      const paths = await asked(node, () => node.countsOf("path", site, day));
      const views = await asked(node, () => node.countsOf("pv", site, day));
      const n = Object.values(paths).reduce((sum, one) => sum + one, 0);
      assert.equal(views._, n);
      sums.set(key, n);
    }
    return Object.fromEntries(sums);
  }
});
