import assert from "node:assert/strict";
import { updatesOnBoard } from "../../../appliance/control/standing/update-standing.ts";
import type { UpdateView } from "../../../appliance/links/updates/view.ts";
import { FakeUpdates } from "../../helpers/updates.ts";

const NOW = Date.UTC(2026, 10, 23, 3, 0);
const HOUR = 3_600_000;
const NEXT = { release: 12, version: "0.3.0" };

const ready = (more: Partial<NonNullable<UpdateView["ready"]>> = {}): UpdateView["ready"] => ({
  ...NEXT,
  bytes: 2e8,
  notes: "",
  source: "network",
  state: "offered",
  failedBefore: false,
  isSkipped: false,
  ...more,
});
const last = (more: Partial<NonNullable<UpdateView["last"]>>): UpdateView["last"] => ({
  ...NEXT,
  kind: "updated",
  at: NOW / 1_000,
  reason: null,
  isSeen: false,
  ...more,
});

/** The text of a key, and its loudness; empty for none. */
function said(view: Partial<UpdateView>, now = NOW): string {
  const updates = new FakeUpdates();
  updates.show(view);
  const standing = updatesOnBoard(updates, { now: () => now }).standing();
  if (standing === undefined) return "";
  const { weight, top, main, bottom } = standing;
  return `${weight}: ${top}|${main}|${bottom}`;
}

describe("updates on the deck", () => {
  it("say nothing while there is nothing to say", () => {
    assert.equal(said({}), "");
    assert.equal(said({ ready: ready({ isSkipped: true }) }), "");
    assert.equal(said({ ready: ready({ failedBefore: true }) }), "");
    assert.equal(said({ last: last({ isSeen: true }) }), "");
  });

  it("go from what is ready to the restart", () => {
    const progress = { done: 1, of: 2 };
    assert.deepEqual(
      [
        said({ ready: ready() }),
        said({ ready: ready(), next: NEXT, progress: { ...progress, step: "download" } }),
        said({ ready: ready(), next: NEXT, progress: { ...progress, step: "read-back" } }),
        said({ ready: ready(), next: NEXT, restartsAt: NOW + HOUR }),
        said({ ready: ready(), next: NEXT, restartsAt: NOW + 60_000 }),
        said({ ready: ready(), next: NEXT, progress: { ...progress, step: "arm" } }),
        said({ mode: "trial", running: { ...NEXT, slot: "b" } }),
      ],
      [
        "hint: Update|0.3.0|ready",
        "hint: Update|0.3.0|is fetched",
        "hint: Update|0.3.0|is read back",
        "hint: Update|0.3.0|at 4",
        "news: Update|0.3.0|soon",
        "away: Updating|back in 2 min|",
        "news: Update|0.3.0|on trial",
      ],
    );
  });

  it("tell for an hour that all went well", () => {
    assert.equal(said({ last: last({}) }), "news: Updated|0.3.0|");
    assert.equal(said({ last: last({ kind: "back" }) }, NOW + HOUR), "news: Went back|0.3.0|");
    assert.equal(said({ last: last({}) }, NOW + HOUR + 1), "");
  });

  it("tell what went wrong until the owner has seen it", () => {
    const reason = "No address on eth0.";
    const failed = last({ kind: "failed", reason });
    assert.equal(
      said({ last: failed, ready: ready() }, NOW + 99 * HOUR),
      "warning: Went back|No address on eth0|",
    );
    assert.equal(
      said({ last: last({ kind: "interrupted" }) }),
      "warning: Update|0.3.0|interrupted",
    );
    const refused = last({ kind: "refused", reason: "This board cannot try an update." });
    assert.equal(
      said({ last: refused, ready: ready({ state: "prepared" }) }, NOW + 99 * HOUR),
      "warning: Not taken|This board cannot try an update|",
    );
    assert.equal(said({ mode: "visit", last: failed }), "warning: Visiting|0.2.0|");
  });

  it("say the same in sentences on the screen", () => {
    const updates = new FakeUpdates();
    const sentence = (view: Partial<UpdateView>) => {
      updates.show(view);
      return updatesOnBoard(updates, { now: () => NOW }).standing()?.sentence;
    };
    assert.equal(
      sentence({ next: NEXT, progress: { step: "restart", done: 0, of: 0 } }),
      "The box restarts into 0.3.0: back in about two minutes.",
    );
    assert.equal(
      sentence({ last: last({ kind: "failed", reason: "No address on eth0." }) }),
      "Went back from 0.3.0 to 0.2.0. No address on eth0.",
    );
    assert.equal(
      sentence({ last: last({ kind: "refused", reason: "This board cannot try an update." }) }),
      "0.3.0 was not taken. This board cannot try an update. To run it, make a backup and write its image to the card.",
    );
  });
});
