import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT_KINDS } from "../../../../appliance/app/service/document-kinds.ts";
import { DAY_MS } from "../../../../appliance/base/calendar.ts";
import { backUp } from "../../../../appliance/store/sqlite/copies/backup.ts";
import { copyIn } from "../../../../appliance/store/sqlite/copies/restore.ts";
import { swapIn } from "../../../../appliance/store/sqlite/copies/swap.ts";
import { databaseFile } from "../../../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { oneOf } from "../../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { views } from "../../../helpers/traffic.ts";
import { World } from "../../../helpers/world.ts";

const SITES = ["a", "b"] as const;
/** Rounds whose clock is sure or not, with few values or more than a day may have. */
const ROUNDS = [0, 1, 2] as const;

describe(`a backup of whatever hits made (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const { below, pick } = seeded(TEST_SEED);

  /** Hits of all kinds. */
  async function hits(world: World): Promise<void> {
    await Promise.all(Array.from({ length: pick([1, 10, 40]) }, () => hit(world)));
  }

  async function hit(world: World): Promise<void> {
    const s = pick(SITES);
    const flags = Object.fromEntries(["u", "s", "b", "g", "n"].map((k) => [k, pick(["1", "0"])]));
    const view = { p: `/${below(50)}`, l: pick(["de", "en"]), r: `https://r${below(40)}.example/` };
    const one = below(10);
    if (one === 0) await world.beacon({ ...view, ev: `buy-${below(5)}`, t: `x${below(9)}` }, { s });
    else if (one === 1) await world.beacon({ ev: "hi", t: "<150" }, { s });
    else if (one === 2) await world.ping({ os: "macos", dv: "x,y,z", v: "1.2.3" }, { s });
    else if (one === 3) await world.beacon({}, { s, headers: { "user-agent": "Googlebot/2.1" } });
    else await world.beacon({ ...view, ...flags }, { s });
  }

  /** More pages than a day may have. */
  async function flood(world: World): Promise<void> {
    const page = () => ({ path: `/flood/${below(6_000)}` });
    await views(world, Array.from({ length: 3_000 }, page), pick(SITES));
  }

  /** Past a day's bound the values that are told apart depend on when they were put together; no sum does. */
  function sumsOf(answer: Record<string, unknown>): unknown {
    const sum = (counts: unknown) =>
      Object.values(counts as object).reduce((all: number, n) => all + Number(n), 0);
    return { pv: answer.pv, path: sum(answer.path ?? {}), lang: sum(answer.lang ?? {}) };
  }

  async function answers(world: World, isFlooded: boolean): Promise<unknown> {
    const all = [];
    for (const site of SITES)
      for (const counted of ["views", "visitors", "sessions"])
        for (const where of [[], [`path:not:/1`], ["lang:is:de"]]) {
          const params = new URLSearchParams({
            site,
            of: counted,
            from: "first",
            series: "1",
            daily: "1",
          });
          for (const one of where) params.append("where", one);
          const reply = await world.ask(`/stats?${params}`, {
            headers: { authorization: "Bearer the-admin-token" },
          });
          assert.equal(reply.status, 200, reply.text);
          // Views of the last minutes are stored nowhere.
          const { live: _, ...stored } = reply.json;
          all.push(isFlooded ? sumsOf(stored) : stored);
        }
    return all;
  }

  for (const round of oneOf(ROUNDS))
    it(`restores, and answers the same: round ${round}`, async () => {
      const isSure = round % 3 !== 2;
      const isFlooded = round % 2 === 1;
      const clock = new FakeClock(undefined, { sure: isSure });
      const world = new World({ env: { SITES: SITES.join() }, clock });
      try {
        await world.start();
        for (let step = 0; step < 5; step++) {
          await hits(world);
          if (isFlooded && below(2) === 0) await flood(world);
          if (below(2) === 0) clock.jump(pick([3_600_000, DAY_MS, 20 * DAY_MS]));
          if (below(2) === 0) await world.service.store.upkeep();
        }
        const before = await answers(world, isFlooded);
        await world.stop();
        const file = databaseFile(world.dataDir);
        const [backup, incoming] = ["backup.db", "in.db"].map((name) => join(world.dataDir, name));
        await backUp(file, backup as string, DOCUMENT_KINDS);
        await copyIn(backup as string, incoming as string, DOCUMENT_KINDS);
        rmSync(file);
        rmSync(`${file}-wal`, { force: true });
        swapIn(incoming as string, file);
        // Before anything of it is settled.
        await world.start();
        assert.deepEqual(await answers(world, isFlooded), before);
        await clock.becomeSure();
        await world.service.store.upkeep();
        clock.advance(DAY_MS);
        await world.service.store.upkeep();
      } finally {
        await world.end();
      }
    });
});
