import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { databaseFile } from "../../../../appliance/store/sqlite/database.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { decode } from "../../../helpers/pictures.ts";
import { eachWorld } from "../../../helpers/world.ts";

describe("decks in the control API", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2,akp05e" } });
  const owner = Owner.each(world);
  const MK2 = "/api/decks/virtual-mk2";
  const deck = async (id: string) =>
    (await owner.get("/api/decks")).decks.find((known: { id: string }) => known.id === id);
  const put = (slot: string, body: unknown) => owner.ask("PUT", `${MK2}/slots/${slot}`, body);

  it("are listed with every slot and what it shows", async () => {
    const { slots, pages, ...rest } = await deck("virtual-mk2");
    assert.deepEqual(rest, {
      id: "virtual-mk2",
      model: "mk2",
      name: "Elgato Stream Deck MK.2",
      serial: null,
      connected: true,
      virtual: true,
      brightness: 70,
      evidence: "SRC",
      inputs: [],
      hasStrip: false,
      sleep: { afterMinutes: null, night: null },
      homeAfterSeconds: null,
      page: 0,
      asleep: false,
      fixed: {},
    });
    const slots0 = { k0: { widget: { type: "address" } }, k1: { widget: { type: "clock" } } };
    assert.deepEqual(pages, [{ name: "Page 1", slots: slots0 }]);
    assert.equal(slots.length, 15);
    assert.deepEqual(slots[6], {
      slot: "k6",
      kind: "key",
      column: 1,
      row: 1,
      canPress: true,
      hasRelease: true,
      width: 72,
      height: 72,
      widget: { type: "empty" },
    });
    const zone = (await deck("virtual-akp05e")).slots.find(
      ({ kind }: { kind: string }) => kind === "zone",
    );
    assert.deepEqual([zone.slot, zone.width, zone.height], ["z0", 176, 112]);
  });

  it("are renamed and dimmed, also over a restart", async () => {
    const reply = await owner.ask("PATCH", MK2, { name: " Desk ", brightness: 0 });
    assert.deepEqual([reply.status, reply.json.name, reply.json.brightness], [200, "Desk", 0]);
    await world().restart();
    const { name, brightness } = await deck("virtual-mk2");
    assert.deepEqual([name, brightness], ["Desk", 0]);
  });

  it("show nothing that could not be stored", async () => {
    const before = await deck("virtual-mk2");
    const holder = new Database(databaseFile(world().dataDir));
    holder.exec("BEGIN IMMEDIATE");
    const replies = await Promise.all([
      put("k2", { widget: { type: "text", text: "Hi" } }),
      owner.ask("PATCH", MK2, { name: "Desk", brightness: 5 }),
    ]);
    for (const reply of replies) assertError(reply, 503, "storage_unavailable");
    assert.deepEqual(await deck("virtual-mk2"), before);
    holder.close();
    assert.equal((await put("k2", { widget: { type: "text", text: "Hi" } })).status, 200);
  });

  it("show after a restore what was restored, and nothing else", async () => {
    await put("k2", { widget: { type: "text", text: "of the backup" } });
    const backup = (await owner.ask("GET", "/api/backup")).body;
    const before = await deck("virtual-mk2");
    const other = await deck("virtual-akp05e");
    await put("k3", { widget: { type: "text", text: "since" } });
    await owner.ask("PATCH", "/api/decks/virtual-akp05e", { name: "Other" });
    assert.equal((await owner.ask("POST", "/api/restore", backup)).status, 204);
    assert.deepEqual(await deck("virtual-mk2"), before);
    assert.deepEqual(await deck("virtual-akp05e"), other);
    await world().restart();
    assert.deepEqual(await deck("virtual-mk2"), before);
    assert.deepEqual(await deck("virtual-akp05e"), other);
  });

  for (const [field, body] of [
    ["name", { name: "" }],
    ["name", { name: "x".repeat(41) }],
    ["name", { name: null }],
    ["brightness", { brightness: 101 }],
    ["brightness", { brightness: -1 }],
    ["brightness", { brightness: 1.5 }],
    ["model", { model: "xl" }],
    ["homeAfterSeconds", { homeAfterSeconds: 4 }],
    ["homeAfterSeconds", { homeAfterSeconds: "x" }],
    ["sleep", { sleep: null }],
    ["sleep.night", { sleep: { afterMinutes: 1 } }],
    ["sleep.night", { sleep: { afterMinutes: 1, night: "22:00" } }],
    ["sleep.afterMinutes", { sleep: { afterMinutes: 0, night: null } }],
    ["sleep.night.from", { sleep: { afterMinutes: 1, night: { from: "24:00", to: "06:00" } } }],
    ["sleep.night.to", { sleep: { afterMinutes: 1, night: { from: "22:00", to: "22:00" } } }],
    ["asleep", { asleep: "yes" }],
    ["page", { page: true }],
  ] as const)
    it(`refuse ${JSON.stringify(body)}`, async () => {
      const reply = await owner.ask("PATCH", MK2, body);
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, new RegExp(`"${field}"`));
    });

  for (const widget of [
    { type: "push", channel: "door" },
    { type: "push", channel: "door", expire: "text", fallback: "?", color: "#ff0000" },
    { type: "stat", site: "blog", metric: "pv", period: "day" },
    { type: "clock", background: "#000000" },
    { type: "date" },
    { type: "text", text: "Hi\nyou" },
    { type: "address" },
    { type: "empty" },
  ])
    it(`show the widget ${JSON.stringify(widget)}, also over a restart`, async () => {
      const reply = await put("k5", { widget });
      assert.equal(reply.status, 200);
      assert.deepEqual([reply.json.slot, reply.json.width, reply.json.widget], ["k5", 72, widget]);
      await world().restart();
      assert.deepEqual((await deck("virtual-mk2")).slots[5].widget, widget);
    });

  it("show the channel in its one form", async () => {
    const { json } = await put("k5", { widget: { type: "push", channel: "Door" } });
    assert.equal(json.widget.channel, "door");
  });

  for (const [field, body] of [
    ["body", {}],
    ["press.do", { press: { do: "fly" } }],
    ["hold.channel", { hold: { do: "clear" } }],
    ["button", { button: 1 }],
    ["widget.type", { widget: {} }],
    ["widget.type", { widget: { type: "video" } }],
    ["widget.channel", { widget: { type: "push" } }],
    ["widget.channel", { widget: { type: "push", channel: ".x" } }],
    ["widget.expire", { widget: { type: "push", channel: "x", expire: "never" } }],
    ["widget.metric", { widget: { type: "stat", site: "blog", metric: "hits", period: "day" } }],
    ["widget.color", { widget: { type: "clock", color: "red" } }],
    ["widget.text", { widget: { type: "clock", text: "x" } }],
    ["colour", { widget: { type: "clock" }, colour: "#ff0000" }],
  ] as const)
    it(`refuse ${JSON.stringify(body)} by the name ${field}`, async () => {
      const reply = await put("k5", body);
      assertError(reply, 400, "invalid_field");
      assert.ok(reply.json.error.startsWith(`"${field}" `), reply.json.error);
      assert.deepEqual((await deck("virtual-mk2")).slots[5].widget, { type: "empty" });
    });

  for (const [path, body] of [
    ["/api/decks/none/slots/k0", { widget: { type: "clock" } }],
    [`${MK2}/slots/k15`, { widget: { type: "clock" } }],
    [`${MK2}/slots/z0`, { widget: { type: "clock" } }],
  ] as const)
    it(`do not find ${path}`, async () => {
      assertError(await owner.ask("PUT", path, body), 404, "not_found");
      assertError(await owner.ask("GET", `${path}/image.png`), 404, "not_found");
      assertError(await owner.ask("POST", `${path}/press`), 404, "not_found");
    });

  it("show the picture of a slot, upright and at its size", async () => {
    await owner.ask("PUT", "/api/decks/virtual-akp05e/slots/z1", {
      widget: { type: "text", text: "", background: "#2040ff" },
    });
    const reply = await owner.ask("GET", "/api/decks/virtual-akp05e/slots/z1/image.png");
    assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "image/png"]);
    const pixels = await decode(reply.body);
    assert.deepEqual([pixels?.width, pixels?.height], [176, 112]);
    assert.deepEqual([...(pixels?.data.slice(0, 3) ?? [])], [0x20, 0x40, 0xff]);
  });

  it("are pressed where they are virtual", async () => {
    const events = await owner.listen();
    assert.equal((await owner.ask("POST", `${MK2}/slots/k3/press`)).status, 204);
    assert.deepEqual(await events.next("pressed"), { deck: "virtual-mk2", slot: "k3" });
    events.close();
  });

  it("have dials that are pressed and turned, and a strip to swipe over", async () => {
    const AKP05 = "/api/decks/virtual-akp05e";
    const { inputs } = await deck("virtual-akp05e");
    assert.deepEqual(inputs[3], {
      input: "d3",
      kind: "dial",
      column: 3,
      row: 3,
      canPress: true,
      hasRelease: false,
      widget: { type: "empty" },
    });
    const { decks } = world().service;
    const told: unknown[] = [];
    decks.fingers.turned.on((turn) => told.push(turn));
    decks.fingers.swiped.on((swipe) => told.push(swipe));
    const events = await owner.listen();
    for (const [path, body] of [
      ["/slots/d3/press", undefined],
      ["/slots/d3/press", { hold: true }],
      ["/slots/d3/press", { turn: -3 }],
      ["/swipe", { direction: "right" }],
    ] as const)
      assert.equal((await owner.ask("POST", `${AKP05}${path}`, body)).status, 204);
    assert.deepEqual(await events.next("pressed"), { deck: "virtual-akp05e", slot: "d3" });
    events.close();
    const at = { deck: "virtual-akp05e" };
    assert.deepEqual(told, [
      { ...at, slot: "d3", delta: -3 },
      { ...at, direction: "right" },
    ]);
  });

  for (const [field, path, body] of [
    ["turn", "slots/k0/press", { turn: 1 }],
    ["turn", "slots/d0/press", { turn: 0 }],
    ["turn", "slots/d0/press", { turn: 1.5 }],
    ["turn", "slots/d0/press", { turn: 101 }],
    ["hold", "slots/d0/press", { hold: "yes" }],
    ["body", "slots/d0/press", { hold: true, turn: 1 }],
    ["press", "slots/d0/press", { press: true }],
    ["direction", "swipe", { direction: "up" }],
    ["direction", "swipe", {}],
  ] as const)
    it(`refuse ${JSON.stringify(body)} for ${path}`, async () => {
      const reply = await owner.ask("POST", `/api/decks/virtual-akp05e/${path}`, body);
      assertError(reply, 400, "invalid_field");
      assert.ok(reply.json.error.startsWith(`"${field}" `), reply.json.error);
    });

  it("refuse a body that is no JSON", async () => {
    assertError(await put("k5", "{"), 400, "invalid_json");
    const headers = { "content-type": "text/plain" };
    const reply = await owner.ask("PUT", `${MK2}/slots/k5`, "{}", { headers });
    assertError(reply, 415, "unsupported_media_type");
  });
});

describe("two virtual decks of one model", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mini,mini" } });

  it("are told apart", async () => {
    const { decks } = await new Owner(world()).get("/api/decks");
    const found = decks.map(({ id }: { id: string }) => id);
    assert.deepEqual(found, ["virtual-mini", "virtual-mini-2"]);
  });
});
