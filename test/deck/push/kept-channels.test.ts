import assert from "node:assert/strict";
import type { KeptChannel } from "../../../appliance/deck/push/kept-channels.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { MINUTE, SECOND, WatchingBox, WEEK } from "../../helpers/watching-box.ts";

describe("a dead-man's channel that is kept", () => {
  let box: WatchingBox;
  beforeEach(async () => {
    box = await WatchingBox.start();
  });

  const watch = { period: 600, grace: 120 };

  describe("after a restart", () => {
    it("is as it was, with its text and colours, and is told nothing twice", async () => {
      box.push({ ...watch, color: "#ff0000", wake: true });
      box.clock.advance(720 * SECOND);
      box.channels.acknowledge("backup", { by: "owner" });
      const before = box.channels.get("backup");
      assert.equal(before?.wake, true);
      await box.restart();
      assert.deepEqual(box.channels.get("backup"), before);
      box.clock.advance(WEEK);
      assert.deepEqual(box.steps, []);
    });

    it("has one grace to be heard of, however long the box was off", async () => {
      box.push(watch);
      await box.restart(WEEK);
      box.clock.advance(120 * SECOND - 1);
      assert.equal(box.state(), "up");
      box.clock.advance(1);
      assert.deepEqual(box.steps, ["backup up→down!"]);
    });

    it("is no step further when it is heard of within the grace", async () => {
      box.push(watch);
      await box.restart(WEEK);
      box.clock.advance(60 * SECOND);
      box.push();
      box.clock.advance(600 * SECOND - 1);
      assert.deepEqual([box.state(), box.steps], ["up", []]);
    });

    it("is no step further when a run begins within the grace, and knows when it began", async () => {
      box.push(watch);
      await box.restart(WEEK);
      box.push({ status: "start" });
      assert.deepEqual([box.state(), box.steps], ["up", []]);
      await box.restart(60 * SECOND);
      box.clock.advance(120 * SECOND);
      assert.equal(box.state(), "down");
    });

    it("is read well as an earlier version has kept it", async () => {
      box.push({ ...watch, status: "start" });
      await box.channels.close();
      const { started, ...kept } = (await box.documents.list())[0]?.body ?? assert.fail();
      assert.equal(started, kept.heard);
      box.documents.kept.set("backup", { body: kept as KeptChannel });
      await box.restart();
      box.documents.kept.set("backup", { body: kept as KeptChannel });
      await box.open();
      box.clock.advance(120 * SECOND);
      assert.equal(box.state(), "down");
      box.push();
      assert.equal(box.state(), "up");
    });

    it("is not down for a ping that came just before the power was cut", async () => {
      for (const period of [120, 600, 86_400]) {
        box.channels.ping("backup", { status: "ok", period, grace: 60 });
        await box.stored();
        box.clock.advance((period - 1) * SECOND);
        box.channels.ping("backup", { status: "ok" });
        await box.stored();
        box.clock = new FakeClock(box.clock.now(), { boot: "b2" });
        await box.open();
        box.clock.advance(61 * SECOND);
        assert.equal(box.state(), "up", `${period}`);
      }
    });

    it("is down at once when its sender says so", async () => {
      box.push(watch);
      await box.restart();
      box.push({ status: "fail" });
      assert.equal(box.state(), "down");
    });

    for (const wrong of ["2026-01-01T00:00:00Z", "2026-12-01T00:00:00Z"])
      it(`makes no step while the clock is unsure, and says ${wrong.slice(0, 10)}`, async () => {
        box.push(watch);
        const pushedAt = box.clock.now();
        await box.restart(0, new FakeClock(wrong, { sure: false, boot: "b2" }));
        box.clock.advance(WEEK);
        assert.deepEqual([box.state(), box.steps], ["up", []]);
        box.clock.becomeSure(pushedAt + 650 * SECOND);
        assert.deepEqual(
          [box.steps, box.channels.get("backup")?.updatedAt],
          [["backup up→late!"], pushedAt],
        );
        box.clock.advance(70 * SECOND);
        assert.equal(box.state(), "down");
      });

    it("counts a push of an unsure time as one of the time it was", async () => {
      await box.restart(0, new FakeClock("2026-01-01T00:00:00Z", { sure: false, boot: "b2" }));
      box.push(watch);
      box.clock.advance(60 * SECOND);
      box.clock.becomeSure("2026-05-01T12:01:00Z");
      await box.channels.close();
      assert.equal(box.documents.kept.get("backup")?.body.heard, Date.UTC(2026, 4, 1, 12));
    });

    it("is as just heard of when the clock was ahead before", async () => {
      box.push(watch);
      await box.restart(-WEEK);
      box.clock.advance(600 * SECOND);
      assert.equal(box.state(), "late");
    });

    it("is not there any more when it was cleared, or is watched no more", async () => {
      box.push(watch);
      box.channels.set("other", { text: "x", period: 60 });
      box.channels.clear("backup");
      box.channels.set("other", { text: "x", period: 0 });
      await box.restart();
      assert.deepEqual(box.channels.list(), []);
    });
  });

  it("is stored at once, and a second later what follows in that second", async () => {
    box.push(watch);
    assert.equal(await box.stored(), 1);
    box.clock.advance(SECOND);
    box.push({ text: "next" });
    assert.equal(await box.stored(), 2);
    for (let n = 0; n < 30; n++) {
      box.clock.advance(10);
      box.push({ text: `${n}` });
    }
    assert.equal(await box.stored(), 2);
    box.clock.advance(SECOND);
    assert.equal(await box.stored(), 3);
    assert.equal(box.documents.kept.get("backup")?.body.text, "29");
    box.push({ status: "fail" });
    assert.equal(await box.stored(), 4);
  });

  it("with a period below a minute is stored within half of it", async () => {
    box.push({ period: 10 });
    assert.equal(await box.stored(), 1);
    for (let n = 0; n < 50; n++) {
      box.push({ text: `${n}` });
      box.clock.advance(200);
      await box.stored();
    }
    assert.equal(await box.stored(), 3);
    assert.equal(box.documents.kept.get("backup")?.body.text, "49");
  });

  it("is stored later when it could not be, and in the end at the latest", async () => {
    box.documents.fault = new Error("no room");
    box.push(watch);
    await new Promise(setImmediate);
    box.documents.fault = undefined;
    box.clock.advance(MINUTE);
    await new Promise(setImmediate);
    assert.deepEqual([...box.documents.kept.keys()], ["backup"]);
    box.push({ text: "the last" });
    await box.channels.close();
    assert.equal(box.documents.kept.get("backup")?.body.text, "the last");
  });

  it("follows over a week from its pushes and the time alone", async () => {
    const { below, pick } = seeded(TEST_SEED);
    const names = ["a", "b", "c"] as const;
    interface Pushed {
      heard: number;
      started: number | undefined;
      status: string;
      period: number;
      grace: number;
    }
    const last = new Map<string, Pushed>();
    const told = new Map<string, string>();
    const listen = () =>
      box.channels.stepped.on(({ channel, from, to }) => {
        assert.equal(told.get(channel) ?? "waiting", from, `seed ${TEST_SEED}`);
        told.set(channel, to);
      });
    listen();
    const expected = (name: string): string | undefined => {
      const pushed = last.get(name);
      if (pushed === undefined) return undefined;
      const { heard, started, status, period, grace } = pushed;
      const age = (box.clock.now() - heard) / SECOND;
      if (status === "fail" || age >= period + grace) return "down";
      if (started !== undefined)
        return (box.clock.now() - started) / SECOND < grace ? "up" : "down";
      return age < period ? "up" : "late";
    };
    const end = box.clock.now() + WEEK;
    let heldBackUntil = 0;
    while (box.clock.now() < end) {
      const name = pick(names);
      switch (below(12)) {
        case 0: {
          const off = below(10_000) * SECOND;
          await box.restart(off);
          listen();
          heldBackUntil = box.clock.now() + 600 * SECOND;
          break;
        }
        case 1:
          box.channels.acknowledge(name, { by: "mqtt" });
          break;
        default: {
          const known = last.get(name);
          const status = pick(["ok", "ok", "ok", "warn", "fail", "start"] as const);
          const isSame = known !== undefined && below(2) === 0;
          const period = isSame ? known.period : 10 + below(6_000);
          const grace = isSame ? known.grace : 1 + below(600);
          const now = box.clock.now();
          const next =
            status !== "start"
              ? { heard: now, started: undefined, status }
              : known !== undefined && told.get(name) === "down"
                ? { ...known, started: known.started ?? now }
                : { heard: known?.heard ?? now, started: now, status };
          box.channels.set(name, { text: "", status, ...(!isSame && { period, grace }) });
          last.set(name, { ...next, period, grace });
        }
      }
      box.clock.advance(below(below(2) === 0 ? 60 : 9_000) * SECOND);
      if (box.clock.now() < heldBackUntil) continue;
      for (const each of names) {
        assert.equal(box.state(each), expected(each), `${each}, seed ${TEST_SEED}`);
        assert.equal(told.get(each), expected(each), `${each} was told, seed ${TEST_SEED}`);
      }
    }
  });
});
