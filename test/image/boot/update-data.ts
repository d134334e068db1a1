import assert from "node:assert/strict";
import type { Frozen } from "./frozen.ts";
import { put } from "./releases.ts";
import { fresh } from "./update-arming.ts";
import { boxOf, install, SHORT, says, type Updates, upload } from "./update-run.ts";

/** Makes of the database what the older code cannot read, before the service looks at it. */
const BREAKS =
  "const D = (await import('/opt/tallydeck/node_modules/better-sqlite3/lib/index.js')).default;" +
  "const f = (await import('node:fs')).readdirSync('/data/tallydeck').find((n) => n.endsWith('.db'));" +
  "const d = new D('/data/tallydeck/' + f); d.pragma('user_version = 900');" +
  "d.exec('DROP TABLE site'); d.close();";
const ENDS_MS = 12 * 60_000;

/** A release whose data the older one cannot read, which is not well: the data comes back with it. */
export async function checkBreakingData(updates: Updates, frozen: Frozen): Promise<void> {
  const { checks, workshop, work, token, next } = updates;
  await checks.check("brings the data back that a failing release had broken", async () => {
    const breaking = workshop.make({
      release: next.release + 5,
      version: "9.6.0",
      manifest: { data: { format: 900, readableBy: 900 } },
      change: (root) => {
        put(root, "opt/tallydeck/break.mjs", BREAKS);
        const breaks = "/usr/bin/tallydeck-node /opt/tallydeck/break.mjs";
        put(
          root,
          "etc/systemd/system/tallydeck.service.d/test.conf",
          `[Service]\nExecStart=\nExecStartPre=+${breaks}\nExecStart=/bin/sh -c 'exit 2'\n`,
        );
      },
    });
    const { pi, box } = await frozen.resume(fresh(work, "data"));
    assert.equal((await box.view("/broken")).status, 200);
    await upload(box, breaking);
    await install(pi, box, breaking);
    const trial = await pi.goOn(SHORT);
    assert.equal(await pi.ended(trial, ENDS_MS), "reset");
    const back = await boxOf(await pi.goOn(SHORT), token);
    const last = await says(back, "it says so", (view) => view.last ?? undefined);
    console.log(`      ${last.kind}: ${last.reason}`);
    assert.equal(last.kind, "failed");
    const { path } = await back.read("/stats?site=blog", token);
    assert.deepEqual([path["/before"], path["/broken"]], [1, 1]);
    await back.machine.cutPower();
  });
}
