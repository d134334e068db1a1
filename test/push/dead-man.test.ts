import assert from "node:assert/strict";
import { beforeEach, describe, it } from "mocha";
import { Channels } from "../../appliance/push/channels.ts";
import type { ChannelStore, KeptChannel } from "../../appliance/push/kept-channels.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { seeded, TEST_SEED } from "../helpers/seeded.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const WEEK = 7 * 24 * 60 * MINUTE;

/** What keeps channels, and how often it was told something. */
class MemoryStore implements ChannelStore {
  readonly kept = new Map<string, KeptChannel>();
  writes = 0;
  isBroken = false;

  list = async () => structuredClone([...this.kept.values()]);

  keep: ChannelStore["keep"] = async ({ save, forget }) => {
    if (this.isBroken) throw new Error("no room");
    this.writes += 1;
    for (const one of save) this.kept.set(one.channel, structuredClone(one));
    for (const channel of forget) this.kept.delete(channel);
  };
}

describe("a dead-man's channel", () => {
  let clock: FakeClock;
  let store: MemoryStore;
  let channels: Channels;
  let steps: string[];

  beforeEach(async () => {
    clock = new FakeClock();
    store = new MemoryStore();
    await open();
    // Nothing is held back any more.
    clock.advance(60 * MINUTE);
  });

  const open = async () => {
    channels = await Channels.open({ clock, store });
    steps = [];
    channels.stepped.on(({ channel, from, to, alarm }) =>
      steps.push(`${channel} ${from}→${to}${alarm ? "!" : ""}`),
    );
  };
  /** The machine is off for a while. */
  const restart = async (ms = 0, next = new FakeClock(clock.now() + ms, { boot: "b2" })) => {
    await channels.close();
    clock = next;
    await open();
  };
  /** What is under way to the store has arrived; gives how often it was told something. */
  const stored = async () => {
    await new Promise(setImmediate);
    return store.writes;
  };
  const state = (channel = "backup") => channels.get(channel)?.state;
  const push = (more = {}) => channels.set("backup", { text: "ok", ...more });
  const watch = { period: 600, grace: 120 };

  it("is up, late after its period, and down after its grace, each told once", () => {
    push(watch);
    clock.advance(600 * SECOND - 1);
    assert.equal(state(), "up");
    clock.advance(1);
    assert.equal(state(), "late");
    clock.advance(120 * SECOND - 1);
    assert.equal(state(), "late");
    clock.advance(1);
    assert.equal(state(), "down");
    clock.advance(WEEK);
    assert.deepEqual(steps, ["backup waiting→up", "backup up→late!", "backup late→down!"]);
  });

  it("is up again with any push, which says nothing of the period", () => {
    push(watch);
    clock.advance(720 * SECOND);
    push();
    assert.equal(state(), "up");
    clock.advance(600 * SECOND);
    assert.equal(state(), "late");
  });

  it("stays past the usual ten minutes, and shows what it was told", () => {
    push({ period: 86_400 });
    clock.advance(86_399 * SECOND);
    const { text, expiresAt, period, grace } = channels.get("backup") ?? {};
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
    push(watch);
    push({ period: 0 });
    assert.equal(state(), "live");
    assert.equal(channels.get("backup")?.period, undefined);
  });

  it("has a minute of grace at least, a fifth of long periods, or what is said", () => {
    for (const [given, grace] of [
      [{ period: 10 }, 60],
      [{ period: 3_600 }, 720],
      [{ period: 10, grace: 1 }, 1],
      [{ grace: 30 }, 30],
    ] as const) {
      push(given);
      assert.equal(channels.get("backup")?.grace, grace);
    }
  });

  it("refuses a grace without a period", () => {
    assert.throws(() => push({ grace: 60 }), { code: "invalid_field", field: "grace" });
    assert.equal(state(), undefined);
  });

  it("refuses a text that expires before it is down, and drops one that does later", () => {
    assert.throws(() => push({ ...watch, ttl: 719 }), { code: "invalid_field", field: "ttl" });
    assert.equal(state(), undefined);
    push({ ...watch, ttl: 720 });
    assert.throws(() => push({ ttl: 719 }), { field: "ttl" });
    clock.advance(720 * SECOND);
    assert.deepEqual([state(), channels.get("backup")?.text], ["down", ""]);
  });

  it("is down at once when the sender says it failed, and up when it did not", () => {
    push({ ...watch, status: "fail" });
    assert.equal(state(), "down");
    push({ status: "warn" });
    assert.deepEqual([state(), channels.get("backup")?.status], ["up", "warn"]);
  });

  it("is down when a run that began does not end within the grace", () => {
    push({ ...watch, status: "start" });
    clock.advance(120 * SECOND - 1);
    assert.equal(state(), "up");
    clock.advance(1);
    assert.equal(state(), "down");
    assert.deepEqual(steps, ["backup waiting→up", "backup up→down!"]);
  });

  it("is down when runs begin time after time, and none ends", () => {
    for (const goodBefore of [true, false]) {
      channels.clear("backup");
      push({ ...watch, status: goodBefore ? "ok" : "start" });
      for (let n = 0; n < 8; n++) {
        clock.advance(89 * SECOND);
        assert.equal(state(), "up");
        push({ status: "start" });
      }
      clock.advance(8 * SECOND);
      assert.equal(state(), "down", `720 s after the first, ${goodBefore}`);
    }
  });

  it("that is down, for whatever reason, stays so and seen when a run begins, until it ends", () => {
    const reasons = [
      () => push({ ...watch, status: "fail", id: "disk" }),
      () => {
        push({ ...watch, id: "disk" });
        clock.advance(720 * SECOND);
      },
      () => {
        push({ ...watch, status: "start", id: "disk" });
        clock.advance(120 * SECOND);
      },
    ];
    for (const fall of reasons) {
      fall();
      channels.acknowledge("backup", { by: "owner" });
      const seen = channels.get("backup")?.ack;
      const told = steps.length;
      push({ status: "start" });
      clock.advance(MINUTE);
      push({ status: "start" });
      assert.deepEqual([state(), channels.get("backup")?.ack], ["down", seen]);
      assert.equal(steps.length, told);
      push();
      assert.equal(state(), "up");
    }
  });

  it("can be declared before it is heard of, and is not late then", () => {
    channels.watch("backup", watch);
    assert.equal(state(), "new");
    clock.advance(WEEK);
    assert.equal(state(), "new");
    push();
    clock.advance(600 * SECOND);
    assert.equal(state(), "late");
  });

  it("cannot be declared without a period", () => {
    for (const change of [{}, { paused: true }, { period: 0 }])
      assert.throws(() => channels.watch("backup", change), { code: "invalid_field" });
    assert.deepEqual(channels.list(), []);
  });

  it("makes no step while it is paused, and is new when it is resumed", () => {
    push(watch);
    channels.watch("backup", { paused: true });
    clock.advance(WEEK);
    assert.equal(state(), "paused");
    channels.watch("backup", { paused: false });
    assert.equal(state(), "new");
    assert.deepEqual(steps.slice(1), ["backup up→paused", "backup paused→new"]);
  });

  it("is paused no more with any push", () => {
    push(watch);
    channels.watch("backup", { paused: true });
    push();
    assert.equal(state(), "up");
  });

  it("that is down can be seen to, but only a push brings it up", () => {
    push(watch);
    clock.advance(600 * SECOND);
    assert.equal(channels.acknowledge("backup", { by: "owner" }), false);
    clock.advance(120 * SECOND);
    assert.equal(channels.acknowledge("backup", { by: "key", deck: "d", slot: "k1" }), true);
    const at = clock.now();
    clock.advance(WEEK);
    assert.equal(state(), "down");
    assert.deepEqual(channels.get("backup")?.ack, { by: "key", deck: "d", slot: "k1", at });
    push({ status: "fail" });
    assert.equal(channels.get("backup")?.ack?.at, at);
    push();
    assert.deepEqual([state(), channels.get("backup")?.ack], ["up", undefined]);
  });

  it("that is down is news again when it is for another reason", () => {
    push({ ...watch, status: "fail", id: "disk" });
    channels.acknowledge("backup", { by: "owner" });
    push({ status: "fail", id: "network" });
    assert.equal(channels.get("backup")?.ack, undefined);
    assert.equal(steps.at(-1), "backup down→down!");
  });

  it("is watched by a ping, a day long unless it is already", () => {
    channels.ping("cron", { status: "ok" });
    assert.deepEqual([channels.get("cron")?.period, channels.get("cron")?.grace], [86_400, 3_600]);
    push({ ...watch, background: "#14532d" });
    channels.ping("backup", { status: "fail", text: "disk full" });
    channels.ping("backup", { status: "ok" });
    const { text, background, period, status } = channels.get("backup") ?? {};
    assert.deepEqual(
      { text, background, period, status },
      {
        text: "disk full",
        background: "#14532d",
        period: 600,
        status: "ok",
      },
    );
  });

  it("holds one of the 64 places, down or not", () => {
    for (let n = 0; n < 64; n++) channels.set(`c${n}`, { text: "", period: 10 });
    clock.advance(WEEK);
    assert.throws(() => push(), { code: "channel_limit" });
  });

  it("is late after 40 days, which is more than a timer counts", () => {
    push({ period: 40 * 86_400 });
    clock.advance(40 * 86_400 * SECOND);
    assert.deepEqual(steps.slice(1), ["backup up→late!"]);
  });

  describe("after a restart", () => {
    it("is as it was, with its text and colours, and is told nothing twice", async () => {
      push({ ...watch, color: "#ff0000" });
      clock.advance(720 * SECOND);
      channels.acknowledge("backup", { by: "owner" });
      const before = channels.get("backup");
      await restart();
      assert.deepEqual(channels.get("backup"), before);
      clock.advance(WEEK);
      assert.deepEqual(steps, []);
    });

    it("has one grace to be heard of, however long the box was off", async () => {
      push(watch);
      await restart(WEEK);
      clock.advance(120 * SECOND - 1);
      assert.equal(state(), "up");
      clock.advance(1);
      assert.deepEqual(steps, ["backup up→down!"]);
    });

    it("is no step further when it is heard of within the grace", async () => {
      push(watch);
      await restart(WEEK);
      clock.advance(60 * SECOND);
      push();
      clock.advance(600 * SECOND - 1);
      assert.deepEqual([state(), steps], ["up", []]);
    });

    it("is no step further when a run begins within the grace, and knows when it began", async () => {
      push(watch);
      await restart(WEEK);
      push({ status: "start" });
      assert.deepEqual([state(), steps], ["up", []]);
      await restart(60 * SECOND);
      clock.advance(120 * SECOND);
      assert.equal(state(), "down");
    });

    it("is read well as an earlier version has kept it", async () => {
      push({ ...watch, status: "start" });
      await channels.close();
      const { started, ...kept } = store.kept.get("backup") as KeptChannel;
      assert.equal(started, kept.heard);
      store.kept.set("backup", kept as KeptChannel);
      await restart();
      store.kept.set("backup", kept as KeptChannel);
      await open();
      clock.advance(120 * SECOND);
      assert.equal(state(), "down");
      push();
      assert.equal(state(), "up");
    });

    it("is not down for a ping that came just before the power was cut", async () => {
      for (const period of [120, 600, 86_400]) {
        channels.ping("backup", { status: "ok", period, grace: 60 });
        await stored();
        clock.advance((period - 1) * SECOND);
        channels.ping("backup", { status: "ok" });
        await stored();
        clock = new FakeClock(clock.now(), { boot: "b2" });
        await open();
        clock.advance(61 * SECOND);
        assert.equal(state(), "up", `${period}`);
      }
    });

    it("is down at once when its sender says so", async () => {
      push(watch);
      await restart();
      push({ status: "fail" });
      assert.equal(state(), "down");
    });

    for (const wrong of ["2026-01-01T00:00:00Z", "2026-12-01T00:00:00Z"])
      it(`makes no step while the clock is unsure, and says ${wrong.slice(0, 10)}`, async () => {
        push(watch);
        const pushedAt = clock.now();
        await restart(0, new FakeClock(wrong, { sure: false, boot: "b2" }));
        clock.advance(WEEK);
        assert.deepEqual([state(), steps], ["up", []]);
        clock.becomeSure(pushedAt + 650 * SECOND);
        assert.deepEqual(
          [steps, channels.get("backup")?.updatedAt],
          [["backup up→late!"], pushedAt],
        );
        clock.advance(70 * SECOND);
        assert.equal(state(), "down");
      });

    it("counts a push of an unsure time as one of the time it was", async () => {
      await restart(0, new FakeClock("2026-01-01T00:00:00Z", { sure: false, boot: "b2" }));
      push(watch);
      clock.advance(60 * SECOND);
      clock.becomeSure("2026-05-01T12:01:00Z");
      await channels.close();
      assert.equal(store.kept.get("backup")?.heard, Date.UTC(2026, 4, 1, 12));
    });

    it("is as just heard of when the clock was ahead before", async () => {
      push(watch);
      await restart(-WEEK);
      clock.advance(600 * SECOND);
      assert.equal(state(), "late");
    });

    it("is not there any more when it was cleared, or is watched no more", async () => {
      push(watch);
      channels.set("other", { text: "x", period: 60 });
      channels.clear("backup");
      channels.set("other", { text: "x", period: 0 });
      await restart();
      assert.deepEqual(channels.list(), []);
    });
  });

  it("is stored at once, and a second later what follows in that second", async () => {
    push(watch);
    assert.equal(await stored(), 1);
    clock.advance(SECOND);
    push({ text: "next" });
    assert.equal(await stored(), 2);
    for (let n = 0; n < 30; n++) {
      clock.advance(10);
      push({ text: `${n}` });
    }
    assert.equal(await stored(), 2);
    clock.advance(SECOND);
    assert.equal(await stored(), 3);
    assert.equal(store.kept.get("backup")?.text, "29");
    push({ status: "fail" });
    assert.equal(await stored(), 4);
  });

  it("with a period below a minute is stored within half of it", async () => {
    push({ period: 10 });
    assert.equal(await stored(), 1);
    for (let n = 0; n < 50; n++) {
      push({ text: `${n}` });
      clock.advance(200);
      await stored();
    }
    assert.equal(await stored(), 3);
    assert.equal(store.kept.get("backup")?.text, "49");
  });

  it("is stored later when it could not be, and in the end at the latest", async () => {
    store.isBroken = true;
    push(watch);
    await new Promise(setImmediate);
    store.isBroken = false;
    clock.advance(MINUTE);
    await new Promise(setImmediate);
    assert.deepEqual([...store.kept.keys()], ["backup"]);
    push({ text: "the last" });
    await channels.close();
    assert.equal(store.kept.get("backup")?.text, "the last");
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
      channels.stepped.on(({ channel, from, to }) => {
        assert.equal(told.get(channel) ?? "waiting", from, `seed ${TEST_SEED}`);
        told.set(channel, to);
      });
    listen();
    const expected = (name: string): string | undefined => {
      const pushed = last.get(name);
      if (pushed === undefined) return undefined;
      const { heard, started, status, period, grace } = pushed;
      const age = (clock.now() - heard) / SECOND;
      if (status === "fail" || age >= period + grace) return "down";
      if (started !== undefined) return (clock.now() - started) / SECOND < grace ? "up" : "down";
      return age < period ? "up" : "late";
    };
    const end = clock.now() + WEEK;
    let heldBackUntil = 0;
    while (clock.now() < end) {
      const name = pick(names);
      switch (below(12)) {
        case 0: {
          const off = below(10_000) * SECOND;
          await restart(off);
          listen();
          heldBackUntil = clock.now() + 600 * SECOND;
          break;
        }
        case 1:
          channels.acknowledge(name, { by: "mqtt" });
          break;
        default: {
          const known = last.get(name);
          const status = pick(["ok", "ok", "ok", "warn", "fail", "start"] as const);
          const isSame = known !== undefined && below(2) === 0;
          const period = isSame ? known.period : 10 + below(6_000);
          const grace = isSame ? known.grace : 1 + below(600);
          const now = clock.now();
          const next =
            status !== "start"
              ? { heard: now, started: undefined, status }
              : known !== undefined && told.get(name) === "down"
                ? { ...known, started: known.started ?? now }
                : { heard: known?.heard ?? now, started: now, status };
          channels.set(name, { text: "", status, ...(!isSame && { period, grace }) });
          last.set(name, { ...next, period, grace });
        }
      }
      clock.advance(below(below(2) === 0 ? 60 : 9_000) * SECOND);
      if (clock.now() < heldBackUntil) continue;
      for (const each of names) {
        assert.equal(state(each), expected(each), `${each}, seed ${TEST_SEED}`);
        assert.equal(told.get(each), expected(each), `${each} was told, seed ${TEST_SEED}`);
      }
    }
  });
});

describe("a held message", () => {
  let clock: FakeClock;
  let store: MemoryStore;
  let channels: Channels;
  let alarms: number;

  beforeEach(async () => {
    clock = new FakeClock();
    store = new MemoryStore();
    channels = await Channels.open({ clock, store });
    alarms = 0;
    channels.stepped.on(({ alarm }) => {
      if (alarm) alarms += 1;
    });
  });

  const push = (more = {}) => channels.set("door", { text: "Bell", hold: true, ...more });
  const state = () => channels.get("door")?.state;
  const see = () => channels.acknowledge("door", { by: "key", deck: "d", slot: "k0" });

  it("fires past its time until somebody has seen it", () => {
    push({ ttl: 60 });
    clock.advance(WEEK);
    assert.deepEqual([state(), channels.get("door")?.expiresAt], ["firing", null]);
    assert.equal(see(), true);
    assert.equal(state(), "expired");
  });

  it("stays with its text once it was seen, where no time was said", () => {
    push();
    see();
    clock.advance(WEEK);
    assert.deepEqual([state(), channels.get("door")?.text], ["acknowledged", "Bell"]);
    assert.equal(see(), false);
  });

  it("was seen when the same comes again, and is news under another id", () => {
    push({ id: "1" });
    see();
    push({ id: "1" });
    assert.equal(state(), "acknowledged");
    push({ id: "2" });
    assert.deepEqual([state(), channels.get("door")?.ack, alarms], ["firing", undefined, 2]);
  });

  it("is news each time without an id", () => {
    push();
    see();
    push();
    assert.deepEqual([state(), alarms], ["firing", 2]);
  });

  it("is no news while the same fires on", () => {
    push({ id: "1", status: "warn" });
    push({ id: "1", status: "fail" });
    assert.deepEqual([state(), alarms], ["firing", 1]);
  });

  it("is resolved when its sender says so, and news when it fires again", () => {
    push({ id: "1" });
    see();
    channels.set("door", { text: "Bell", id: "1", status: "ok" });
    assert.equal(state(), "resolved");
    push({ id: "1", status: "fail" });
    assert.deepEqual([state(), channels.get("door")?.ack, alarms], ["firing", undefined, 2]);
    push({ id: "1", status: "ok" });
    clock.advance(600 * SECOND);
    assert.equal(state(), "expired");
  });

  it("fires on when a ping comes to its channel, which is not watched by that", () => {
    push({ id: "1" });
    for (const status of ["ok", "start", "fail"] as const) channels.ping("door", { status });
    const { text, id, period } = channels.get("door") ?? {};
    assert.deepEqual([state(), text, id, period, alarms], ["firing", "Bell", "1", undefined, 1]);
    see();
    channels.ping("door", { status: "ok" });
    assert.deepEqual([state(), channels.get("door")?.period], ["up", 86_400]);
  });

  it("gives way to a ping that brings a period", () => {
    push();
    channels.ping("door", { status: "ok", period: 600 });
    assert.equal(state(), "up");
  });

  it("gives way to whatever comes without hold", () => {
    push();
    channels.set("door", { text: "Quiet" });
    assert.equal(state(), "live");
  });

  it("is there after a restart with what became of it; other values are not", async () => {
    push({ id: "1" });
    see();
    channels.set("plain", { text: "x", ttl: 0 });
    const before = channels.list().filter(({ channel }) => channel === "door");
    await channels.close();
    clock = new FakeClock(clock.now() + WEEK, { boot: "b2" });
    channels = await Channels.open({ clock, store });
    assert.deepEqual(channels.list(), before);
  });

  it("cannot be seen where nothing is", () => {
    channels.set("door", { text: "x" });
    assert.equal(see(), false);
    assert.equal(channels.acknowledge("nothing", { by: "owner" }), false);
  });
});
