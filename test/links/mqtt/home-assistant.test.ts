import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Listener, Mosquitto } from "../../helpers/mosquitto.ts";
import { Owner } from "../../helpers/owner.ts";
import { Running } from "../../helpers/tallydeck.ts";
import { until } from "../../helpers/until.ts";
import { ADMIN, World } from "../../helpers/world.ts";
import { type Document, eachHome } from "./home.ts";

/** Required and optional fields of each platform, beside those of all entities. */
const PLATFORMS: Readonly<Record<string, { required: string[]; optional: string[] }>> = {
  text: {
    required: ["command_topic"],
    optional: ["state_topic", "value_template", "command_template", "min", "max"],
  },
  notify: { required: ["command_topic"], optional: [] },
  sensor: { required: ["state_topic"], optional: ["value_template", "state_class"] },
  number: {
    required: ["command_topic", "min", "max"],
    optional: ["state_topic", "value_template", "unit_of_measurement"],
  },
  event: { required: ["state_topic", "event_types"], optional: ["device_class"] },
  switch: { required: ["command_topic"], optional: ["state_topic", "value_template"] },
  select: {
    required: ["command_topic", "options"],
    optional: ["state_topic", "value_template"],
  },
  binary_sensor: {
    required: ["state_topic"],
    optional: ["value_template", "device_class"],
  },
  image: { required: ["image_topic"], optional: ["content_type"] },
};
const COMMON = ["platform", "unique_id", "name", "icon", "entity_category"];

/** Every topic that a document names, by the key that names it. */
function topicsOf(document: Document): [key: string, topic: string][] {
  return [document, ...Object.values(document.components)].flatMap((part) =>
    Object.entries(part).filter((entry): entry is [string, string] => /_topic$/.test(entry[0])),
  );
}

describe("a box at the broker of Home Assistant", () => {
  const home = eachHome({ SITES: "blog,shop" });
  const heardOf = (topic: string) => home().ha.heard.filter((message) => message.topic === topic);

  it("announces itself in one retained document", async () => {
    const { ha, config } = home();
    const configs = ha.heard.filter(({ topic }) => topic.endsWith("/config"));
    assert.deepEqual([...new Set(configs.map(({ topic }) => topic))], [config]);
    assert.match(config, /^homeassistant\/device\/[A-Za-z0-9_-]+\/config$/);
    assert.ok(configs.every(({ retain, bytes }) => retain && bytes.length < 65_536));
  });

  it("is the same device after a restart and under another name, and says where its Web UI is", async () => {
    const { world, ha, config, document } = home();
    assert.deepEqual(document.device.identifiers, [`tallydeck_${home().box}`]);
    assert.equal(document.origin.name, "Tallydeck");
    assert.match(document.origin.sw_version, /^\d+\.\d+/);
    assert.match(String(document.device.configuration_url), /^https?:\/\//);
    const from = ha.heard.length;
    world.network.name = () => "kitchen.local";
    await world.restart();
    const again: Document = JSON.parse((await ha.next(config, undefined, from)).text);
    assert.deepEqual(again.device.identifiers, document.device.identifiers);
    assert.deepEqual(
      Object.values(again.components).map(({ unique_id }) => unique_id),
      Object.values(document.components).map(({ unique_id }) => unique_id),
    );
  });

  it("tells that nothing comes from a place, for as long as there is one", async () => {
    const { owner, base, world } = home();
    const topic = `${base}/places/state`;
    const says = (troubled: string[]) => () =>
      heardOf(topic).at(-1)?.text === JSON.stringify({ places: ["Frankfurt"], troubled });
    assert.equal(home().document.components.places, undefined);
    const invitation = `tallydeck-place:https://127.0.0.1:9#tdh_${"x".repeat(43)}`;
    const made = await owner.ask("POST", "/api/places", { invitation, name: "Frankfurt" });
    await home().waitFor(says([]));
    assert.equal(home().document.components.places?.platform, "binary_sensor");
    for (let minute = 0; minute < 10; minute++) world.clock.advance(60_000);
    await home().waitFor(says(["Frankfurt"]));
    await owner.ask("DELETE", `/api/places/${made.json.id}`);
    await home().waitFor(() => heardOf(topic).at(-1)?.text === "");
    assert.equal(home().document.components.places, undefined);
  });

  it("describes every entity as its platform takes it", async () => {
    const { owner, ha, base, world } = home();
    await home().show("door.bell");
    await owner.ask("POST", "/api/decks/virtual-mk2/pages", {});
    await ha.say(`${base}/channel/backup/set`, { text: "done", period: 3_600 });
    const path = "/api/decks/virtual-mk2/slots/";
    await owner.ask("PUT", `${path}k5`, { hold: { do: "sleep" } });
    await owner.ask("PUT", `${path}k6`, { button: true });
    await owner.ask("PUT", "/api/sites/blog/alarms", {
      silence: true,
      rush: false,
      webhook: null,
    });
    await world.beacon({});
    await home().waitFor(() => home().document.components.site_blog_silence !== undefined);
    await home().settle();
    const { components } = home().document;
    const platforms = Object.values(components).map(({ platform }) => platform);
    assert.deepEqual([...new Set(platforms)].sort(), Object.keys(PLATFORMS).sort());
    for (const [key, component] of Object.entries(components)) {
      const rule = PLATFORMS[String(component.platform)] ?? assert.fail(`platform of ${key}`);
      const has = Object.keys(component);
      const known = [...COMMON, ...rule.required, ...rule.optional];
      assert.match(key, /^[A-Za-z0-9_-]+$/);
      assert.deepEqual(
        rule.required.filter((name) => !has.includes(name)),
        [],
        key,
      );
      assert.deepEqual(
        has.filter((name) => !known.includes(name)),
        [],
        key,
      );
    }
    assert.equal(components.site_shop_silence, undefined);
    const events = Object.keys(components).filter((key) => components[key]?.platform === "event");
    assert.deepEqual(events, ["deck_virtual-mk2_k5", "deck_virtual-mk2_k6"]);
    const ids = Object.values(components).map(({ unique_id }) => unique_id);
    assert.equal(new Set(ids).size, ids.length);
  });

  it("names only topics of its own, and listens at each that commands go to", async () => {
    await home().show("door");
    await home().settle();
    const { base, document, owner, ha } = home();
    for (const [, topic] of topicsOf(document)) {
      assert.ok(topic.startsWith(`${base}/`), topic);
      assert.doesNotMatch(topic, /[+#\0]/);
    }
    await ha.say(`${base}/channel/door/set`, { text: "Open" });
    await ha.say(`${base}/notify`, "Dinner");
    await ha.say(`${base}/deck/virtual-mk2/brightness/set`, "35");
    await owner.ask("POST", "/api/decks/virtual-mk2/pages", { name: "Second" });
    await ha.say(`${base}/deck/virtual-mk2/page/set`, "Second");
    await ha.say(`${base}/deck/virtual-mk2/sleep/set`, "ON");
    await ha.next(`${base}/deck/virtual-mk2/state`, (text) => {
      const { brightness, page, sleep } = JSON.parse(text);
      return brightness === 35 && page === "Second" && sleep;
    });
    const { channels } = await owner.get("/api/push-channels");
    assert.deepEqual(
      channels.map(({ channel, text }: { channel: string; text: string }) => [channel, text]),
      [
        ["door", "Open"],
        ["notify", "Dinner"],
      ],
    );
    const commands = topicsOf(home().document).filter(([key]) => key === "command_topic");
    assert.equal(commands.length, 5);
  });

  it("keeps a value at the broker for each entity that has one", async () => {
    await home().show("door");
    await home().settle();
    const states = topicsOf(home().document).filter(([key]) => /state|image|availab/.test(key));
    const kept = await Listener.open(home().broker);
    await kept.settle();
    for (const [, topic] of states) assert.ok(kept.last(topic)?.retain, topic);
    await kept.end();
  });

  it("tells who comes late how things are, and of no press that was", async () => {
    const { owner, broker, base, config, ha } = home();
    await owner.ask("POST", "/api/decks/virtual-mk2/slots/k0/press");
    await ha.next(`${base}/deck/virtual-mk2/k0/event`);
    const late = await Listener.open(broker);
    await late.settle();
    assert.ok(late.last(config)?.retain);
    assert.equal(late.last(`${base}/availability`)?.text, "online");
    assert.deepEqual(JSON.parse(late.last(`${base}/site/shop/state`)?.text ?? ""), {
      views: 0,
      visitors: 0,
      live: 0,
      alarms: {},
    });
    const left = late.heard.filter(({ topic }) => topic.endsWith("/event"));
    assert.deepEqual(left, []);
    await late.end();
  });

  it("says that it goes before it goes", async () => {
    const { world, ha, base } = home();
    await world.stop();
    await ha.settle();
    assert.equal(ha.heard.findLast(({ topic }) => topic.startsWith(base))?.text, "offline");
  });

  it("tells everything again when Home Assistant has started, once", async () => {
    const { ha, base, config, world } = home();
    await home().waitFor(() => ha.last(`${base}/deck/virtual-mk2/image`) !== undefined);
    const from = ha.heard.length;
    await ha.say("homeassistant/status", "offline");
    await ha.say("homeassistant/status", '"online"');
    await ha.say("homeassistant/state", "online");
    for (let times = 0; times < 10; times++) await ha.say("homeassistant/status", "online");
    await home().settle();
    const left = ha.since(from).filter(({ topic }) => topic.startsWith(base));
    assert.deepEqual(left, []);
    world.clock.advance(10_000);
    await home().settle();
    const told = ha.since(from).filter(({ topic }) => !/^homeassistant\/stat/.test(topic));
    const topics = told.slice(0, 2).map(({ topic }) => topic);
    assert.deepEqual(topics, [config, `${base}/availability`]);
    assert.ok(told.some(({ topic }) => topic === `${base}/site/blog/state`));
    assert.equal(told.filter(({ topic }) => topic === config).length, 1);
  });

  it("tells of a press once, and of none that was while the broker was away", async () => {
    const { owner, ha, base, broker } = home();
    const topic = `${base}/deck/virtual-mk2/k4/event`;
    await owner.ask("POST", "/api/decks/virtual-mk2/slots/k4/press");
    const { text, retain } = await ha.next(topic);
    assert.deepEqual(
      [JSON.parse(text), retain],
      [{ event_type: "press_end", page: "Page 1" }, false],
    );
    await broker.stop();
    await until(() => !ha.client.connected);
    await owner.ask("POST", "/api/decks/virtual-mk2/slots/k4/press");
    await broker.start();
    await until(() => ha.client.connected);
    await home().connected();
    assert.equal(heardOf(topic).length, 1);
  });

  it("keeps a text within what Home Assistant takes, and no longer than its time to live", async () => {
    const { ha, base, world, broker } = home();
    const topic = `${base}/channel/long/state`;
    await ha.say(`${base}/channel/long/set`, { text: "é".repeat(255), ttl: 0 });
    const whole = JSON.parse((await ha.next(topic)).text).text;
    assert.equal([...whole].length, 255);
    let from = ha.heard.length;
    await ha.say(`${base}/channel/long/set`, { text: "é".repeat(256), ttl: 0 });
    const cut = JSON.parse((await ha.next(topic, undefined, from)).text).text;
    assert.equal(cut, `${"é".repeat(254)}…`);
    from = ha.heard.length;
    await ha.say(`${base}/channel/long/set`, { text: "soon", ttl: 1 });
    await ha.next(topic, (text) => JSON.parse(text).text === "soon", from);
    await world.stop();
    for (let isKept = true; isKept; ) {
      const late = await Listener.open(broker);
      await late.settle();
      isKept = late.last(topic) !== undefined;
      await late.end();
    }
  });

  it("takes back what is gone, step by step, and touches nothing else", async () => {
    const { ha, config, base, world } = home();
    await ha.say("homeassistant/device/other/config", "{}", { retain: true });
    await home().show("door");
    await ha.next(config, (text) => text.includes('"channel_door"'));
    const from = ha.heard.length;
    await home().show("window");
    await ha.next(config, (text) => !text.includes('"channel_door"'), from);
    const steps = ha.since(from).filter(({ topic }) => topic === config);
    const entities = steps.map(({ text }) => JSON.parse(text).components.channel_door);
    assert.deepEqual(entities, [{ platform: "text" }, undefined]);
    assert.equal((await ha.next(`${base}/channel/door/state`, undefined, from)).text, "");
    await world.restart({ MQTT_PREFIX: "house", MQTT_DISCOVERY: "ha" });
    assert.equal((await ha.next(config, (text) => text === "", from)).text, "");
    await ha.next(`ha/device/tallydeck_${home().box}/config`);
    await ha.next(`${base}/availability`, (text) => text === "");
    await ha.next(`${base}/site/blog/state`, (text) => text === "");
    assert.equal(ha.last("homeassistant/device/other/config")?.text, "{}");
  });

  it("follows no command that is wrong, too large, or was kept", async () => {
    const { ha, base, owner, world } = home();
    const refused = async (topic: string, payload: unknown) => {
      const from = ha.heard.length;
      await ha.say(topic, payload);
      const [answer] = [await ha.nextOf((of) => of.endsWith("/result"), from)];
      return JSON.parse(answer.text).error;
    };
    const set = `${base}/channel/door/set`;
    assert.equal((await refused(set, "no JSON")).code, "invalid_json");
    assert.deepEqual((await refused(set, { text: 5 })).field, "text");
    assert.equal((await refused(set, { text: "x".repeat(5_000) })).code, "too_large");
    assert.equal(
      (await refused(`${base}/channel/-bad/set`, { text: "x" })).code,
      "invalid_channel",
    );
    assert.equal((await refused(`${base}/deck/none/brightness/set`, "5")).code, "not_found");
    const brightness = `${base}/deck/virtual-mk2/brightness/set`;
    assert.equal((await refused(brightness, "bright")).field, "brightness");
    await ha.say(set, Buffer.alloc(1_048_576, "x"));
    await ha.say(set, { text: "kept" }, { retain: true });
    await world.restart();
    await home().connected();
    await home().settle();
    assert.deepEqual((await owner.get("/api/push-channels")).channels, []);
    assert.equal(world.said.filter((line) => line.includes("kept")).length, 1);
  });

  it("comes back, whole, to a broker that was started anew without a memory", async () => {
    const { broker, ha, config, base } = home();
    await broker.stop();
    await until(() => !ha.client.connected);
    await broker.start();
    await until(() => ha.client.connected);
    const from = ha.heard.length;
    await home().connected();
    await ha.next(config, undefined, from);
    await ha.next(`${base}/availability`, (text) => text === "online", from);
    await ha.next(`${base}/site/shop/state`, undefined, from);
    await home().show("door");
    await ha.say(`${base}/channel/door/set`, { text: "Open" });
    await ha.next(`${base}/channel/door/state`, (text) => JSON.parse(text).text === "Open", from);
  });
});

describe("two boxes of one name at one broker", () => {
  const first = eachHome();

  it("are two devices, and neither takes the other's place or its commands", async () => {
    const { ha, base, broker, owner } = first();
    const two = new World({ env: { MQTT_URL: `mqtt://127.0.0.1:${broker.port}` } });
    const from = ha.heard.length;
    await two.start();
    const isOther = (topic: string) => /\/availability$/.test(topic) && !topic.startsWith(base);
    await first().waitFor(() => {
      two.clock.advance(1_000);
      return ha.heard.some(({ topic, text }) => isOther(topic) && text === "online");
    });
    await ha.say(`${base}/channel/door/set`, { text: "Open" });
    await ha.next(`${base}/channel/door/result`, undefined, from);
    const textsOf = async (asked: Owner) =>
      (await asked.get("/api/push-channels")).channels.map(({ text }: { text: string }) => text);
    assert.deepEqual(await textsOf(owner), ["Open"]);
    assert.deepEqual(await textsOf(new Owner(two)), []);
    const configs = ha.heard.filter(({ topic }) => topic.endsWith("/config"));
    const named = configs.map(({ text }) => (JSON.parse(text) as Document).device);
    assert.equal(new Set(named.map(({ identifiers }) => identifiers[0])).size, 2);
    assert.equal(new Set(named.map(({ name }) => name)).size, 1);
    const left = ha.heard.slice(from).filter(({ text }) => text === "offline");
    assert.deepEqual(left, []);
    await two.end();
  });
});

describe("a box that is cut off", () => {
  it("is offline at the broker at once", async () => {
    const broker = await Mosquitto.open();
    const ha = await Listener.open(broker);
    const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
    const box = new Running(["run"], {
      DATA_DIR: dataDir,
      PORT: "0",
      WEBUI_PORT: "0",
      STATS_TOKEN: ADMIN,
      MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
    });
    const isAvailability = (topic: string) => topic.endsWith("/availability");
    await ha.nextOf((topic, text) => isAvailability(topic) && text === "online");
    await box.end("SIGKILL");
    const { retain } = await ha.nextOf(
      (topic, text) => isAvailability(topic) && text === "offline",
    );
    assert.equal(retain, true);
    await ha.end();
    await broker.end();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
