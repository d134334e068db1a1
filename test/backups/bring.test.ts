import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { bringBackup } from "../../appliance/backups/bring.ts";
import { backupName } from "../../appliance/backups/names.ts";
import { TargetProblem } from "../../appliance/backups/targets/target.ts";
import { DayZone } from "../../appliance/base/day-zone.ts";
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

describe("a backup", () => {
  it("is not read back without end", async () => {
    const target = new EndlessTarget();
    const bringing = bringBackup({
      target,
      name: backupName(0, "kitchen", "0a1b2c3d"),
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
    await assert.rejects(bringing, (error: unknown) => {
      assert.ok(error instanceof TargetProblem, String(error));
      return /not what was written/.test(error.message);
    });
    assert.equal(target.sent, 2);
    assert.deepEqual([...target.files.keys()], []);
  });
});
