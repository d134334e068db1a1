import assert from "node:assert/strict";
import {
  backupName,
  isNamedBy,
  PART_END,
  readBackupName,
} from "../../../appliance/links/backups/names.ts";

const AT = Date.UTC(2026, 10, 27, 3, 15, 4, 567);

describe("the name of a backup", () => {
  it("says when it was made and by which machine, and is read back", () => {
    const name = backupName(AT, "kitchen", "0a1b2c3d");
    assert.equal(name.file, "tallydeck-2026-11-27-031504Z-kitchen-0a1b2c3d.db");
    assert.deepEqual(readBackupName(name.file), name);
    assert.equal(name.at, Date.UTC(2026, 10, 27, 3, 15, 4));
  });

  it("sorts by the time", () => {
    const times = [AT, AT + 86_400_000, AT + 1_000, AT - 40 * 86_400_000, Date.UTC(2030, 0, 1)];
    const names = times.map((at, index) => backupName(at, `m${9 - index}`, "00000000").file);
    assert.deepEqual(
      names.toSorted().map((file) => readBackupName(file)?.at),
      times.map((at) => at - (at % 1_000)).toSorted((a, b) => a - b),
    );
  });

  for (const [machine, said] of [
    ["Kitchen", "kitchen"],
    ["Küche 2", "k-che-2"],
    ["../../etc", "etc"],
    ["-", "tallydeck"],
    ["", "tallydeck"],
    ["a".repeat(80), "a".repeat(63)],
    [`${"x".repeat(62)}--y`, "x".repeat(62)],
  ] as const)
    it(`takes of "${machine.slice(0, 12)}" what file systems take`, () => {
      const name = backupName(AT, machine, "0a1b2c3d");
      assert.equal(name.machine, said);
      assert.deepEqual(readBackupName(name.file), name);
    });

  for (const file of [
    "",
    "holiday.db",
    "tallydeck-2026-11-27.db",
    "tallydeck-2026-02-31-031504Z-kitchen-0a1b2c3d.db",
    "tallydeck-2026-11-27-251504Z-kitchen-0a1b2c3d.db",
    "tallydeck-2026-11-27-031504Z-kitchen-0a1b2c3d.db.part",
    "tallydeck-2026-11-27-031504Z-kitchen-0A1B2C3D.db",
    "tallydeck-2026-11-27-031504Z-Kitchen-0a1b2c3d.db",
    "tallydeck-2026-11-27-031504Z--0a1b2c3d.db",
    " tallydeck-2026-11-27-031504Z-kitchen-0a1b2c3d.db",
    "tallydeck-2026-11-27-031504Z-kitchen-0a1b2c3d.db\n",
    "tallydeck-2026-11-27-031504Z-a/b-0a1b2c3d.db",
  ])
    it(`is not ${JSON.stringify(file)}`, () => assert.equal(readBackupName(file), undefined));

  it("has an ending while it is not whole, by which its machine knows it", () => {
    const part = backupName(AT, "kitchen", "0a1b2c3d").file + PART_END;
    assert.equal(isNamedBy(part, "0a1b2c3d", PART_END), true);
    assert.equal(isNamedBy(part, "00000000", PART_END), false);
    assert.equal(isNamedBy("film.part", "0a1b2c3d", PART_END), false);
  });
});
