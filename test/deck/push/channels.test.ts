import assert from "node:assert/strict";
import { Channels, channelName } from "../../../appliance/deck/push/channels.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";

describe("channel names", () => {
  it("are lower-cased", () => {
    assert.equal(channelName("Build.Main_2-x"), "build.main_2-x");
  });

  it("may be one character, or thirty-two", () => {
    assert.equal(channelName("7"), "7");
    assert.equal(channelName("a".repeat(32)), "a".repeat(32));
  });

  for (const bad of ["", "-a", ".a", "_a", "a b", "a/b", "ä", "a\n", "\u212a", "a".repeat(33)]) {
    it(`refuse ${JSON.stringify(bad)}`, () => {
      assert.throws(() => channelName(bad), { code: "invalid_channel" });
    });
  }
});

describe("push channels", () => {
  let clock: FakeClock;
  let channels: Channels;
  let changes: string[];

  beforeEach(() => {
    clock = new FakeClock();
    channels = new Channels(clock);
    changes = [];
    channels.changed.on((channel) => changes.push(`${channel} ${stateOf(channel)}`));
  });

  const stateOf = (channel: string) => channels.get(channel)?.state ?? "waiting";
  const fill = (count: number, ttl: number) => {
    for (let n = 0; n < count; n++) channels.set(`c${n}`, { text: `${n}`, ttl });
  };

  it("wait until something is pushed", () => {
    assert.equal(channels.get("build"), undefined);
    assert.deepEqual(channels.list(), []);
  });

  it("hold the value with its colours", () => {
    const { value } = channels.set("build", {
      text: "ok",
      color: "#00ff00",
      background: "#001100",
      ttl: 60,
    });
    assert.deepEqual(value, {
      channel: "build",
      text: "ok",
      color: "#00ff00",
      background: "#001100",
      updatedAt: clock.now(),
      expiresAt: clock.now() + 60_000,
      state: "live",
    });
    assert.deepEqual(channels.get("build"), value);
  });

  it("clean the text and tell what was lost", () => {
    const { value, replaced, truncated } = channels.set("build", { text: "“🚀”" });
    assert.equal(value.text, '"?"');
    assert.equal(replaced, 1);
    assert.equal(truncated, false);
  });

  it("know a channel by its lower-case name", () => {
    channels.set("Build", { text: "ok" });
    assert.equal(channels.get("build")?.text, "ok");
  });

  it("give a value ten minutes unless told otherwise", () => {
    channels.set("build", { text: "ok" });
    clock.advance(599_999);
    assert.equal(stateOf("build"), "live");
    clock.advance(1);
    assert.equal(stateOf("build"), "expired");
  });

  it("keep a value with a time to live of 0 for good", () => {
    const { value } = channels.set("build", { text: "ok", ttl: 0 });
    assert.equal(value.expiresAt, null);
    clock.advance(400 * 86_400_000);
    assert.equal(stateOf("build"), "live");
  });

  it("let the last write win, with its own colours and time to live", () => {
    channels.set("build", { text: "red", color: "#ff0000", ttl: 1 });
    channels.set("build", { text: "plain", ttl: 5 });
    clock.advance(4_000);
    const found = channels.list().map(({ text, color, state }) => ({ text, color, state }));
    assert.deepEqual(found, [{ text: "plain", color: null, state: "live" }]);
  });

  it("keep the text of an expired value", () => {
    channels.set("build", { text: "ok", ttl: 1 });
    clock.advance(1_000);
    assert.equal(channels.get("build")?.text, "ok");
  });

  it("return to waiting when cleared, live or expired", () => {
    channels.set("live", { text: "ok" });
    channels.set("gone", { text: "ok", ttl: 1 });
    clock.advance(1_000);
    channels.clear("live");
    channels.clear("gone");
    assert.deepEqual(channels.list(), []);
  });

  it("announce a push, an expiry and a clearing", () => {
    channels.set("build", { text: "ok", ttl: 2 });
    clock.advance(2_000);
    channels.clear("build");
    assert.deepEqual(changes, ["build live", "build expired", "build waiting"]);
  });

  it("announce every expiry once, at its time", () => {
    const times: string[] = [];
    channels.set("late", { text: "b", ttl: 20 });
    channels.set("early", { text: "a", ttl: 10 });
    const start = clock.monotonic();
    channels.changed.on((channel) => times.push(`${channel} ${clock.monotonic() - start}`));
    clock.advance(60_000);
    assert.deepEqual(times, ["early 10000", "late 20000"]);
  });

  it("do not announce the expiry of a value that was replaced", () => {
    channels.set("build", { text: "a", ttl: 10 });
    clock.advance(5_000);
    channels.set("build", { text: "b", ttl: 10 });
    clock.advance(9_000);
    assert.deepEqual(changes, ["build live", "build live"]);
  });

  it("say nothing when an empty channel is cleared", () => {
    channels.clear("build");
    assert.deepEqual(changes, []);
  });

  it("stop telling a listener that left", () => {
    const heard: string[] = [];
    const leave = channels.changed.on((channel) => heard.push(channel));
    channels.set("a", { text: "1" });
    leave();
    channels.set("b", { text: "2" });
    assert.deepEqual(heard, ["a"]);
  });

  it("announce nothing after they were closed", () => {
    channels.set("build", { text: "ok", ttl: 1 });
    channels.close();
    clock.advance(5_000);
    assert.deepEqual(changes, ["build live"]);
  });

  it("expire by monotonic time when the wall clock is set", () => {
    channels.set("build", { text: "ok", ttl: 60 });
    clock.setWall(Date.UTC(2030, 0, 1));
    assert.equal(stateOf("build"), "live");
    assert.equal(channels.get("build")?.expiresAt, Date.UTC(2030, 0, 1) + 60_000);
    clock.advance(60_000);
    assert.equal(stateOf("build"), "expired");
  });

  it("report steady times while the wall clock wavers", () => {
    const { value } = channels.set("build", { text: "ok", ttl: 60 });
    clock.setWall(clock.now() + 3);
    assert.deepEqual(channels.get("build"), value);
  });

  it("report steady times after the wall clock was set, too", () => {
    const { updatedAt } = channels.set("build", { text: "ok" }).value;
    for (const wavers of [0, 3, -3]) {
      clock.setWall(updatedAt + 3_600_000 + wavers);
      assert.equal(channels.get("build")?.updatedAt, updatedAt + 3_600_000);
    }
  });

  it("list by name", () => {
    channels.set("b", { text: "" });
    channels.set("a", { text: "" });
    const found = channels.list().map(({ channel }) => channel);
    assert.deepEqual(found, ["a", "b"]);
  });

  it("refuse a 65th channel while all hold live values", () => {
    fill(64, 0);
    assert.throws(() => channels.set("one-more", { text: "x" }), { code: "channel_limit" });
    assert.equal(channels.list().length, 64);
    assert.equal(channels.get("one-more"), undefined);
  });

  it("replace a held channel though all places are taken", () => {
    fill(64, 0);
    assert.equal(channels.set("c7", { text: "new" }).value.text, "new");
  });

  it("give a new channel the place of the value that expired first", () => {
    fill(62, 0);
    channels.set("second", { text: "", ttl: 20 });
    channels.set("first", { text: "", ttl: 10 });
    clock.advance(30_000);
    channels.set("new", { text: "x" });
    assert.equal(stateOf("first"), "waiting");
    assert.equal(stateOf("second"), "expired");
    assert.deepEqual(changes.slice(-2), ["first waiting", "new live"]);
  });

  it("keep expired values while there is room", () => {
    fill(63, 1);
    clock.advance(1_000);
    channels.set("new", { text: "x" });
    assert.equal(channels.list().length, 64);
  });

  it("do not put out a channel when the name is refused", () => {
    fill(64, 1);
    clock.advance(1_000);
    assert.throws(() => channels.set("no good", { text: "x" }), { code: "invalid_channel" });
    assert.equal(channels.list().length, 64);
  });
});
