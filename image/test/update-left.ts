import assert from "node:assert/strict";
import { join } from "node:path";
import { slotOfConfig } from "../../appliance/box/updater/boot-partition.ts";
import { Card } from "./card.ts";
import { until } from "./owner.ts";
import { Pi } from "./pi.ts";
import { boxOf, configOf, SHORT, says, type Updates, viewOf } from "./update-run.ts";

const STARTS = 3;
const COUNT = "/data/system/starts";
const ENDS_MS = 20 * 60_000;

/** A release of slot b that was kept, and whose starts are then all cut short. */
export async function checkLeaving(
  { checks, work, next, token }: Updates,
  kept: Card,
): Promise<void> {
  await using pi = new Pi(new Card(kept.file, join(work, "left")));
  await checks.check(
    `leaves a kept release after ${STARTS} starts that were cut short, and counts on`,
    async () => {
      for (let start = 1; start <= STARTS; start += 1) {
        const machine = await pi.plugIn(SHORT);
        await until("the start is counted", async () =>
          (await machine.shell.run(`cat ${COUNT}`)).text.includes(`"count":${start}`),
        );
        await machine.cutPower();
        assert.equal(slotOfConfig(configOf(pi.card)), "b");
      }
      assert.equal(await pi.ended(await pi.plugIn(SHORT), ENDS_MS), "reset");
      const box = await boxOf(await pi.goOn(SHORT), token);
      const last = await says(
        box,
        "it went back",
        (view) => view.last?.kind === "failed" && view.last,
      );
      assert.equal(last.release, next.release);
      assert.match(last.reason ?? "", /started 3 times in a row and was never well/);
      const { running, mode } = await viewOf(box);
      assert.deepEqual([running.slot, mode], ["a", "normal"]);
      assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
      // It leaves once: starts of the other system are not counted.
      assert.notEqual((await box.machine.shell.run(`ls ${COUNT}`)).status, 0);
      return last.reason;
    },
  );
}
