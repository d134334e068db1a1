import assert from "node:assert/strict";
import type { Release, Slot } from "../../appliance/release/release.ts";
import {
  ASKS,
  type Ask,
  type Offer,
  type Outcome,
  type Source,
  TOLD_FILE,
  type Told,
  type Work,
} from "../../appliance/release/told.ts";

describe("What the updater tells", () => {
  it("survives being written as JSON", () => {
    const to: Release = { release: 12, version: "0.3.0" };
    const slot: Slot = "a";
    const source: Source = "stick";
    const offer: Offer = { ...to, source, bytes: 200_000_000, notes: "" };
    const work: Work = { step: "write", to, done: 1, of: 2 };
    const last: Outcome = { kind: "failed", to, at: 1, reason: "No address on eth0." };
    const running = { release: 11, version: "0.2.0", slot };
    const told: Told = { running, mode: "normal", offers: [offer], work, last, failed: [12] };
    assert.deepEqual(JSON.parse(JSON.stringify(told)), told);
    assert.equal(TOLD_FILE, "state.json");
  });

  it("is asked for by names that are files", () => {
    const names: readonly Ask[] = ASKS;
    for (const name of names) assert.match(name, /^[a-z]+$/);
  });
});
