import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { type EngineWorld, eachFleet } from "./engine-world.ts";

const BATCHES = 60;
const NODES = 3;

describe(`upkeep in PostgreSQL beside hits (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const { nodes, open, server, sql } = eachFleet();

  it("loses nothing and counts nothing twice, though all settle it meanwhile, and days pass", async () => {
    const draw = seeded(TEST_SEED);
    const proxy = await CuttingProxy.open(server().port, TEST_SEED);
    for (let at = 0; at < NODES; at++) {
      const ports = [proxy.port];
      await open({ ports }, { name: `node ${at}`, sites: ["blog", "shop"] }).ready();
    }
    const [first] = nodes as [EngineWorld];
    const begun = first.day;
    proxy.trouble = { commits: 0.03 };
    const sent = new Map<string, number>();
    let counting = NODES;

    const count = async (node: EngineWorld) => {
      for (let batch = 0; batch < BATCHES; batch++) {
        // Days pass, and whoever waits for an answer meanwhile is cut off.
        if (draw.random() < 0.03) for (const { clock } of nodes) clock.jump(DAY_MS);
        const name = draw.pick(["blog", "shop"]);
        const hour = node.hour - 24 * draw.below(5);
        const paths = Array.from({ length: 1 + draw.below(30) }, () => `/${draw.below(300)}`);
        const answer = await node.count(paths, { site: node.site(name), hour });
        assert.ok(answer.ok);
        for (const path of paths) {
          const key = `${name} ${Math.floor(hour / 24)} ${path}`;
          sent.set(key, (sent.get(key) ?? 0) + 1);
        }
      }
    };
    const over = () => {
      counting -= 1;
    };
    const keepUp = async (node: EngineWorld) => {
      while (counting > 0) {
        await node.upkeep().catch(() => 0);
        // Whoever comes first takes it, be another at it.
        await sql("UPDATE lease SET until = now() - interval '1 second'");
        await setTimeout(5);
      }
    };
    await passing(
      Promise.all([...nodes.map((node) => count(node).finally(over)), ...nodes.map(keepUp)]),
    );
    proxy.trouble = {};
    for (const isSettled of [false, true]) {
      if (isSettled) await passing(first.upkeep());
      assert.deepEqual(await passing(stored(first, begun)), Object.fromEntries([...sent].sort()));
    }
    assert.deepEqual(await sql("SELECT n FROM log"), []);
  });

  async function passing<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    while (!isDone) {
      for (const { clock } of nodes) clock.advance(5);
      await setTimeout(5);
    }
    return promise;
  }

  /** What was counted, by site, day and path. */
  async function stored(node: EngineWorld, begun: number): Promise<Record<string, number>> {
    const found: [string, number][] = [];
    for (const name of ["blog", "shop"])
      for (let day = begun - 5; day <= node.day; day++) {
        const paths = await node.countsOfDay("path", day, node.site(name));
        for (const [path, n] of Object.entries(paths))
          found.push([`${name} ${day} ${path}`, n as number]);
      }
    return Object.fromEntries(found.sort());
  }
});
