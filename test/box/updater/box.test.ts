import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockOf } from "../../../appliance/box/updater/box.ts";

const UNITS = join(import.meta.dirname, "../../../firmware-config/system/etc/systemd/system");

describe("the updater's lock", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-lock-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is one program's at a time", async () => {
    const file = join(folder, "lock");
    const letGo = await lockOf(file, 0);
    assert.ok(letGo);
    assert.equal(await lockOf(file, 0), undefined);
    const next = lockOf(file, 600);
    letGo();
    const letGoNext = await next;
    assert.ok(letGoNext);
    letGoNext();
  });

  it("keeps nobody from work where it cannot be made", async () => {
    const letGo = await lockOf(join(folder, "nowhere/lock"), 600);
    assert.ok(letGo);
    letGo();
  });

  it("is where the units have it", () => {
    const box = join(import.meta.dirname, "../../../appliance/box/updater/box.ts");
    const [, path] = /const LOCK = "(.*)"/.exec(readFileSync(box, "utf8")) ?? [];
    const named = readdirSync(UNITS)
      .filter((name) => name.endsWith(".service"))
      .flatMap(
        (name) =>
          /flock (?:--\S+ (?:\d+ )?)*(\S+)/.exec(readFileSync(join(UNITS, name), "utf8"))?.[1] ??
          [],
      );
    assert.deepEqual([...new Set(named)], [`/${path}`]);
  });
});
