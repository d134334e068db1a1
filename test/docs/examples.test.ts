import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { CONTROL_PORT, urlOf } from "../../appliance/base/ports.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Owner } from "../helpers/owner.ts";
import { ADMIN, eachWorld } from "../helpers/world.ts";

/** Ten seconds a page: each command of it is run as it is written. */

const ROOT = join(import.meta.dirname, "../..");
const BLOCK = /^```(sh|json)\n(.*?)^```$/gms;

describe("the examples of the documentation", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2" } });
  const folder = eachFolder();

  /** Runs commands as somebody types them who has a `tallydeck` and follows the page. */
  const typing = async () => {
    const owner = new Owner(world());
    const widget = { type: "push", channel: "build" };
    await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k0", { widget });
    const collector = world().origin;
    const control = urlOf("127.0.0.1", world().service.control.port);
    const env = {
      PATH: `${folder()}${delimiter}${process.env.PATH}`,
      DATA_DIR: world().dataDir,
      TOKEN: ADMIN,
      ADMIN_TOKEN: ADMIN,
      TALLYDECK_PUSH_TOKEN: (await owner.makePushToken()).token,
    };
    const main = join(ROOT, "appliance/main.ts");
    writeFileSync(
      join(folder(), "tallydeck"),
      `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`,
      { mode: 0o755 },
    );
    return async (commands: string) => {
      const here = commands
        .replaceAll(urlOf("tallydeck.local", CONTROL_PORT), control)
        .replaceAll("http://tallydeck.local", collector);
      const { stdout } = await promisify(execFile)("sh", ["-e", "-c", here], {
        cwd: folder(),
        env,
      });
      return stdout;
    };
  };

  for (const page of ["collector-api.md", "push-api.md", "home-automation.md"])
    it(`run, and are answered as docs/${page} says`, async () => {
      const type = await typing();
      const text = readFileSync(join(ROOT, "docs", page), "utf8");
      let answer = "";
      const blocks = [...text.matchAll(BLOCK)];
      assert.notEqual(blocks.length, 0);
      for (const [, language, block = ""] of blocks) {
        if (language === "sh") answer = await type(block);
        else assert.deepEqual(JSON.parse(answer), JSON.parse(block));
      }
    });
});
