import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLog } from "../../../appliance/base/log.ts";
import { DiskWatch } from "../../../appliance/box/disk/disk-watch.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";

const HOUR = 3_600;
const WRITE_ERROR =
  "I/O error, dev mmcblk0, sector 9 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2";

describe("the watch over a disk", () => {
  let watch: DiskWatch | undefined;
  // Before its folder is removed.
  afterEach(() => watch?.close());
  const folder = eachFolder();
  let clock = new FakeClock();
  let said: string[] = [];
  let [up, written, noted] = [0, 0, 0];
  const file = () => join(folder(), "disk", "record.json");
  const lines = (...texts: string[]) =>
    writeFileSync(join(folder(), "lines"), texts.map((text) => `${text}\n`).join(""));

  const start = (boot: string, { hasLog = true, isGone = false, id = "card" } = {}) => {
    const startedAt = clock.monotonic();
    watch = new DiskWatch({
      clock,
      log: createLog((line) => said.push(line)),
      disk: {
        id,
        names: { disk: "mmcblk0", data: "mmcblk0p4", controller: "mmc0" },
        isCard: true,
        bytes: 32e9,
        written: () => (isGone ? undefined : written),
        notedErrors: () => noted,
      },
      machine: { boot, upSeconds: () => up + (clock.monotonic() - startedAt) / 1_000 },
      file: file(),
      linesFile: hasLog ? join(folder(), "lines") : "",
    });
    return watch;
  };
  const run = (seconds: number, bytes: number) => {
    written += bytes;
    clock.advance(seconds * 1_000);
  };

  beforeEach(() => {
    [clock, said, up, written, noted] = [new FakeClock(), [], 0, 0, 0];
  });

  it("says what is written in a day and how long a card stands it, after a day", async () => {
    const first = start("one");
    run(5 * HOUR, 10e6);
    assert.deepEqual(first.figures(), {
      isCard: true,
      bytes: 32e9,
      writtenBytes: 10e6,
      errors: [],
    });
    await first.close();
    [up, written] = [30, 0];
    const second = start("two");
    run(19 * HOUR, 38e6);
    const { writtenBytes, dailyBytes, lifeYears = 0 } = second.figures() ?? {};
    assert.equal(writtenBytes, 48e6);
    assert.ok(Math.abs((dailyBytes ?? 0) - 48e6) < 50e3, `${dailyBytes}`);
    assert.equal(Math.round(lifeYears), 183);
  });

  it("writes seldom itself", async () => {
    const each = start("one");
    const changes = new Set<number>();
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      run(60, 1_000);
      await new Promise(setImmediate);
      changes.add(statSync(file(), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    }
    await each.close();
    assert.ok(changes.size <= 6, `${changes.size} writes`);
  });

  it("tells an error of the kernel within a minute, once, and after a restart too", async () => {
    lines("1 mmc0: new SDHC card at address aaaa");
    const first = start("one");
    run(60, 0);
    assert.equal(first.isFailing, false);
    lines("1 mmc0: new SDHC card at address aaaa", `2 ${WRITE_ERROR}`, `3 ${WRITE_ERROR}`);
    run(60, 0);
    assert.equal(first.isFailing, true);
    run(10 * HOUR, 0);
    const now = first.figures()?.errors ?? [];
    const found = now.map(({ kind, times }) => [kind, times]);
    assert.deepEqual(found, [["write", 2]]);
    assert.equal(said.length, 1);
    assert.match(
      said[0] ?? "",
      /^warn: The disk of the data fails: It did not take what was written/,
    );
    await first.close();
    // The machine has restarted, and its log with it.
    lines();
    [up, written] = [20, 0];
    const second = start("two");
    assert.deepEqual(second.figures()?.errors, now);
    await second.close();
    // And the service alone, with the log as it was judged already.
    up = 40;
    assert.deepEqual(start("two").figures()?.errors, now);
  });

  it("judges lines again whose numbers began anew", () => {
    lines(`7 ${WRITE_ERROR}`);
    const each = start("one");
    lines(`1 ${WRITE_ERROR}`);
    run(60, 0);
    assert.equal(each.figures()?.errors[0]?.times, 2);
  });

  it("goes by what the file system notes where it has no log of the kernel", async () => {
    noted = 3;
    const each = start("one", { hasLog: false });
    const found = each.figures()?.errors.map(({ kind, times }) => [kind, times]);
    assert.deepEqual(found, [["data", 1]]);
    run(HOUR, 0);
    assert.equal(each.figures()?.errors[0]?.times, 1);
    noted = 4;
    run(HOUR, 0);
    assert.equal(each.figures()?.errors[0]?.times, 2);
  });

  it("forgets the errors of another card", async () => {
    lines(`1 ${WRITE_ERROR}`);
    await start("one").close();
    lines();
    written = 5;
    assert.deepEqual(start("two", { id: "new" }).figures()?.errors, []);
  });

  it("survives whatever its files say, and a card that is pulled", async () => {
    mkdirSync(join(folder(), "disk"));
    for (const text of ["", "{", "\0".repeat(100_000), '{"id":1}']) {
      writeFileSync(file(), text);
      lines(text, "x", "99999999999999999999 mmc0: card aaaa removed", "1 ");
      const each = start("one");
      assert.equal(each.isFailing, false);
      await each.close();
    }
    const pulled = start("one", { isGone: true });
    run(HOUR, 0);
    assert.equal(pulled.isFailing, false);
  });

  it("goes on in memory when it cannot keep what it knows, and says so once", async () => {
    rmSync(folder(), { recursive: true });
    writeFileSync(folder(), "no folder");
    const each = start("one");
    for (let day = 0; day < 3; day += 1) run(24 * HOUR, 1e6);
    assert.equal(each.figures()?.writtenBytes, 3e6);
    await each.close();
    assert.equal(said.filter((line) => /cannot be kept/.test(line)).length, 1);
    assert.equal(readFileSync(folder(), "utf8"), "no folder");
  });
});
