import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { StickSlot } from "../../appliance/links/backups/targets/stick.ts";
import { Disk, whyNoDisks } from "../helpers/disk.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";

const PROGRAM = join(
  import.meta.dirname,
  "../../firmware-config/system/usr/lib/tallydeck/lend-stick",
);
const { signal } = new AbortController();

describe("the program that lends a USB stick to the service", () => {
  const home = eachFolder();
  const lend = (kind: string) =>
    execFileSync(PROGRAM, [kind, home()], {
      stdio: "ignore",
      env: { ...process.env, INVOCATION_ID: randomUUID(), STICK_USER: "nobody:nogroup" },
    });
  /** The slot as the service sees it. */
  const slot = () => {
    const seen = new StickSlot(home(), new FakeClock());
    seen.close();
    return seen;
  };

  it("makes a folder beside what is there, and the service uses it", async () => {
    mkdirSync(join(home(), "fat"));
    writeFileSync(join(home(), "fat/photo.jpg"), "a photo");
    assert.equal(slot().target, undefined);
    lend("fat");
    assert.deepEqual(await slot().target?.list(signal), []);
    assert.equal(slot().problem, undefined);
    assert.deepEqual(readdirSync(join(home(), "fat")).sort(), ["photo.jpg", "tallydeck-backups"]);
    assert.deepEqual(readdirSync(join(home(), "fat/tallydeck-backups")), []);
  });

  it("tells each time anew that one is plugged in", () => {
    mkdirSync(join(home(), "fat"));
    const said = () => {
      lend("fat");
      return readFileSync(join(home(), "state.json"), "utf8");
    };
    assert.notEqual(said(), said());
  });

  it("says so where there is none that could be mounted", () => {
    lend("none");
    assert.equal(slot().target, undefined);
    assert.match(slot().problem ?? "", /Format it with exFAT, FAT or ext4/);
    assert.deepEqual(readdirSync(home()), ["state.json"]);
  });

  it("uses a folder in which somebody has put names of ours", async () => {
    mkdirSync(join(home(), "fat/tallydeck-backups/.writable"), { recursive: true });
    lend("fat");
    assert.deepEqual(await slot().target?.list(signal), []);
    assert.deepEqual(readdirSync(join(home(), "fat/tallydeck-backups")), [".writable"]);
  });

  for (const [what, make] of [
    ["a file", (path: string) => writeFileSync(path, "mine")],
    ["a link", (path: string) => symlinkSync("/etc", path)],
  ] as const)
    it(`leaves ${what} of that name alone, and says so`, () => {
      mkdirSync(join(home(), "ext4"));
      make(join(home(), "ext4/tallydeck-backups"));
      lend("ext4");
      assert.equal(slot().target, undefined);
      assert.match(slot().problem ?? "", /has the name tallydeck-backups\. Rename it/);
      assert.notEqual(statSync("/etc").uid, 65_534);
    });

  it("gives the folder of an ext4 to the service's user, and says where it can only be read", function () {
    if (whyNoDisks() !== undefined) this.skip();
    const disk = Disk.ext4();
    try {
      symlinkSync(disk.folder, join(home(), "ext4"));
      lend("ext4");
      const { uid } = statSync(join(disk.folder, "tallydeck-backups"));
      assert.equal(uid, 65_534);
      disk.lock();
      lend("ext4");
      assert.match(slot().problem ?? "", /can only be read, or is full/);
    } finally {
      disk.remove();
    }
  });
});
