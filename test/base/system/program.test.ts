import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  askProgram,
  askSoon,
  commandLine,
  runProgram,
  startProgram,
} from "../../../appliance/base/system/program.ts";

const VERSION = /\d+\.\d+/;

describe("a program that is given a value from elsewhere", () => {
  it("takes it for no option, however it is started", async () => {
    assert.match(askProgram("ls", ["--version"]), VERSION);
    assert.throws(() => askProgram("ls", ["-d"], ["--version"]));
    assert.throws(() => runProgram("ls", ["-d"], ["--version"]));
    await assert.rejects(askSoon("ls", ["-d"], { values: ["--version"], timeoutMs: 60_000 }));
    let said = "";
    for await (const chunk of startProgram("ls", ["-d"], ["--version"]).stdout)
      said += String(chunk);
    assert.equal(said, "");
  });

  it("knows where its options end, whichever of ours it is", () => {
    // `hostname`, which does, too, would give this machine another name.
    for (const own of [["mount"], ["fstrim"], ["flock"], ["busctl"], ["systemctl", "show"]]) {
      const { stdout } = spawnSync("env", commandLine(own, ["--version"]), { encoding: "utf8" });
      assert.doesNotMatch(stdout, VERSION, own[0]);
    }
  });
});

describe("the words of a program", () => {
  it("have values last, behind two dashes", () => {
    assert.deepEqual(commandLine(["-d"]), ["-d"]);
    assert.deepEqual(commandLine(["-d"], ["--", "-x"]), ["-d", "--", "--", "-x"]);
  });
});
