import assert from "node:assert/strict";
import { Fingers } from "../../../appliance/deck/hands/fingers.ts";
import { type Gesture, Gestures } from "../../../appliance/deck/hands/gestures.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

describe("what somebody does to a key", () => {
  const AT = { deck: "d", slot: "k1" };
  let clock: FakeClock;
  let fingers: Fingers;
  let gestures: Gestures;
  let holds: Set<string>;
  let told: string[];
  beforeEach(() => {
    clock = new FakeClock(1_000_000);
    fingers = new Fingers(clock);
    holds = new Set();
    told = [];
    gestures = new Gestures({
      clock,
      fingers,
      pageOf: () => 2,
      hasHold: ({ slot }) => holds.has(slot),
    });
    gestures.made.on(({ kind, slot, delta }) => told.push(`${kind} ${slot} ${delta ?? ""}`.trim()));
  });
  afterEach(() => {
    gestures.close();
    fingers.close();
    assert.equal(clock.timers, 0);
  });

  it("is a press at once", () => {
    fingers.key(AT, true);
    assert.deepEqual(told, ["press k1"]);
    clock.advance(4_000);
    fingers.key(AT, false);
    assert.deepEqual(told, ["press k1"]);
  });

  it("says where and when", () => {
    let made: Gesture | undefined;
    gestures.made.on((gesture) => {
      made = gesture;
    });
    fingers.tap(AT);
    assert.deepEqual(made, { ...AT, page: 2, kind: "press", at: 1_000_000 });
  });

  it("is a press when the finger goes, where the key can be held", () => {
    holds.add("k1");
    fingers.key(AT, true);
    clock.advance(499);
    assert.deepEqual(told, []);
    fingers.key(AT, false);
    assert.deepEqual(told, ["press k1"]);
  });

  it("is a hold after half a second, and then no press", () => {
    holds.add("k1");
    fingers.key(AT, true);
    clock.advance(500);
    assert.deepEqual(told, ["hold k1"]);
    fingers.key(AT, false);
    assert.deepEqual(told, ["hold k1"]);
  });

  it("is a press where the firmware tells nothing of a release", () => {
    holds.add("k1");
    fingers.tap(AT);
    clock.advance(1_000);
    assert.deepEqual(told, ["press k1"]);
  });

  it("is nothing when the deck goes away under the finger", () => {
    holds.add("k1");
    fingers.key(AT, true);
    fingers.lose("d");
    clock.advance(1_000);
    assert.deepEqual(told, []);
  });

  it("is a turn of a dial", () => {
    fingers.turned.emit({ deck: "d", slot: "d0", delta: -3 });
    assert.deepEqual(told, ["turn d0 -3"]);
  });

  it("goes on while the clock is set", () => {
    holds.add("k1");
    fingers.key(AT, true);
    clock.setWall(0);
    clock.advance(500);
    assert.deepEqual(told, ["hold k1"]);
  });

  it("is told apart for each of two keys", () => {
    holds.add("k1");
    fingers.key(AT, true);
    fingers.key({ deck: "d", slot: "k2" }, true);
    clock.advance(500);
    assert.deepEqual(told, ["press k2", "hold k1"]);
  });
});
