import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ARM = join(import.meta.dirname, "../../firmware-config/system/usr/lib/tallydeck/arm");

describe("arming a board for a trial", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-arm-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const arm = () => {
    const { status, stderr } = spawnSync(ARM, {
      encoding: "utf8",
      env: { ...process.env, PARAMETER: join(folder, "tryboot"), PORT: join(folder, "port") },
    });
    return { status, said: stderr };
  };

  it("succeeds when the board says that it will try", () => {
    writeFileSync(join(folder, "tryboot"), "0\n");
    assert.deepEqual(arm(), { status: 0, said: "" });
    assert.equal(readFileSync(join(folder, "tryboot"), "utf8"), "1\n");
  });

  it("fails with one sentence where the board takes the wish and does not keep it", () => {
    // Writing there has no effect, and reading returns nothing.
    spawnSync("ln", ["-s", "/dev/null", join(folder, "tryboot")]);
    assert.deepEqual(arm(), { status: 1, said: "This board cannot try an update.\n" });
  });

  it("takes the wish back where the board's answer is another", () => {
    const board =
      'mkfifo "$0"; { read -r wish <"$0"; echo 0 >"$0"; read -r last <"$0"; echo "$wish, then $last"; } & ';
    const { stdout } = spawnSync(
      "sh",
      ["-c", `${board} "$1" 2>&1; echo nothing 1<>"$0"; wait`, join(folder, "tryboot"), ARM],
      {
        encoding: "utf8",
        env: { ...process.env, PARAMETER: join(folder, "tryboot"), PORT: join(folder, "port") },
      },
    );
    assert.match(stdout, /^1, then 0$/m);
    assert.match(stdout, /^This board cannot try an update\.$/m);
  });

  it("fails with the same sentence where there is nothing to ask", () => {
    assert.deepEqual(arm(), { status: 1, said: "This board cannot try an update.\n" });
  });
});
