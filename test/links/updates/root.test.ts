import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RootRequests } from "../../../appliance/base/system/root-requests.ts";
import { RootUpdater } from "../../../appliance/links/updates/root.ts";
import { eachFolder } from "../../helpers/folder.ts";

const TOLD = {
  running: { release: 11, version: "0.2.0", slot: "a" },
  mode: "normal",
  offers: [],
  failed: [],
};

describe("What root tells of updates", () => {
  const folder = eachFolder();
  const told = (text: string) => {
    writeFileSync(join(folder(), "state.json"), text);
    return new RootUpdater(new RootRequests(folder())).state();
  };

  it("is read, whatever later releases add to it", () => {
    assert.deepEqual(told(JSON.stringify({ ...TOLD, more: 1 })), { ...TOLD, more: 1 });
  });

  it("is nothing before it has told", () => {
    assert.equal(new RootUpdater(new RootRequests(folder())).state(), undefined);
  });

  for (const [what, text] of [
    ["half of it", JSON.stringify(TOLD).slice(0, 40)],
    ["a flood", JSON.stringify({ ...TOLD, problem: "x".repeat(100_000) })],
    ["another slot", JSON.stringify({ ...TOLD, running: { ...TOLD.running, slot: "c" } })],
    ["no release", JSON.stringify({ ...TOLD, running: { ...TOLD.running, release: "11" } })],
    ["a step that is none", JSON.stringify({ ...TOLD, work: { step: "x" } })],
  ] as const)
    it(`is nothing in ${what}`, () => {
      assert.equal(told(text), undefined);
    });

  it("is asked by files that have the number", async () => {
    mkdirSync(join(folder(), "asked"));
    const root = new RootUpdater(new RootRequests(folder()));
    await root.request("prepare", 12);
    await root.request("rollback");
    assert.deepEqual(root.pending(), ["prepare", "rollback"]);
    const file = join(folder(), "asked", "prepare");
    assert.equal(readFileSync(file, "utf8"), "12");
    rmSync(file);
    assert.deepEqual(root.pending(), ["rollback"]);
  });
});
