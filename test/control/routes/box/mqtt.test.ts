import assert from "node:assert/strict";
import { Listener, Mosquitto } from "../../../helpers/mosquitto.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { World } from "../../../helpers/world.ts";

describe("the broker of a home automation", () => {
  let broker: Mosquitto;
  let ha: Listener;
  const worlds: World[] = [];
  beforeEach(async () => {
    broker = await Mosquitto.open();
    ha = await Listener.open(broker);
  });
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.end();
    await ha.end();
    await broker.end();
  });

  const box = async (env: Record<string, string> = {}) => {
    const world = new World({ env });
    worlds.push(world);
    await world.start();
    return new Owner(world);
  };
  const put = async (owner: Owner, change: object) => {
    const reply = await owner.ask("PUT", "/api/mqtt", change);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  const address = () => `127.0.0.1:${broker.port}`;
  const configOf = (id: string, discovery = "homeassistant") =>
    `${discovery}/device/tallydeck_${id}/config`;
  const isOnline = async (id: string, prefix = "tallydeck", from = 0) =>
    ha.next(`${prefix}/${id}/availability`, (text) => text === "online", from);

  it("is off until somebody names one", async () => {
    const { box: id, ...rest } = await (await box()).get("/api/mqtt");
    assert.match(id, /^[0-9a-f]{8}$/);
    assert.deepEqual(rest, {
      enabled: false,
      url: "",
      user: "",
      hasPassword: false,
      prefix: "tallydeck",
      discovery: "homeassistant",
      version: "5",
      ca: "",
      declared: false,
      state: null,
    });
  });

  it("is named by its address alone, and never told again with which password", async () => {
    const owner = await box();
    const change = { enabled: true, url: address(), user: "box", password: "hush-hush" };
    const { box: id, url, hasPassword } = await put(owner, change);
    assert.deepEqual([url, hasPassword], [`mqtt://${address()}`, true]);
    await isOnline(id);
    assert.equal((await owner.get("/api/mqtt")).state.connected, true);
    for (const path of ["/api/mqtt", "/api/settings/export", "/api/diagnostics", "/api/backup"])
      assert.ok(!(await owner.ask("GET", path)).body.includes("hush-hush"), path);
  });

  it("is left and found again with all settings, and what it kept goes and comes", async () => {
    const owner = await box();
    const { box: id } = await put(owner, { enabled: true, url: address(), user: "box" });
    await isOnline(id);
    await put(owner, { enabled: false });
    await ha.next(configOf(id), (text) => text === "");
    const late = await Listener.open(broker);
    await late.settle();
    assert.deepEqual(late.since(0), []);
    await late.end();
    const from = ha.heard.length;
    const { user, url } = await put(owner, { enabled: true });
    assert.deepEqual([user, url], ["box", `mqtt://${address()}`]);
    await isOnline(id, "tallydeck", from);
    assert.match(ha.last(configOf(id))?.text ?? "", /"components"/);
  });

  it("is the same after a restart, and knows the box by the same id", async () => {
    const owner = await box();
    const { box: id } = await put(owner, { enabled: true, url: address() });
    await isOnline(id);
    const from = ha.heard.length;
    await owner.world.restart();
    await isOnline(id, "tallydeck", from);
    assert.equal((await owner.get("/api/mqtt")).box, id);
  });

  it("keeps nothing under topics that were ours", async () => {
    const owner = await box();
    const { box: id } = await put(owner, { enabled: true, url: address() });
    await isOnline(id);
    await put(owner, { prefix: "house/box", discovery: "ha" });
    await isOnline(id, "house/box");
    await ha.settle();
    const late = await Listener.open(broker);
    await late.settle();
    const topics = late.since(0).map(({ topic }) => topic);
    const left = topics.filter((topic) => /^(?:tallydeck|homeassistant)\//.test(topic));
    assert.deepEqual(left, []);
    assert.ok(topics.includes(configOf(id, "ha")));
    await late.end();
  });

  it("knows two boxes with one name apart", async () => {
    const ids: string[] = [];
    for (const owner of [await box(), await box()])
      ids.push((await put(owner, { enabled: true, url: address() })).box);
    for (const id of ids) await isOnline(id);
    assert.notEqual(ids[0], ids[1]);
    for (const id of ids)
      assert.deepEqual(JSON.parse(ha.last(configOf(id))?.text ?? "").device.identifiers, [
        `tallydeck_${id}`,
      ]);
  });

  it("may speak 3.1.1 only", async () => {
    const owner = await box();
    const { box: id } = await put(owner, { enabled: true, url: address(), version: "3.1.1" });
    await isOnline(id);
    await ha.say(`tallydeck/${id}/channel/door/set`, { text: "Open", ttl: 60 });
    const { text, expiry } = await ha.next(`tallydeck/${id}/channel/door/state`);
    assert.deepEqual([JSON.parse(text).text, expiry], ["Open", undefined]);
  });

  for (const [field, value] of [
    ["url", "http://broker"],
    ["url", "mqtt://box:secret@broker"],
    ["prefix", "a/+"],
    ["discovery", ""],
    ["version", "4"],
    ["ca", "no certificate"],
    ["password", "without a user"],
  ] as const)
    it(`is not taken with ${value} as ${field}`, async () => {
      const owner = await box();
      const reply = await owner.ask("PUT", "/api/mqtt", { [field]: value });
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, field === "password" ? /^"user"/ : new RegExp(`^"${field}"`));
      assert.equal((await owner.get("/api/mqtt")).enabled, false);
    });

  it("has to be named to be used", async () => {
    const reply = await (await box()).ask("PUT", "/api/mqtt", { enabled: true });
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /^"url"/);
  });

  it("is changed in the configuration only that names it", async () => {
    const owner = await box({ MQTT_URL: address(), MQTT_PREFIX: "house" });
    const { declared, enabled, prefix, box: id } = await owner.get("/api/mqtt");
    assert.deepEqual([declared, enabled, prefix], [true, true, "house"]);
    await isOnline(id, "house");
    assertError(await owner.ask("PUT", "/api/mqtt", { enabled: false }), 409, "declared");
  });
});
