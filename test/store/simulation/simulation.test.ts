import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { type EngineName, engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { isLong } from "../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { someRecord, someRule } from "../../helpers/store-life.ts";
import { SimulatedBox } from "./box.ts";
import { SimulatedNode } from "./node.ts";
import { compareAll } from "./questions.ts";
import type { Sent, SimulatedStore } from "./store.ts";

/** The seconds for which fresh seeds are tried; 0 tries one. */
const SIM_S = Number(process.env.SIM_S ?? 0);
/**
 * Each step of a database elsewhere takes longer. Fresh seeds live longest, and the one of each run of the suite as long as
 * fits into ten seconds: after the last of these days, a store still outlives all that it has.
 */
const DAYS =
  SIM_S > 0
    ? { SQLite: 60, PostgreSQL: 8 }
    : isLong
      ? { SQLite: 25, PostgreSQL: 4 }
      : { SQLite: 6, PostgreSQL: 1 };
const SITES = 3;
const DISTINCT = 120;
const FLOOD = 2_300;

/** Hits of sites that are there, and of one that never was; the first is a view of a site. */
function someHits(box: SimulatedStore): Sent[] {
  const { draw, model } = box;
  const ids = [...model.sites.keys()].map(Number) as [number, number, number];
  const hits = Array.from({ length: 1 + draw.below(DISTINCT) }, () => {
    const { site, ...record } = someRecord(draw, ids);
    return { ...record, times: 1 + draw.below(12), site: site === 0 ? null : String(site) };
  });
  const view = { kind: "view", flags: 3, times: 1, values: [["path", "path-0"]] } as const;
  return [{ ...view, site: String(draw.pick(ids)) }, ...hits];
}

/** More values than a day takes. */
function flood(box: SimulatedStore): Sent[] {
  const site = String(box.draw.pick([...box.model.sites.keys()] as [string, string, string]));
  return Array.from({ length: FLOOD }, (_, n) => ({
    ...({ kind: "view", flags: 0, times: 1, site } as const),
    values: [["path", `flood-${n}`]] as const,
  }));
}

type Happening = readonly [weight: number, name: string, act: () => Promise<void>];

/** Events of a box with a file. */
function ofFile(box: SimulatedBox): readonly Happening[] {
  return [
    [
      2,
      "another zone",
      () => {
        box.dayZone = box.draw.pick([
          "UTC",
          "Asia/Kolkata",
          "America/New_York",
          "Pacific/Auckland",
        ]);
        return box.restart(true);
      },
    ],
    [2, "low space, or room", () => box.makeShort(!box.isShort)],
    [2, "a backup", () => box.backUp()],
    [1, "a restore", () => box.restore()],
  ];
}

/** Events of a node in a fleet. */
function ofFleet(node: SimulatedNode): readonly Happening[] {
  return [[8, "hits elsewhere", () => node.sendElsewhere(someHits(node))]];
}

async function happen(box: SimulatedStore): Promise<string> {
  const { draw, clock } = box;
  const id = String(draw.pick([...box.model.sites.keys()] as [string, string, string]));
  const isSure = draw.below(3) > 0;
  const events: readonly Happening[] = [
    [30, "hits", () => box.send(someHits(box))],
    [4, "the disk is away", () => box.sendInTrouble(someHits(box), "fails")],
    [4, "answers come late", () => box.sendInTrouble(someHits(box), "late")],
    [
      8,
      "power goes",
      () => box.cutPower(someHits(box), draw.pick(["before", "after", "torn"]), isSure),
    ],
    [3, "a restart", () => box.restart(isSure)],
    [
      2,
      "other days of detail",
      () => {
        box.detailDays = draw.pick([0, 3, 10, 30]);
        return box.restart(true);
      },
    ],
    [
      5,
      "values made one",
      () =>
        box.merge(
          id,
          someRule(draw),
          draw.below(2) > 0
            ? () => box.cutPower(someHits(box), draw.pick(["before", "after", "torn"]), isSure)
            : undefined,
        ),
    ],
    [1, "a flood", () => box.send(flood(box))],
    [2, "an erasure", () => box.erase(id, someHits(box)).then(() => box.addSite())],
    [
      4,
      "the clock jumps",
      async () => {
        if (clock.sure) box.setWall(draw.pick([0, 0, (draw.below(41) - 20) * DAY_MS]));
      },
    ],
    [
      6,
      "a survey",
      async () => {
        if (!box.isShort) await box.addSurvey(id, `answer-${draw.below(1_000)}`);
      },
    ],
    ...(box instanceof SimulatedBox ? ofFile(box) : []),
    ...(box instanceof SimulatedNode ? ofFleet(box) : []),
  ];
  const all = events.reduce((sum, [weight]) => sum + weight, 0);
  let at = draw.below(all);
  for (const [weight, name, act] of events) {
    at -= weight;
    if (at >= 0) continue;
    await act();
    return name;
  }
  return "nothing";
}

/** Days of a store's life, each step of which is compared. */
async function live(box: SimulatedStore, days: number): Promise<void> {
  const { draw } = box;
  await box.boot();
  for (let site = 0; site < SITES; site++) await box.addSite();
  const said: string[] = [];
  try {
    for (const end = days * DAY_MS; box.ran < end; ) {
      said.push(`day ${box.today}: ${await happen(box)}`);
      await compareAll(box);
      await box.pass(draw.below(14 * HOUR_MS));
      if (!box.clock.sure && draw.below(2) > 0) {
        said.push("the clock becomes sure");
        await box.becomeSure();
      }
      await box.upkeep();
      await compareAll(box);
    }
    await box.outlive();
    await compareAll(box);
  } catch (error) {
    const last = said.slice(-12).join("\n  ");
    throw new Error(`after\n  ${last}\nit ended with: ${(error as Error).stack}`);
  } finally {
    await box.stop().catch(() => {});
  }
}

/** Has one live in a home of its own. */
async function liveOnce(engine: EngineName, seed: number, days: number): Promise<void> {
  const draw = seeded(seed);
  if (engine === "PostgreSQL") {
    const node = await SimulatedNode.open(draw);
    await live(node, days).finally(() => node.end());
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  await live(new SimulatedBox(folder, draw), days).finally(() =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

onEachEngine(() => {
  const engine = engineOfSuite();
  const days = Number(process.env.SIM_DAYS ?? DAYS[engine]);
  describe(`a store in virtual time (TEST_SEED=${TEST_SEED} brings the same again)`, function () {
    this.timeout(600_000 + 2_000 * SIM_S + 4_000 * days);

    it("counts what a map counts, whatever happens", async () => {
      const end = performance.now() + 1_000 * SIM_S;
      let seed = TEST_SEED;
      do {
        const again = `SIM_DAYS=${days} TEST_SEED=${seed} ./scripts/test test/store/simulation -g ${engine}`;
        await liveOnce(engine, seed, days).catch((error: Error) =>
          assert.fail(`To see it again: ${again}\n${error.message}`),
        );
        seed++;
      } while (performance.now() < end);
      if (SIM_S > 0) console.log(`      ${seed - TEST_SEED} seeds of ${days} days`);
    });
  });
});
