import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TargetView } from "../../appliance/links/backups/view.ts";
import { Box } from "./box.ts";
import { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { takeOver, until } from "./owner.ts";
import { trustClock } from "./starts.ts";
import { filesOn, makeStick } from "./stick.ts";

const FOLDER = "tallydeck-backups";
const NOTES = "notes.txt";
/** Less than a backup needs, and enough for our folder. */
const LITTLE_BYTES = 64 * 1_024;
/** So slow that a backup takes a quarter of a minute, and that nothing goes on. */
const SLOW = { writes: 8_000, stands: 1 };

/** A backup is taken in on trial as a start takes it, which an emulator needs minutes for. */
const TRIED = { timeoutMs: 10 * 60_000 };

/** Backups onto sticks, and a new card that becomes the box which made them. */
export async function checkBackups(checks: Checks, image: string, work: string): Promise<void> {
  console.log("# backups");
  const old = new Card(image, join(work, "old"));
  old.boot.write("tallydeck.env", "HOSTNAME=kitchen\n");
  const box = new Box(await Machine.start(old));
  const notes = join(work, NOTES);
  writeFileSync(notes, "of another program");
  const stick = makeStick(join(work, "stick.img"), { files: [notes] });
  let token = "";
  await checks.check("makes a first backup onto a stick as soon as one is plugged in", async () => {
    await box.serves();
    token = await takeOver(box);
    assert.equal((await box.control("POST", "/api/sites", { id: "blog" })).status, 201);
    await box.view("/of-the-old-card");
    await trustClock(box);
    await box.machine.plugDisk(stick, "first");
    const { good } = await targetWhen(box, "a good backup", (target) => target.good !== null);
    return `${good?.file}: ${good?.bytes} bytes`;
  });
  await checkBadSticks(checks, box, stick);
  await checkOtherSticks(checks, box, work);
  await checks.check("touches nothing else on a stick", async () => {
    await box.machine.shutDown();
    const files = filesOn(stick);
    // The newest of a day is kept.
    assert.ok(files.length === 2 && files.includes(NOTES), files.join());
    assert.ok(files.every((file) => file === NOTES || file.startsWith(`${FOLDER}/tallydeck-`)));
    assert.ok(files.every((file) => !file.endsWith(".part")));
    return files.join("\n");
  });
  await checkNewCard(checks, new Card(image, join(work, "new")), { stick, token });
}

/** A stick that is pulled, stands still, is full, protected, or formatted by somebody else. */
async function checkBadSticks(checks: Checks, box: Box, stick: string): Promise<void> {
  const { machine } = box;
  const isWritten = `until ls /run/tallydeck_stick/fat/${FOLDER}/*.part; do sleep 1; done`;
  const fails = async () => {
    const { why } = await targetWhen(box, "a failure", ({ why }) => why !== "");
    return why;
  };
  const plugAgain = async (id: string) => {
    await machine.slowDisks(0);
    await plugs(box, stick, id);
    await backsUp(box);
  };
  await checks.check("says so where a stick is pulled while it writes to it", async () => {
    await machine.slowDisks(SLOW.writes);
    await box.control("POST", "/api/backups");
    await machine.shell.run(isWritten, TRIED.timeoutMs);
    await machine.unplugDisk("first");
    const why = await fails();
    assert.match(why, /was pulled/);
    await plugAgain("again");
    return why;
  });
  await checks.check("says so where a stick stands still, and is not held up by it", async () => {
    await machine.slowDisks(SLOW.writes);
    // QEMU stops with a request that its guest takes back: the kernel has more patience here than the box.
    await machine.shell.run("for sd in /sys/block/sd*; do echo 3600 >$sd/device/timeout; done");
    await box.control("POST", "/api/backups");
    await machine.shell.run(isWritten, TRIED.timeoutMs);
    await machine.slowDisks(SLOW.stands);
    const why = await fails();
    assert.match(why, /not answered for two minutes|was pulled, or is broken/);
    assert.equal((await box.view("/meanwhile")).status, 200);
    await machine.slowDisks(0);
    await machine.unplugDisk("again");
    await plugAgain("third");
    return why;
  });
  for (const id of ["first", "again", "third"]) await machine.unplugDisk(id).catch(() => {});
}

/** Other sticks, one after the other: good ones, and those that no backup can be on. */
async function checkOtherSticks(checks: Checks, box: Box, work: string): Promise<void> {
  const { machine } = box;
  for (const kind of ["exfat", "ext4"] as const)
    await checks.check(`makes backups onto a stick with ${kind}`, async () => {
      await plugs(box, makeStick(join(work, `${kind}.img`), { kind }), kind);
      await backsUp(box);
      const { text } = await machine.shell.run(`ls /run/tallydeck_stick/*/${FOLDER}`);
      await machine.unplugDisk(kind);
      return text;
    });
  const bad = [
    ["can only be read", "fat", /can only be read/],
    ["has a file system of another kind", "ext2", /Format it/],
  ] as const;
  for (const [what, kind, says] of bad)
    await checks.check(`says so where a stick ${what}`, async () => {
      const stick = makeStick(join(work, `bad-${kind}.img`), { kind });
      await machine.plugDisk(stick, `bad-${kind}`, { isReadOnly: kind === "fat" });
      const problem = await until("it says so", async () => {
        const { json } = await box.control("GET", "/api/backups");
        return says.test(json.stickProblem) ? json.stickProblem : undefined;
      });
      await machine.unplugDisk(`bad-${kind}`);
      return problem;
    });
  await checks.check("says so where a stick is full", async () => {
    const full = { mebibytes: 64, leftBytes: LITTLE_BYTES };
    await plugs(box, makeStick(join(work, "full.img"), full), "full");
    await box.control("POST", "/api/backups");
    const { why } = await targetWhen(box, "a failure", ({ why }) => /full|room/i.test(why));
    await machine.unplugDisk("full");
    return why;
  });
}

/** A card that was flashed anew, in a box with the old one's stick. */
async function checkNewCard(
  checks: Checks,
  card: Card,
  { stick, token }: { readonly stick: string; readonly token: string },
): Promise<void> {
  const box = new Box(await Machine.start(card));
  await box.machine.plugDisk(stick, "stick");
  await checks.check("is the old box again with one press, on a new card", async () => {
    await box.serves();
    await takeOver(box);
    const found = await until("the backup is offered", async () => {
      const { json } = await box.control("GET", "/api/found-backup");
      return json.found[0];
    });
    assert.equal(found.machine, "kitchen");
    const wish = { file: found.file };
    const { status } = await box.control("POST", "/api/found-backup", wish, TRIED);
    assert.equal(status, 204);
    const views = await until("its numbers", () => box.read("/stats?site=blog", token));
    assert.equal(views.path["/of-the-old-card"], 1);
    await until(
      "its name",
      async () => (await box.machine.shell.run("hostname")).text === "kitchen",
    );
    const failed = await box.machine.shell.run("systemctl --failed --no-legend --plain --no-pager");
    assert.equal(failed.text, "");
    return found.file;
  });
  await box.machine.cutPower();
}

/** Waits until the stick as a place for backups is as it is to be, and nothing is under way there. */
function targetWhen(
  box: Box,
  what: string,
  fits: (target: TargetView) => boolean,
): Promise<TargetView> {
  return until(what, async () => {
    const { targets } = (await box.control("GET", "/api/backups")).json;
    const target = targets.find(({ kind }: TargetView) => kind === "stick");
    return target && !target.isRunning && fits(target) ? target : undefined;
  });
}

/** Plugs a stick in, and waits until it is lent to the service. The one that was pulled may still be there for the box. */
async function plugs({ machine }: Box, stick: string, id: string): Promise<void> {
  const lent = () => machine.shell.run("cat /run/tallydeck_stick/state.json");
  const { text: before } = await lent();
  await machine.plugDisk(stick, id);
  await until("the stick is lent", async () => {
    const { status, text } = await lent();
    return status === 0 && text !== before;
  });
}

/** Has backups made until one is good, as an owner would: to the service, a stick that was pulled may still be there. */
async function backsUp(box: Box): Promise<void> {
  const before = await targetWhen(box, "the stick", () => true);
  await until("another good backup", async () => {
    await box.control("POST", "/api/backups");
    const { good, why } = await targetWhen(box, "its end", () => true);
    return why === "" && good?.file !== before.good?.file;
  });
}
