import assert from "node:assert/strict";
import { join } from "node:path";
import { slotOf } from "../../../appliance/updater/boot-config.ts";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { partition } from "./fat.ts";
import { Frozen } from "./frozen.ts";
import { Card } from "./machine.ts";
import { deckOf, takeOver } from "./owner.ts";
import { Pi } from "./pi.ts";
import { Workshop } from "./releases.ts";
import { replay } from "./replay.ts";
import { trustClock } from "./starts.ts";
import { checkArming } from "./update-arming.ts";
import { checkBadBundles } from "./update-bad.ts";
import { checkCuts } from "./update-cuts.ts";
import { checkBreakingData } from "./update-data.ts";
import { boxOf, hashOf, install, isKept, SHORT, says, type Updates, upload } from "./update-run.ts";
import { checkTrials, plugDeck } from "./update-trials.ts";
import { checkWaysIn } from "./update-ways.ts";

interface Extent {
  readonly work: string;
  readonly seed: number;
  /** How often the power is cut at a random moment. */
  readonly moments: number;
  /** A good update, its replay, and one that fails: what each build has time for. */
  readonly isShort: boolean;
  /** Names the parts that are run, and the failing trials. */
  readonly like: RegExp;
}

/** Random parts of each interval between two flushes that a losing card kept. */
const SUBSETS = 8;
/** As an editor on another system writes them. */
const OWNERS_LINES = "# Mine\r\ndtparam=audio=on\r\n";

/** Updates a box as its owner does, and pulls the plug at every step of it. */
export async function checkUpdates(checks: Checks, image: string, extent: Extent): Promise<void> {
  const { work, isShort, like } = extent;
  console.log("# updates");
  const workshop = new Workshop(image, join(work, "releases"));
  const { base } = workshop;
  const next = workshop.make({ release: base.release + 1, version: "9.1.0" });
  const begun = await checkFirstStart(
    checks,
    new Pi(new Card(image, join(work, "card"))),
    workshop,
  );
  if (begun === undefined) return;
  const updates: Updates = {
    checks,
    workshop,
    work,
    next,
    token: begun.token,
    startS: begun.startS,
  };
  if (!isShort && like.test("bad")) await checkBadBundles(updates, begun.box);
  await upload(begun.box, next);
  const frozen = await Frozen.from(begun.pi, begun.box, join(work, "frozen"));

  const armed = await checkGoodUpdate(updates, frozen, extent.seed);
  if (armed === undefined) return;
  await checkTrials(updates, armed, isShort ? /exits/ : like);
  if (isShort) return;
  if (like.test("arming")) await checkArming(updates, frozen, armed);
  if (like.test("cuts")) await checkCuts(updates, frozen, armed, extent);
  if (like.test("data")) await checkBreakingData(updates, frozen);
  if (like.test("ways"))
    await checkWaysIn(updates, new Pi(new Card(keptCard(work), join(work, "ways"))));
}

function keptCard(work: string): string {
  return join(work, "good", "card.img");
}

interface Begun {
  readonly pi: Pi;
  readonly box: Box;
  readonly token: string;
  readonly startS: number;
}

/** The first start of a card whose owner edited config.txt, with a key for releases of the tests. */
async function checkFirstStart(
  checks: Checks,
  pi: Pi,
  { signer, base }: Workshop,
): Promise<Begun | undefined> {
  const { boot } = pi.card;
  const key = signer.file.split("\n")[1] ?? "";
  const settings = ["SITES=blog", "TRUSTED_PROXIES=10.0.2.2", `UPDATE_KEY=${key}`];
  boot.write("tallydeck.env", `${settings.join("\r\n")}\r\n`);
  boot.write("config.txt", OWNERS_LINES + (boot.read("config.txt")?.toString("latin1") ?? ""));
  const began = performance.now();
  const machine = await pi.plugIn({ ...SHORT, hasCache: true });
  let begun: Begun | undefined;
  await checks.check("starts slot a, tells its release, and counts a view", async () => {
    const box = await boxOf(machine);
    const startS = Math.ceil((performance.now() - began) / 1_000);
    const token = await takeOver(box);
    const running = await says(box, "its release", (view) => view.running);
    assert.deepEqual(running, { ...base, slot: "a" });
    assert.equal((await box.view("/before")).status, 200);
    await trustClock(box);
    begun = { pi, box, token, startS };
  });
  if (begun === undefined) await machine.cutPower();
  return begun;
}

/**
 * Everything that this writes to the boot partition is replayed.
 * @returns the board when it was armed and reset; its trial did not begin
 */
async function checkGoodUpdate(
  { checks, work, next, token }: Updates,
  frozen: Frozen,
  seed: number,
): Promise<Pi | undefined> {
  const logs = [join(work, "arming.log"), join(work, "trial.log")] as const;
  const { pi, box } = await frozen.resume(join(work, "good"), { writeLog: logs[0] });
  let armed: Pi | undefined;
  await checks.check(
    "writes a release to the other slot, arms the board and resets it",
    async () => {
      await plugDeck(box.machine);
      await deckOf(box, /MK\.2/);
      await install(pi, box, next);
      assert.equal(pi.armings, 1);
      armed = pi.copy(join(work, "armed"));
    },
  );
  if (armed === undefined) {
    await box.machine.cutPower();
    return;
  }
  const old = hashOf(new Card(frozen.card, join(work, "old")), "a");
  const kept = await checks.check("tries it, keeps it, and still has what it counted", async () => {
    const machine = await pi.goOn({ ...SHORT, writeLog: logs[1] });
    await plugDeck(machine);
    const trial = await boxOf(machine, token);
    assert.equal(pi.turns.at(-1), "tryboot.txt");
    await isKept(trial, next, "b");
    assert.equal((await trial.read("/stats?site=blog", token)).path["/before"], 1);
    assert.equal((await trial.view("/after")).status, 200);
    const { text } = await trial.machine.shell.run("systemctl --failed --no-legend --plain");
    assert.equal(text, "");
    await trial.machine.shutDown();
    const config = pi.card.boot.read("config.txt")?.toString("latin1") ?? "";
    assert.ok(config.startsWith(OWNERS_LINES), config);
    assert.equal(slotOf(config), "b");
    assert.equal(hashOf(pi.card, "a"), old);
  });
  const cards = [frozen.card, armed.card.file, pi.card.file];
  for (const [index, what] of ["arming", "keeping"].entries())
    await checks.check(`has a whole system at every write of its ${what}`, async () => {
      const [log, before, after] = [logs[index], cards[index], cards[index + 1]];
      assert.ok(log && before && after);
      const area = partition(before, 1);
      const named = (config: string) => slotOf(config) ?? "none";
      const all = { before, after, log, ...area, slotOf: named, seed, subsets: SUBSETS };
      const { prefixes, subsets } = replay(all);
      console.log(
        `      ${prefixes} states of a card without a cache, ${subsets} of one that loses it`,
      );
      assert.ok(prefixes > 10);
    });
  return kept ? armed : undefined;
}
