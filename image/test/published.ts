import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../appliance/base/release/manifest.ts";
import { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { takeOver } from "./owner.ts";
import { Pi } from "./pi.ts";
import { trustClock } from "./starts.ts";
import { boxOf, install, isKept, SHORT, says, upload } from "./update-run.ts";

/** No release is made for QEMU's own board: its device tree says that it is this one. */
const BOARD = ["raspberrypi,4-model-b", "brcm,bcm2711"];

interface Published {
  /** The folder that image/release made and image/sign signed. */
  readonly folder: string;
  readonly work: string;
}

/** A box with an earlier image of the same keys gets a release as its owner does: by its one file. */
export async function checkRelease(
  checks: Checks,
  image: string,
  { folder, work }: Published,
): Promise<void> {
  console.log(`# the release in ${folder}`);
  const { release, version } = JSON.parse(
    readFileSync(join(folder, "manifest.json"), "utf8"),
  ) as Manifest;
  const name = readdirSync(folder).find((each) => each.endsWith(".tallydeck"));
  assert.ok(name, `${folder} has no .tallydeck: image/sign makes it`);
  const next = { release, version, file: join(folder, name) };
  await using pi = new Pi(new Card(image, work));
  pi.card.boot.write("tallydeck.env", "SITES=blog\r\nTRUSTED_PROXIES=10.0.2.2\r\n");
  const options = { ...SHORT, board: BOARD };
  let token = "";

  await checks.check(
    "takes it by the key that its image carries, and restarts for it",
    async () => {
      const box = await boxOf(await pi.plugIn(options));
      token = await takeOver(box);
      assert.equal((await box.view("/before")).status, 200);
      await trustClock(box);
      const { release: before } = await says(box, "its release", (view) => view.running);
      assert.ok(before < release, `the image is release ${before}`);
      await upload(box, next);
      await install(pi, box, next);
    },
  );
  await checks.check("keeps it, and what was counted before", async () => {
    const box = await boxOf(await pi.goOn(options), token);
    await isKept(box, next, "b");
    assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
    const { text } = await box.machine.shell.run(
      "tallydeck version; systemctl --failed --no-legend",
    );
    assert.match(text, new RegExp(version.replaceAll(".", "\\.")));
    await box.machine.shutDown();
    return text;
  });
}
