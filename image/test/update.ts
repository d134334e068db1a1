import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { slotOfConfig } from "../../appliance/box/updater/boot-partition.ts";
import { bootFolder, lintBoot } from "../boot-lint.ts";
import { SECTOR } from "./block-log.ts";
import type { Box } from "./box.ts";
import { Card } from "./card.ts";
import { type Checks, type Lane, sideBySide } from "./checks.ts";
import { partition } from "./fat.ts";
import { Frozen } from "./frozen.ts";
import { deckOf, takeOver } from "./owner.ts";
import { Pi } from "./pi.ts";
import { Workshop } from "./releases.ts";
import { replay } from "./replay.ts";
import { trustClock } from "./starts.ts";
import { armingLanes } from "./update-arming.ts";
import { checkBadBundles } from "./update-bad.ts";
import { cutLanes } from "./update-cuts.ts";
import { dataLane } from "./update-data.ts";
import { checkLeaving } from "./update-left.ts";
import {
  boxOf,
  configOf,
  hashOf,
  install,
  isKept,
  logsIn,
  SHORT,
  says,
  type Updates,
  upload,
} from "./update-run.ts";
import { plugDeck, trialLanes } from "./update-trials.ts";
import { checkWaysIn } from "./update-ways.ts";

interface Extent {
  readonly work: string;
  readonly seed: number;
  /** The number of power cuts at random moments. */
  readonly moments: number;
  /** The number of machines at a time. */
  readonly jobs: number;
  /** A good update, its replay, and one that fails: what each build has time for. */
  readonly isShort: boolean;
  /** The checks to run: "PART" for a whole part, "PART: NAME" for a single one. */
  readonly like: RegExp;
}

/** The largest used part of the boot partition. */
const MOST_FULL = 0.8;
/** Random parts of each interval between two flushes that a losing card kept. */
const SUBSETS = { arming: 8, keeping: 24 };
/** Lines in the form of an editor on another system. */
const OWNERS_LINES = "# Mine\r\ndtparam=audio=on\r\n";

/** Updates a box as its owner does, and pulls the plug at every step of it. */
export async function checkUpdates(checks: Checks, image: string, extent: Extent): Promise<void> {
  const { work, isShort, like } = extent;
  console.log("# updates");
  const workshop = new Workshop(image, join(work, "releases"));
  const next = workshop.make({ release: workshop.base.release + 1, version: "9.1.0" });
  await using first = new Pi(new Card(image, join(work, "card")));
  const begun = await checkFirstStart(checks, first, workshop);
  if (begun === undefined) return;
  const { box, ...owner } = begun;
  const updates = { checks, workshop, work, next, ...owner, preparesMs: 0 };
  if (!isShort && like.test("bad")) await checkBadBundles(updates, box);
  await upload(box, next);
  const frozen = await Frozen.from(first, box, join(work, "frozen"));

  const written = await checkWriting(updates, frozen);
  if (written === undefined) return;
  await sideBySide(lanesOf({ ...updates, ...written }, frozen, written.armed, extent), extent.jobs);
}

/** The remaining checks, which need only the frozen box and the armed board, the longest first. */
function lanesOf(updates: Updates, frozen: Frozen, armed: Pi, extent: Extent): Lane[] {
  const { isShort } = extent;
  const like = isShort ? /^good|^trials: .* exits/ : extent.like;
  const good = async () => {
    const kept = await checkKeeping(updates, frozen, armed, extent.seed);
    if (kept && like.test("ways")) await checkWaysIn(updates, kept);
    if (kept && like.test("left")) await checkLeaving(updates, kept);
  };
  const parts: Readonly<Record<string, Lane[]>> = {
    good: [{ name: "an update that is kept, and the ways to others", run: good }],
    trials: trialLanes(updates, armed),
    data: [dataLane(updates, frozen)],
    arming: armingLanes(updates, frozen, armed),
    cuts: cutLanes(updates, frozen, armed, extent),
  };
  return Object.entries(parts).flatMap(([part, lanes]) =>
    lanes.filter(({ name }) => like.test(`${part}: ${name}`)),
  );
}

interface Begun {
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
    begun = { box, token, startS };
  });
  return begun;
}

/** @returns the board when it was armed and reset; its trial did not begin */
async function checkWriting(
  { checks, work, next }: Updates,
  frozen: Frozen,
): Promise<{ armed: Pi; preparesMs: number } | undefined> {
  await using pi = frozen.copy(join(work, "good"));
  let written: { armed: Pi; preparesMs: number } | undefined;
  await checks.check(
    "writes a release to the other slot, arms the board and resets it",
    async () => {
      const [writeLog] = logsIn(work);
      const box = await frozen.resume(pi, { writeLog });
      await plugDeck(box.machine);
      await deckOf(box, /MK\.2/);
      const preparesMs = await install(pi, box, next);
      assert.equal(pi.armings, 1);
      written = { armed: pi.copy(join(work, "armed")), preparesMs };
    },
  );
  return written;
}

/** Checks the files for the firmware of every board. @returns a summary */
function soundness({ file, boot }: Card): string {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-boot-"));
  try {
    boot.copyOut("", folder);
    assert.deepEqual(lintBoot(bootFolder(folder)), []);
    const { from, to } = partition(file, 1);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const share = bytes / ((to - from) * SECTOR);
    assert.ok(share <= MOST_FULL, `${bytes} bytes`);
    return `${Math.round(100 * share)} % full`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the card when the release was kept */
async function checkKeeping(
  { checks, work, next, token }: Updates,
  frozen: Frozen,
  armed: Pi,
  seed: number,
): Promise<Card | undefined> {
  const logs = logsIn(work);
  await using pi = armed.copy(join(work, "kept"));
  const old = hashOf(pi.card, "a");
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
    // A second run finds nothing to keep.
    const again = await trial.machine.shell.run("systemctl restart tallydeck-trial");
    assert.deepEqual([again.status, again.text], [0, ""]);
    await trial.machine.shutDown();
    const config = configOf(pi.card);
    assert.ok(config.startsWith(OWNERS_LINES), config);
    assert.equal(slotOfConfig(config), "b");
    assert.equal(hashOf(pi.card, "a"), old);
  });
  await checks.check("has two systems that every board can start, and room for a third", async () =>
    [armed.card, pi.card].map((card) => soundness(card)).join(", "),
  );
  const cards = [frozen.card, armed.card.file, pi.card.file];
  for (const [index, what] of (["arming", "keeping"] as const).entries())
    await checks.check(`has a whole system at every write of its ${what}`, async () => {
      const [log, before, after] = [logs[index], cards[index], cards[index + 1]];
      assert.ok(log && before && after);
      const area = partition(before, 1);
      const named = (config: string) => slotOfConfig(config) ?? "none";
      const all = { before, after, log, ...area, slotOf: named, seed, subsets: SUBSETS[what] };
      const { prefixes, subsets } = replay(all);
      assert.ok(prefixes > 10);
      return `${prefixes} states of a card without a cache, ${subsets} of one that loses it`;
    });
  return kept ? pi.card : undefined;
}
