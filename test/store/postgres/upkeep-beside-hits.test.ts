import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { unpack } from "../../../appliance/store/counts/pack.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { type EngineWorld, eachFleet } from "./engine-world.ts";

const BATCHES = 60;
const NODES = 3;

describe(`upkeep in PostgreSQL beside hits (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const { nodes, open, server, sql } = eachFleet();

  it("loses nothing and counts nothing twice, though days are packed, values folded and nodes merged meanwhile", async () => {
    const draw = seeded(TEST_SEED);
    const proxy = await CuttingProxy.open(server().port, TEST_SEED);
    for (let at = 0; at < NODES; at++) {
      const ports = [proxy.port];
      await open({ ports }, { name: `node ${at}`, sites: ["blog", "shop"] }).ready();
    }
    proxy.trouble = { commits: 0.03 };
    const sent = new Map<string, number>();
    const expect = (site: number, day: number, n: number) =>
      sent.set(`${site}/${day}`, (sent.get(`${site}/${day}`) ?? 0) + n);
    let counting = NODES;
    const today = () => nodes[0]?.day ?? 0;

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
    const fold = async () => {
      while (counting > 0) {
        const rare = await sql(
          `SELECT site, id FROM value WHERE dimension = 'path' AND text <> '${OTHER}'
             AND last_day < ${today() - 1}
             AND NOT EXISTS (SELECT 1 FROM count WHERE count.value = value.id)
           ORDER BY random() LIMIT 40`,
        );
        const [first] = rare;
        if (first === undefined) {
          await setTimeout(5);
          continue;
        }
        const ids = rare.filter(({ site }) => site === first.site).map(({ id }) => id as number);
        const node = draw.pick([nodes[0], nodes[1], nodes[2]]) as EngineWorld;
        const site = first.site as number;
        const packed = await sql(`SELECT day FROM packed_day WHERE site = ${site}`);
        const days = packed.map(({ day }) => day as number);
        const values = [["path", Float64Array.from(ids)]] as const;
        const plan = { site, values, days, since: today() - 1 } as const;
        for (let next: typeof plan | null = plan; ; next = null) {
          const answer = await node.engine.send({ kind: "fold", plan: next });
          if (!answer.ok || !answer.more) break;
        }
        await setTimeout(5);
      }
    };
    await passing(
      Promise.all([
        ...nodes.map((node) => count(node).finally(over)),
        ...nodes.map(keepUp),
        fold(),
      ]),
    );
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

  /** Paths that were counted, by site and day; as `day_total` has them, it is checked. */
  async function stored(): Promise<Record<string, number>> {
    const isPath = new Set(
      (await sql("SELECT id FROM value WHERE dimension = 'path'")).map(({ id }) => id),
    );
    const sums = new Map<string, number>();
    const add = (site: unknown, day: unknown, id: unknown, n: unknown) => {
      const key = `${site}/${day}`;
      if (isPath.has(id)) sums.set(key, (sums.get(key) ?? 0) + (n as number));
    };
    for (const { site, day, value, n } of await sql("SELECT site, day, value, n FROM count"))
      add(site, day, value, n);
    for (const { site, day, counts } of await sql("SELECT site, day, counts FROM packed_day"))
      unpack(counts as Uint8Array, (id, n) => add(site, day, id, n));
    const totals = await sql(
      "SELECT site, day, sum(n)::bigint AS n FROM day_total WHERE counter = 'pv' GROUP BY site, day",
    );
    const found = Object.fromEntries([...sums].sort());
    assert.deepEqual(
      Object.fromEntries(totals.map(({ site, day, n }) => [`${site}/${day}`, n] as const).sort()),
      found,
    );
    return found;
  }
});
