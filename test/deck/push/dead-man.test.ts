import assert from "node:assert/strict";
import { MINUTE, SECOND, WatchingBox, WEEK } from "../../helpers/watching-box.ts";

describe("a dead-man's channel", () => {
  let box: WatchingBox;
  beforeEach(async () => {
    box = await WatchingBox.start();
  });

  const watch = { period: 600, grace: 120 };

  it("is up, late after its period, and down after its grace, each told once", () => {
    box.push(watch);
    box.clock.advance(600 * SECOND - 1);
    assert.equal(box.state(), "up");
    box.clock.advance(1);
    assert.equal(box.state(), "late");
    box.clock.advance(120 * SECOND - 1);
    assert.equal(box.state(), "late");
    box.clock.advance(1);
    assert.equal(box.state(), "down");
    box.clock.advance(WEEK);
    assert.deepEqual(box.steps, ["backup waiting→up", "backup up→late!", "backup late→down!"]);
  });

  it("is up again with any push, which says nothing of the period", () => {
    box.push(watch);
    box.clock.advance(720 * SECOND);
    box.push();
    assert.equal(box.state(), "up");
    box.clock.advance(600 * SECOND);
    assert.equal(box.state(), "late");
  });

  it("stays past the usual ten minutes, and shows what it was told", () => {
    box.push({ period: 86_400 });
    box.clock.advance(86_399 * SECOND);
    const { text, expiresAt, period, grace } = box.channels.get("backup") ?? {};
    assert.deepEqual(
      { text, expiresAt, period, grace },
      {
        text: "ok",
        expiresAt: null,
        period: 86_400,
        grace: 17_280,
      },
    );
  });

  it("is watched no more with a period of 0", () => {
    box.push(watch);
    box.push({ period: 0 });
    assert.equal(box.state(), "live");
    assert.equal(box.channels.get("backup")?.period, undefined);
  });

  it("has a minute of grace at least, a fifth of long periods, or what is said", () => {
    for (const [given, grace] of [
      [{ period: 10 }, 60],
      [{ period: 3_600 }, 720],
      [{ period: 10, grace: 1 }, 1],
      [{ grace: 30 }, 30],
    ] as const) {
      box.push(given);
      assert.equal(box.channels.get("backup")?.grace, grace);
    }
  });

  it("refuses a grace without a period", () => {
    assert.throws(() => box.push({ grace: 60 }), { code: "invalid_field", field: "grace" });
    assert.equal(box.state(), undefined);
  });

  it("refuses a text that expires before it is down, and drops one that does later", () => {
    assert.throws(() => box.push({ ...watch, ttl: 719 }), { code: "invalid_field", field: "ttl" });
    assert.equal(box.state(), undefined);
    box.push({ ...watch, ttl: 720 });
    assert.throws(() => box.push({ ttl: 719 }), { field: "ttl" });
    box.clock.advance(720 * SECOND);
    assert.deepEqual([box.state(), box.channels.get("backup")?.text], ["down", ""]);
  });

  it("is down at once when the sender says it failed, and up when it did not", () => {
    box.push({ ...watch, status: "fail" });
    assert.equal(box.state(), "down");
    box.push({ status: "warn" });
    assert.deepEqual([box.state(), box.channels.get("backup")?.status], ["up", "warn"]);
  });

  it("is down when a run that began does not end within the grace", () => {
    box.push({ ...watch, status: "start" });
    box.clock.advance(120 * SECOND - 1);
    assert.equal(box.state(), "up");
    box.clock.advance(1);
    assert.equal(box.state(), "down");
    assert.deepEqual(box.steps, ["backup waiting→up", "backup up→down!"]);
  });

  it("is down when runs begin time after time, and none ends", () => {
    for (const goodBefore of [true, false]) {
      box.channels.clear("backup");
      box.push({ ...watch, status: goodBefore ? "ok" : "start" });
      for (let n = 0; n < 8; n++) {
        box.clock.advance(89 * SECOND);
        assert.equal(box.state(), "up");
        box.push({ status: "start" });
      }
      box.clock.advance(8 * SECOND);
      assert.equal(box.state(), "down", `720 s after the first, ${goodBefore}`);
    }
  });

  it("that is down, for whatever reason, stays so and seen when a run begins, until it ends", () => {
    const reasons = [
      () => box.push({ ...watch, status: "fail", id: "disk" }),
      () => {
        box.push({ ...watch, id: "disk" });
        box.clock.advance(720 * SECOND);
      },
      () => {
        box.push({ ...watch, status: "start", id: "disk" });
        box.clock.advance(120 * SECOND);
      },
    ];
    for (const fall of reasons) {
      fall();
      box.channels.acknowledge("backup", { by: "owner" });
      const seen = box.channels.get("backup")?.ack;
      const told = box.steps.length;
      box.push({ status: "start" });
      box.clock.advance(MINUTE);
      box.push({ status: "start" });
      assert.deepEqual([box.state(), box.channels.get("backup")?.ack], ["down", seen]);
      assert.equal(box.steps.length, told);
      box.push();
      assert.equal(box.state(), "up");
    }
  });

  it("can be declared before it is heard of, and is not late then", () => {
    box.channels.watch("backup", watch);
    assert.equal(box.state(), "new");
    box.clock.advance(WEEK);
    assert.equal(box.state(), "new");
    box.push();
    box.clock.advance(600 * SECOND);
    assert.equal(box.state(), "late");
  });

  it("cannot be declared without a period", () => {
    for (const change of [{}, { paused: true }, { period: 0 }])
      assert.throws(() => box.channels.watch("backup", change), { code: "invalid_field" });
    assert.deepEqual(box.channels.list(), []);
  });

  it("makes no step while it is paused, and is new when it is resumed", () => {
    box.push(watch);
    box.channels.watch("backup", { paused: true });
    box.clock.advance(WEEK);
    assert.equal(box.state(), "paused");
    box.channels.watch("backup", { paused: false });
    assert.equal(box.state(), "new");
    assert.deepEqual(box.steps.slice(1), ["backup up→paused", "backup paused→new"]);
  });

  it("is paused no more with any push", () => {
    box.push(watch);
    box.channels.watch("backup", { paused: true });
    box.push();
    assert.equal(box.state(), "up");
  });

  it("that is down can be seen to, but only a push brings it up", () => {
    box.push(watch);
    box.clock.advance(600 * SECOND);
    assert.equal(box.channels.acknowledge("backup", { by: "owner" }), false);
    box.clock.advance(120 * SECOND);
    assert.equal(box.channels.acknowledge("backup", { by: "key", deck: "d", slot: "k1" }), true);
    const at = box.clock.now();
    box.clock.advance(WEEK);
    assert.equal(box.state(), "down");
    assert.deepEqual(box.channels.get("backup")?.ack, { by: "key", deck: "d", slot: "k1", at });
    box.push({ status: "fail" });
    assert.equal(box.channels.get("backup")?.ack?.at, at);
    box.push();
    assert.deepEqual([box.state(), box.channels.get("backup")?.ack], ["up", undefined]);
  });

  it("that is down is news again when it is for another reason", () => {
    box.push({ ...watch, status: "fail", id: "disk" });
    box.channels.acknowledge("backup", { by: "owner" });
    box.push({ status: "fail", id: "network" });
    assert.equal(box.channels.get("backup")?.ack, undefined);
    assert.equal(box.steps.at(-1), "backup down→down!");
  });

  it("is watched by a ping, a day long unless it is already", () => {
    box.channels.ping("cron", { status: "ok" });
    assert.deepEqual(
      [box.channels.get("cron")?.period, box.channels.get("cron")?.grace],
      [86_400, 3_600],
    );
    box.push({ ...watch, background: "#14532d" });
    box.channels.ping("backup", { status: "fail", text: "disk full" });
    box.channels.ping("backup", { status: "ok", text: "3 GB" });
    box.channels.ping("backup", { status: "ok" });
    const { text, background, period, status } = box.channels.get("backup") ?? {};
    assert.deepEqual(
      { text, background, period, status },
      {
        text: "3 GB",
        background: "#14532d",
        period: 600,
        status: "ok",
      },
    );
  });

  it("holds one of the 64 places, down or not", () => {
    for (let n = 0; n < 64; n++) box.channels.set(`c${n}`, { text: "", period: 10 });
    box.clock.advance(WEEK);
    assert.throws(() => box.push(), { code: "channel_limit" });
  });

  it("is late after 40 days, which is more than a timer counts", () => {
    box.push({ period: 40 * 86_400 });
    box.clock.advance(40 * 86_400 * SECOND);
    assert.deepEqual(box.steps.slice(1), ["backup up→late!"]);
  });
});
