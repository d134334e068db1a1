import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { FolderTarget } from "../../../../appliance/links/backups/targets/folder.ts";
import { TargetProblem } from "../../../../appliance/links/backups/targets/target.ts";
import { Disk, whyNoDisks } from "../../../helpers/disk.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";

const { signal } = new AbortController();
const MB = 1_048_576;
const NOBODY = 65_534;

function targetIn(folder: string, clock = new FakeClock()): FolderTarget {
  return new FolderTarget({ folder, called: "the USB stick", isOnStick: true, clock });
}

/** Rejects with a sentence that fits. */
async function assertProblem(work: Promise<unknown>, said: RegExp): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof TargetProblem, String(error));
    assert.match(error.message, said);
    return true;
  });
}

async function read(target: FolderTarget, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of target.read(name, signal)) parts.push(part);
  return Buffer.concat(parts);
}

/** Writes, reads, names and removes files of many sizes, as the medium has them. */
async function isUsed(target: FolderTarget, folder: string): Promise<void> {
  assert.deepEqual(await target.list(signal), []);
  for (const size of [0, 1, 4_096, MB - 1, MB, MB + 1, 3 * MB + 512]) {
    const content = randomBytes(size);
    await target.write("a.part", Readable.from([content]), size, signal);
    assert.ok((await read(target, "a.part")).equals(content), `${size}`);
    await target.rename("a.part", "a", signal);
    assert.deepEqual(await target.list(signal), [{ name: "a", bytes: size }]);
    assert.ok(readFileSync(join(folder, "a")).equals(content));
    await target.remove("a", signal);
    await target.remove("a", signal);
  }
  assert.deepEqual(readdirSync(folder), []);
}

describe("a folder for backups", () => {
  const folder = eachFolder();
  const backups = () => join(folder(), "backups");

  it("is made, and takes backups", () => isUsed(targetIn(backups()), backups()));

  it("is not made where the folder above is not there, as that of a disk that is not mounted", async () => {
    await assertProblem(targetIn(join(backups(), "deep")).list(signal), /was pulled, or is broken/);
  });

  it("was pulled where what is beneath a stick is not for the service's user", async () => {
    mkdirSync(backups(), { mode: 0o500 });
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      const target = targetIn(join(backups(), "tallydeck-backups"));
      await assertProblem(target.list(signal), /was pulled, or is broken/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it("is refused where it is a file", async () => {
    writeFileSync(backups(), "");
    await assertProblem(
      targetIn(backups()).list(signal),
      /is a file where a folder should be\. Rename it/,
    );
  });

  it("lists files alone, and writes along no link and over no file", async () => {
    mkdirSync(join(backups(), "inner"), { recursive: true });
    writeFileSync(join(folder(), "else"), "else");
    symlinkSync(join(folder(), "else"), join(backups(), "link"));
    const target = targetIn(backups());
    assert.deepEqual(await target.list(signal), []);
    await assertProblem(target.write("link", Readable.from(["x"]), 1, signal), /EEXIST/);
    assert.equal(readFileSync(join(folder(), "else"), "utf8"), "else");
  });

  it("that is pulled says so", async () => {
    const target = targetIn(backups());
    await target.list(signal);
    rmSync(backups(), { recursive: true });
    await assertProblem(
      target.write("a", Readable.from(["x"]), 1, signal),
      /was pulled, or is broken/,
    );
    await assertProblem(read(target, "a"), /was pulled, or is broken/);
  });

  it("that hangs is told after two minutes without progress, and not asked again until it answers", async () => {
    const clock = new FakeClock();
    const target = targetIn(backups(), clock);
    await target.list(signal);
    const held = Promise.withResolvers<Buffer>();
    let isReading = false;
    const content = Readable.from(
      (async function* () {
        yield Buffer.from("a");
        isReading = true;
        yield await held.promise;
      })(),
    );
    const writing = target.write("a", content, 2, signal);
    const slow = assertProblem(writing, /has not answered for two minutes/);
    while (!isReading) await new Promise(setImmediate);
    clock.advance(121_000);
    await slow;
    await assertProblem(target.list(signal), /has not answered for two minutes/);
    held.resolve(Buffer.from("b"));
    for (;;) {
      const found = await target.list(signal).catch(() => undefined);
      if (found !== undefined) break;
      await new Promise(setImmediate);
    }
  });

  it("does nothing once the machine is stopped", async () => {
    const target = targetIn(backups());
    await target.list(signal);
    writeFileSync(join(backups(), "a"), "a");
    await assertProblem(target.remove("a", AbortSignal.abort()), /was stopped/);
    assert.deepEqual(readdirSync(backups()), ["a"]);
  });
});

describe("a disk for backups", () => {
  const missing = whyNoDisks();
  const open: Disk[] = [];
  afterEach(() => {
    for (const disk of open.splice(0)) disk.remove();
  });
  function disk(make: () => Disk): Disk {
    const made = make();
    open.push(made);
    return made;
  }

  it("is read past the memory of the system", async function () {
    if (missing !== undefined) this.skip();
    const folder = join(disk(() => Disk.ext4()).folder, "backups");
    await isUsed(targetIn(folder), folder);
  });

  it("that has no room says how much there is, before it writes", async function () {
    if (missing !== undefined) this.skip();
    const { folder } = disk(() => Disk.inMemory(4));
    const target = targetIn(join(folder, "backups"));
    await target.list(signal);
    await assertProblem(
      target.write("a", Readable.from([]), 5 * MB, signal),
      /^The USB stick has room for 4 MB, and a backup takes 6 MB\. Make room on it/,
    );
    assert.deepEqual(await target.list(signal), []);
  });

  it("that is full while it writes says so", async function () {
    if (missing !== undefined) this.skip();
    const { folder } = disk(() => Disk.inMemory(4));
    const target = targetIn(join(folder, "backups"));
    await target.list(signal);
    const lots = Readable.from(Array.from({ length: 8 }, () => Buffer.alloc(MB)));
    await assertProblem(target.write("a", lots, 1, signal), /^The USB stick is full/);
  });

  it("that can only be read says so", async function () {
    if (missing !== undefined) this.skip();
    const ext4 = disk(() => Disk.ext4());
    const target = targetIn(join(ext4.folder, "backups"));
    await target.list(signal);
    ext4.lock();
    await assertProblem(target.list(signal), /can only be read\. Move its switch/);
    ext4.lock(false);
    ext4.wearOut();
    await assertProblem(
      target.write("a", Readable.from(["x"]), 1, signal),
      /can only be read|was pulled, or is broken/,
    );
  });
});
