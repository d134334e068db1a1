import assert from "node:assert/strict";
import type { Release, Slot } from "../../../appliance/base/release/release.ts";
import {
  type BundleOffer,
  type BundleSource,
  STATE_FILE,
  UPDATER_REQUESTS,
  type UpdaterRequest,
  type UpdaterState,
  type UpdaterWork,
} from "../../../appliance/base/release/updater-state.ts";
import type { UpdateOutcome } from "../../../appliance/base/text/update-outcome.ts";

describe("What the updater tells", () => {
  it("survives being written as JSON", () => {
    const to: Release = { release: 12, version: "0.3.0" };
    const slot: Slot = "a";
    const source: BundleSource = "stick";
    const offer: BundleOffer = { ...to, source, bytes: 200_000_000, notes: "" };
    const work: UpdaterWork = { step: "write", to, done: 1, of: 2 };
    const last: UpdateOutcome = { kind: "failed", ...to, at: 1, reason: "No address on eth0." };
    const running = { release: 11, version: "0.2.0", slot };
    const told: UpdaterState = {
      running,
      mode: "normal",
      offers: [offer],
      work,
      last,
      failed: [12],
    };
    assert.deepEqual(JSON.parse(JSON.stringify(told)), told);
    assert.equal(STATE_FILE, "state.json");
  });

  it("is asked for by names that are files", () => {
    const names: readonly UpdaterRequest[] = UPDATER_REQUESTS;
    for (const name of names) assert.match(name, /^[a-z]+$/);
  });
});
