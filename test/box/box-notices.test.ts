import assert from "node:assert/strict";
import { createLog, RecentProblems } from "../../appliance/base/log.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { BoxNotices } from "../../appliance/box/box-notices.ts";
import { FakeClock } from "../helpers/fake-clock.ts";

type Parts = ConstructorParameters<typeof BoxNotices>[0];

/** The board of a box that is up at 192.0.2.7. */
function boardOf(more: Partial<Parts>): BoxNotices {
  const board = new BoxNotices({
    clock: new FakeClock(),
    log: createLog(() => {}),
    code: { shown: undefined, changed: new Signal() },
    isOpen: () => true,
    network: { addresses: () => ["192.0.2.7"], name: () => undefined },
    timeOf: () => "14:05",
    console: () => {},
    ...more,
  });
  board.ready({ address: "0.0.0.0", port: 3_000 });
  return board;
}

describe("the board of a box with a public address", () => {
  it("tells decks of it only while something is wrong", () => {
    const changed = new Signal();
    let state: "live" | "working" | "warning" | "wrong" = "working";
    const standing = { name: "a.example", words: "port closed", sentence: "", reachedAt: null };
    const board = boardOf({ publicAddress: { standing: () => ({ ...standing, state }), changed } });
    let told = 0;
    board.changed.on(() => {
      told += 1;
    });
    assert.deepEqual(board.notices(), []);
    state = "wrong";
    changed.emit();
    assert.deepEqual(board.notices(), [{ type: "public-address", words: "port closed" }]);
    state = "live";
    changed.emit();
    assert.deepEqual([told, board.notices()], [2, []]);
    board.close();
  });
});

describe("the board of a box whose storage fails", () => {
  it("tells decks within five seconds, and that it is well again", () => {
    const clock = new FakeClock();
    let state: "full" | "stuck" | undefined;
    const board = boardOf({ clock, storage: () => state });
    const told: unknown[] = [];
    board.changed.on(() => told.push(board.notices()));
    for (const next of ["full", "stuck", undefined] as const) {
      state = next;
      clock.advance(5_000);
      clock.advance(5_000);
    }
    assert.deepEqual(told, [
      [{ type: "storage", state: "full" }],
      [{ type: "storage", state: "stuck" }],
      [],
    ]);
    board.close();
  });
});

describe("the board of a box that updates itself", () => {
  it("tells decks how that stands, for as long as there is something to say", () => {
    const changed = new Signal();
    const clock = new FakeClock();
    const words = {
      weight: "news",
      top: "Update",
      main: "0.3.0",
      bottom: "on trial",
      sentence: "",
    } as const;
    let standing: typeof words | undefined = words;
    const board = boardOf({ clock, updates: { standing: () => standing, changed } });
    const told: unknown[] = [board.notices()];
    board.changed.on(() => told.push(board.notices()));
    standing = undefined;
    changed.emit();
    // Some of it ends by itself, an hour later.
    standing = words;
    clock.advance(10_000);
    const notice = { type: "update", ...words };
    assert.deepEqual(told, [[notice], [], [notice]]);
    board.close();
  });
});

describe("the board of a machine that cannot read its addresses", () => {
  const outOfDescriptors = Object.assign(new Error("EMFILE"), { code: "EMFILE" });

  it("keeps the one it knows, says so once, and looks again", () => {
    const clock = new FakeClock();
    const problems = new RecentProblems();
    let addresses = () => ["192.0.2.7"];
    const board = boardOf({
      clock,
      log: createLog(() => {}, problems),
      isOpen: () => false,
      network: { addresses: () => addresses(), name: () => undefined },
    });
    addresses = () => {
      throw outOfDescriptors;
    };
    clock.advance(60_000);
    assert.equal(board.address(), "http://192.0.2.7:3000/");
    assert.equal(problems.list().length, 1);
    addresses = () => ["192.0.2.8"];
    clock.advance(5_000);
    assert.equal(board.address(), "http://192.0.2.8:3000/");
    board.close();
  });
});
