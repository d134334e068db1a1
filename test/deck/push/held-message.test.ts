import assert from "node:assert/strict";
import { Channels } from "../../../appliance/deck/push/channels.ts";
import type { KeptChannel } from "../../../appliance/deck/push/kept-channels.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { MemoryDocuments } from "../../helpers/memory-documents.ts";
import { SECOND, WEEK } from "../../helpers/watching-box.ts";

describe("a held message", () => {
  let clock: FakeClock;
  let documents: MemoryDocuments<KeptChannel>;
  let channels: Channels;
  let alarms: number;

  beforeEach(async () => {
    clock = new FakeClock();
    documents = new MemoryDocuments();
    channels = await Channels.open({ clock, documents });
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
    channels = await Channels.open({ clock, documents });
    assert.deepEqual(channels.list(), before);
  });

  it("cannot be seen where nothing is", () => {
    channels.set("door", { text: "x" });
    assert.equal(see(), false);
    assert.equal(channels.acknowledge("nothing", { by: "owner" }), false);
  });
});
