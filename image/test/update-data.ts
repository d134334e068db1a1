import assert from "node:assert/strict";
import type { Lane } from "./checks.ts";
import type { Frozen } from "./frozen.ts";
import { put } from "./releases.ts";
import { boxOf, install, lane, SHORT, says, type Updates, upload } from "./update-run.ts";

/** Makes of the database what the older code cannot read, before the service looks at it. */
const BREAKS =
  "const D = (await import('/opt/tallydeck/node_modules/better-sqlite3/lib/index.js')).default;" +
  "const f = (await import('node:fs')).readdirSync('/data/tallydeck').find((n) => n.endsWith('.db'));" +
  "const d = new D('/data/tallydeck/' + f); d.pragma('user_version = 900');" +
  "d.exec('DROP TABLE site'); d.close();";
const ENDS_MS = 12 * 60_000;

/** A release whose data the older one cannot read, which is not well: the data comes back with it. */
export function dataLane(updates: Updates, frozen: Frozen): Lane {
  const { workshop, token, next } = updates;
  return lane(updates, "brings the data back that a failing release had broken", async (folder) => {
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
    await using pi = frozen.copy(folder);
    const box = await frozen.resume(pi);
    assert.equal((await box.view("/broken")).status, 200);
    await upload(box, breaking);
    await install(pi, box, breaking);
    const trial = await pi.goOn(SHORT);
    assert.equal(await pi.ended(trial, ENDS_MS), "reset");
    const back = await boxOf(await pi.goOn(SHORT), token);
    const last = await says(back, "it says so", (view) => view.last ?? undefined);
    assert.equal(last.kind, "failed");
    const { path } = await back.read("/stats?site=blog", token);
    assert.deepEqual([path["/before"], path["/broken"]], [1, 1]);
    return `${last.kind}: ${last.reason}`;
  });
}
