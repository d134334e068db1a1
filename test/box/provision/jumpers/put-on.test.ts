import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Jumper } from "../../../../appliance/box/provision/jumpers/pins.ts";
import { jumpersPutOn } from "../../../../appliance/box/provision/jumpers/put-on.ts";
import { eachFolder } from "../../../helpers/folder.ts";

describe("jumpers that were put on", () => {
  const folder = eachFolder();
  const memory = () => join(folder(), "data/system/jumpers");
  const put = (...on: Jumper[]) => jumpersPutOn(folder(), new Set(on));
  beforeEach(() => mkdirSync(join(folder(), "data/system"), { recursive: true }));

  it("are those that the last start has not seen", () => {
    assert.deepEqual(put("reset"), []);
    assert.deepEqual(put("reset", "wifi"), ["wifi"]);
    assert.deepEqual(put(), []);
    assert.deepEqual(put("reset", "wifi"), ["wifi", "reset"]);
  });

  it("are none where the memory is damaged, and known from then on", () => {
    for (const text of [
      "",
      "\n",
      "nonsense",
      "wifi wifi",
      "reset,wifi",
      "none reset",
      "\0".repeat(9),
    ]) {
      writeFileSync(memory(), text);
      assert.deepEqual(put("reset"), [], JSON.stringify(text));
      assert.equal(readFileSync(memory(), "utf8"), "reset");
    }
  });

  it("are written to the card when they change, and no more often", () => {
    put("wifi");
    const { ino } = statSync(memory());
    put("wifi");
    assert.equal(statSync(memory()).ino, ino);
    put();
    assert.notEqual(statSync(memory()).ino, ino);
  });
});
