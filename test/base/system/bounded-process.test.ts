import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runBounded } from "../../../appliance/base/system/bounded-process.ts";
import { eachFolder } from "../../helpers/folder.ts";

const MODULE = new URL("../../../appliance/base/system/bounded-process.ts", import.meta.url);

describe("a bounded program", () => {
  const folder = eachFolder();

  it("ends without a word where no descriptor is left for its pipes", () => {
    const file = join(folder(), "starts.mts");
    writeFileSync(
      file,
      `import { openSync } from "node:fs";
      import { runBounded } from ${JSON.stringify(MODULE.href)};
      try { for (;;) openSync("/dev/null", "r"); } catch {}
      const bounds = { values: [], env: {}, heapMb: 32, niceness: 0, patienceMs: 100 };
      const { out, err, ended } = runBounded("/nowhere.ts", [], bounds);
      for (const stream of [out, err]) stream.on("data", () => process.exit(3));
      console.log(JSON.stringify(await ended));`,
    );
    const command = ["-c", 'ulimit -n 64; exec "$@"', "bash", process.execPath, file];
    const said = execFileSync("bash", command, { encoding: "utf8" });
    assert.deepEqual(JSON.parse(said), { code: null, isTooLarge: false });
  });

  it("ends when it is killed, also where its output was read in part", async () => {
    const file = join(folder(), "talks.mts");
    writeFileSync(file, 'process.stdout.write("x".repeat(1_000_000));');
    const bounds = { values: [], env: {}, heapMb: 32, niceness: 0, patienceMs: 60_000 };
    const { out, ended, kill } = runBounded(file, [], bounds);
    await out[Symbol.asyncIterator]().next();
    kill();
    assert.deepEqual(await ended, { code: null, isTooLarge: false });
  });
});
