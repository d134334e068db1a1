import assert from "node:assert/strict";
import { Callee } from "../../../helpers/callee.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { until } from "../../../helpers/until.ts";
import { eachWorld } from "../../../helpers/world.ts";

describe("what a press does", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "plus" } });
  let callee: Callee;
  const owner = Owner.each(world);
  beforeEach(async () => {
    callee = await Callee.start();
  });
  afterEach(() => callee.stop());
  const DECK = "/api/decks/virtual-plus";
  const set = (slot: string, settings: object) =>
    owner.ask("PUT", `${DECK}/slots/${slot}`, settings);
  const press = async (slot: string, how?: object) => {
    const reply = await owner.ask("POST", `${DECK}/slots/${slot}/press`, how);
    assert.equal(reply.status, 204, reply.text);
  };
  const allow = (origin = callee.origin) => owner.ask("POST", "/api/origins", { origin });
  const request = (more: object = {}) => ({
    do: "request",
    method: "POST",
    url: `${callee.origin}/{{deck}}/{{slot}}`,
    ...more,
  });
  const slotNow = async (slot: string) =>
    (await owner.get("/api/decks")).decks[0].slots.find(
      (known: { slot: string }) => known.slot === slot,
    );
  const png = (slot: string) =>
    Buffer.from(world().service.decks.png("virtual-plus", slot)).toString("base64");

  it("may be a request to an origin that the owner allowed, with a tick when it is done", async () => {
    await allow();
    await owner.ask("POST", "/api/push-channels/door", { text: 'the "door"' });
    const body = '{"text":"{{text}}","channel":"{{channel}}"}';
    const reply = await set("k2", {
      widget: { type: "push", channel: "door" },
      press: request({ body, headers: { Authorization: "Bearer abc" } }),
    });
    assert.equal(reply.status, 200, reply.text);
    const before = png("k2");
    await press("k2");
    const [came] = await callee.times(1);
    assert.deepEqual([came?.method, came?.path], ["POST", "/virtual-plus/k2"]);
    assert.deepEqual(JSON.parse(came?.body ?? ""), { text: 'the "door"', channel: "door" });
    assert.equal(came?.headers.authorization, "Bearer abc");
    await until(() => png("k2") !== before);
    world().clock.advance(2_000);
    assert.equal(png("k2"), before);
  });

  it("may be another for a hold and for a turn of a dial", async () => {
    await allow();
    await set("k0", { press: request(), hold: request({ body: "held" }) });
    await set("d1", { turn: request({ body: "{{delta}}" }) });
    await press("k0", { hold: true });
    world().clock.advance(500);
    await callee.times(1);
    await press("d1", { turn: -4 });
    const came = await callee.times(2);
    assert.deepEqual(
      came.map(({ path, body }) => [path, body]),
      [
        ["/virtual-plus/k0", "held"],
        ["/virtual-plus/d1", "-4"],
      ],
    );
  });

  it("is refused when it leads to an origin that is not allowed, with where to allow it", async () => {
    const reply = await set("k0", { press: request() });
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /^"press.url" leads to http:.* Allow it first, in the Web UI/);
    assert.equal((await slotNow("k0")).press, undefined);
  });

  it("is refused once its origin is taken from the list, and the key says so", async () => {
    await allow();
    await set("k0", { press: request() });
    await owner.ask("DELETE", `/api/origins?origin=${encodeURIComponent(callee.origin)}`);
    const before = png("k0");
    await press("k0");
    await until(() => png("k0") !== before);
    assert.equal(callee.called.length, 0);
  });

  it("shows no secret, keeps it when the rest changes, and over a restart", async () => {
    await allow();
    const headers = { Authorization: "Bearer abc" };
    await set("k0", { press: request({ headers }) });
    const hidden = { Authorization: "…" };
    assert.deepEqual((await slotNow("k0")).press.headers, hidden);
    await set("k0", { press: request({ headers: hidden, body: "other" }) });
    for (const path of ["/api/decks", "/api/settings/export", "/api/diagnostics"])
      assert.doesNotMatch((await owner.ask("GET", path)).text, /Bearer abc/, path);
    await world().restart();
    await press("k0");
    const [came] = await callee.times(1);
    assert.deepEqual([came?.headers.authorization, came?.body], ["Bearer abc", "other"]);
    assert.doesNotMatch(world().said.join(), /Bearer abc/);
  });

  it("gives a secret to no other origin", async () => {
    await allow();
    await allow("http://other.example");
    await set("k0", { press: request({ headers: { Authorization: "Bearer abc" } }) });
    const reply = await set("k0", {
      press: request({ url: "http://other.example/", headers: { Authorization: "…" } }),
    });
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /press.headers.Authorization/);
  });

  it("comes in with imported settings, and goes nowhere until its origin is allowed", async () => {
    await allow();
    await set("k0", { press: request() });
    const settings = (await owner.ask("GET", "/api/settings/export")).text;
    await set("k0", { press: null });
    await owner.ask("DELETE", `/api/origins?origin=${encodeURIComponent(callee.origin)}`);
    assert.equal((await owner.ask("POST", "/api/settings/import", settings)).status, 204);
    await press("k0");
    await allow();
    world().clock.advance(2_000);
    await press("k0");
    await callee.times(1);
    assert.equal(callee.called.length, 1);
  });

  it("is taken away again", async () => {
    await set("k0", { press: { do: "sleep" } });
    await set("k0", { press: null });
    assert.equal((await slotNow("k0")).press, undefined);
  });

  it("goes on for other keys while a server hangs", async () => {
    await allow();
    callee.answers = [() => {}, 204];
    await set("k0", { press: request() });
    await set("k1", { press: { do: "send", channel: "light", text: "on" } });
    await press("k0");
    await callee.times(1);
    await press("k1");
    const { channels } = await owner.get("/api/push-channels");
    assert.equal(channels[0].text, "on");
  });

  it("turns pages and puts the deck to sleep", async () => {
    await owner.ask("POST", `${DECK}/pages`, { name: "Lights" });
    await set("k0", { press: { do: "page", page: "Lights" } });
    await press("k0");
    const deck = async () => (await owner.get("/api/decks")).decks[0];
    assert.equal((await deck()).page, 1);
    await set("k1", { press: { do: "sleep" } });
    await press("k1");
    assert.equal((await deck()).asleep, true);
    await press("k1");
    assert.equal((await deck()).asleep, false);
  });
});
