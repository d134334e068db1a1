import assert from "node:assert/strict";
import type { Journal } from "../../appliance/box/updater/journal.ts";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import { until } from "./owner.ts";

const TO = { release: 9_999, version: "9.9.9" };
/** An update as far as it is before the board is armed: another system in b/, and a note of it. */
const PREPARED: Journal = {
  highest: 1,
  failed: [],
  attempt: {
    id: "test",
    kind: "update",
    slot: "b",
    state: "prepared",
    breaksData: false,
    to: TO,
    from: { release: 1, version: "0" },
  },
};
const BOOT = "/boot/firmware";

/** The board's firmware is asked by the module itself, and this emulated one forgets what it is told. */
export async function checkCannotTry(checks: Checks, { machine: { shell } }: Box): Promise<void> {
  const { says } = shell;
  await checks.check(
    "says of a board that keeps no wish for a trial that it cannot try",
    async () => {
      const config = await says(`sha256sum ${BOOT}/config.txt`);
      const release = `printf 'RELEASE=${TO.release}\\nVERSION=${TO.version}\\n' >${BOOT}/b/release`;
      await says(
        `mount -o remount,rw ${BOOT}; cp -r ${BOOT}/a/. ${BOOT}/b; ${release}; mount -o remount,ro ${BOOT}`,
      );
      await says(`echo '${JSON.stringify(PREPARED)}' >/data/system/update.json`);
      await says(`echo ${TO.release} >/run/tallydeck-update/asked/arm`);
      const told = await until("it says so", async () => {
        const { last, canTry, prepared } = JSON.parse(
          await says("cat /run/tallydeck-update/state.json"),
        );
        return last && { kind: last.kind, reason: last.reason, canTry, prepared };
      });
      const reason = "This board cannot try an update.";
      assert.deepEqual(told, { kind: "refused", reason, canTry: false, prepared: TO });
      assert.match(await says("lsmod"), /tallydeck_tryboot/);
      // Were it armed all the same, it would start what runs.
      assert.match(await says(`grep ^os_prefix ${BOOT}/tryboot.txt`), /^os_prefix=a\//);
      assert.equal(await says(`sha256sum ${BOOT}/config.txt`), config);
    },
  );
}
