import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { uploadBackup } from "../../../appliance/links/backups/bring.ts";
import type { BackupOutcome } from "../../../appliance/links/backups/machine.ts";
import type { MarkedFolder } from "../../../appliance/links/backups/mark.ts";
import { backupName } from "../../../appliance/links/backups/names.ts";
import { TargetProblem } from "../../../appliance/links/backups/targets/target.ts";
import { MemoryTarget } from "./memory-target.ts";

const CONTENT = Buffer.from("the data");

/** Sends what it has, again and again. */
class EndlessTarget extends MemoryTarget {
  sent = 0;

  override async *read(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    while (this.sent < 1_000) {
      this.sent += 1;
      yield* super.read(name, signal);
    }
  }
}

const FOLDER = "/mnt/nas/tallydeck";

function bring(
  target: MemoryTarget,
  { at = 0, marked }: { at?: number; marked?: MarkedFolder } = {},
): Promise<BackupOutcome> {
  return uploadBackup({
    target,
    marked,
    name: backupName(at, "kitchen", "0a1b2c3d"),
    zone: new DayZone({ zone: "UTC", before: null }),
    make: async () => ({
      bytes: CONTENT.length,
      async *content() {
        yield CONTENT;
      },
      close: async () => {},
    }),
    signal: new AbortController().signal,
  });
}

/** The folder after some outcome there. */
function lastOf(outcome: BackupOutcome): MarkedFolder {
  if (outcome.kind === "failed") assert.fail(outcome.why);
  const { good, files, mark } = outcome;
  const begun = { kind: "folder", since: 0, tries: 0, triedAt: 0, why: "" } as const;
  return { path: FOLDER, last: { ...begun, good, files, ...(mark && { mark }) } };
}

/** The same as a release before marks had it. */
function withoutMark({ path, last }: MarkedFolder): MarkedFolder {
  const { mark: _, ...rest } = last ?? assert.fail();
  return { path, last: rest };
}

describe("a backup", () => {
  it("is not read back without end", async () => {
    const target = new EndlessTarget();
    const bringing = bring(target);
    await assert.rejects(bringing, (error: unknown) => {
      assert.ok(error instanceof TargetProblem, String(error));
      return /not what was written/.test(error.message);
    });
    assert.equal(target.sent, 2);
    assert.deepEqual([...target.files.keys()], []);
  });
});

describe("a folder where a disk should be mounted", () => {
  const NEW: MarkedFolder = { path: FOLDER, last: undefined };
  const NOT_MOUNTED = /is its disk mounted\?/;
  const marks = ({ files }: MemoryTarget) =>
    [...files.keys()].filter((name) => name.endsWith(".mark"));

  it("is marked once, and known by that", async () => {
    const target = new MemoryTarget();
    const first = await bring(target, { marked: NEW });
    const made = marks(target);
    assert.equal(made.length, 1);
    await bring(target, { marked: lastOf(first), at: DAY_MS });
    assert.deepEqual(marks(target), made);
    await assert.rejects(bring(new MemoryTarget(), { marked: lastOf(first) }), NOT_MOUNTED);
  });

  it("is known by this machine's backups where an earlier release made them, and then marked", async () => {
    const disk = new MemoryTarget();
    const before = withoutMark(lastOf(await bring(disk, { marked: NEW })));
    for (const name of marks(disk)) disk.files.delete(name);
    const beneath = new MemoryTarget();
    const others = backupName(0, "attic", "ffffffff").file;
    beneath.files.set(others, CONTENT);
    await assert.rejects(bring(beneath, { marked: before, at: DAY_MS }), NOT_MOUNTED);
    assert.deepEqual([...beneath.files.keys()], [others]);
    const outcome = await bring(disk, { marked: before, at: DAY_MS });
    assert.equal(marks(disk).length, 1);
    // Backups that were made beneath a disk once are no mark any more.
    const accident = new MemoryTarget();
    await bring(accident, { marked: NEW });
    for (const name of marks(accident)) accident.files.delete(name);
    await assert.rejects(bring(accident, { marked: lastOf(outcome) }), NOT_MOUNTED);
  });

  it("is marked anew where its mark was removed, and the last backup is there", async () => {
    const target = new MemoryTarget();
    const first = lastOf(await bring(target, { marked: NEW }));
    for (const name of marks(target)) target.files.delete(name);
    await bring(target, { marked: first, at: DAY_MS });
    assert.equal(marks(target).length, 1);
  });

  it("that loses its disk while a backup is brought keeps none beneath", async () => {
    const target = new MemoryTarget();
    const first = lastOf(await bring(target, { marked: NEW }));
    target.step = (what) => {
      if (what === "rename")
        for (const name of [...target.files.keys()])
          if (!name.endsWith(".part")) target.files.delete(name);
    };
    await assert.rejects(bring(target, { marked: first, at: DAY_MS }), NOT_MOUNTED);
    assert.deepEqual([...target.files.keys()], []);
  });
});
