import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checks } from "../../image/test/checks.ts";
import { NotJudged, refuseSlow, waitedShare } from "../../image/test/slow-guest.ts";
import { eachFolder } from "../helpers/folder.ts";

/** The journal of a guest beside programs that took the host's processors. */
const GIVEN_UP = `iwd.service: start operation timed out. Terminating.
iwd.service: Failed with result 'timeout'.
Failed to start iwd.service - Wireless service.`;

describe("a slow guest", () => {
  it("is not judged by what systemd gave up", () => {
    assert.throws(() => refuseSlow(GIVEN_UP, 0.7), {
      constructor: NotJudged,
      message: /waited 70 % of its time .*\niwd\.service: start operation timed out/,
    });
    for (const line of [
      "dev-disk-by\\x2dlabel-data.device: Job dev-disk-by\\x2dlabel-data.device/start timed out.",
      "Timed out waiting for device data.device.",
    ])
      assert.throws(() => refuseSlow(line, 0.7), NotJudged);
  });

  it("is judged by all else", () => {
    refuseSlow("iwd.service: Failed with result 'exit-code'.", 0.7);
    refuseSlow("", 0.9);
  });

  it("is judged by it, too, where it had its time", () => {
    refuseSlow(GIVEN_UP, 0.1);
  });

  const folder = eachFolder();

  it("is known by how long its processors waited for those of the host", () => {
    for (const [task, stat] of [
      ["10", "2000000 1000000 5"],
      ["11", "1000000 5000000 9"],
    ] as const) {
      mkdirSync(join(folder(), "10/task", task), { recursive: true });
      writeFileSync(join(folder(), "10/task", task, "schedstat"), `${stat}\n`);
    }
    assert.equal(waitedShare(10, folder()), 2 / 3);
    const own = waitedShare(process.pid);
    assert.ok(own > 0 && own < 1, String(own));
  });
});

describe("a check that says nothing of the image", () => {
  const lines: string[] = [];
  const { log } = console;
  beforeEach(() => {
    lines.length = 0;
    console.log = (line: string) => lines.push(line);
  });
  afterEach(() => {
    console.log = log;
  });

  it("has neither passed nor failed, and is to be tried again", async () => {
    const checks = new Checks();
    await checks.check("starts", async () => {});
    assert.equal(
      await checks.check("is clean", async () => {
        throw new NotJudged("slow");
      }),
      false,
    );
    assert.equal(checks.close(), 75);
    assert.match(
      lines.join("\n"),
      /not judged is clean .*\n {6}slow\n1 passed, 0 failed, 1 not judged/,
    );
  });

  it("does not hide one that failed", async () => {
    const checks = new Checks();
    await checks.check("is clean", async () => {
      throw new NotJudged("slow");
    });
    await checks.check("starts", async () => {
      throw new Error("no");
    });
    assert.equal(checks.close(), 1);
  });
});
