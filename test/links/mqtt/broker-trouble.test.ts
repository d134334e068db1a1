import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificates } from "../../helpers/certificates.ts";
import { Listener } from "../../helpers/mosquitto.ts";
import { eachTroubled, isConnected } from "./troubled.ts";

describe("a broker that is not as it should be", () => {
  const trouble = eachTroubled();
  const { stateOf, problemOf } = trouble;
  const brokerOf: typeof trouble.brokerOf = (options) => trouble.brokerOf(options);
  const boxWith: typeof trouble.boxWith = (env) => trouble.boxWith(env);

  it("is tried again once it takes the password that it refused", async () => {
    const passwords = (folder: string) => join(folder, "passwords");
    const setPassword = (folder: string, password: string) => {
      writeFileSync(passwords(folder), `box:${password}\n`);
      execFileSync("mosquitto_passwd", ["-U", passwords(folder)]);
    };
    const broker = await brokerOf({
      prepare: (folder) => setPassword(folder, "other"),
      config: (folder) => [`password_file ${passwords(folder)}`],
    });
    const owner = await boxWith({
      MQTT_URL: `127.0.0.1:${broker.port}`,
      MQTT_USER: "box",
      MQTT_PASSWORD: "secret",
    });
    assert.match(await problemOf(owner), /user and password/);
    setPassword(broker.folder, "secret");
    await broker.stop();
    await broker.start();
    await stateOf(owner, isConnected);
    const told = owner.world.said.join();
    assert.doesNotMatch(told, /secret/);
    assert.doesNotMatch((await owner.ask("GET", "/api/mqtt")).text, /secret/);
    assert.doesNotMatch((await owner.ask("GET", "/api/diagnostics")).text, /secret/);
  });

  it("is not told the password of another", async () => {
    const owner = await boxWith({});
    const put = (change: object) => owner.ask("PUT", "/api/mqtt", change);
    await put({ enabled: false, url: "mqtt://one.example", user: "box", password: "secret" });
    await put({ prefix: "house" });
    assert.equal((await owner.get("/api/mqtt")).hasPassword, true);
    await put({ url: "mqtt://two.example" });
    assert.equal((await owner.get("/api/mqtt")).hasPassword, false);
  });

  it("is tried again once it is there", async () => {
    const broker = await brokerOf({});
    await broker.stop();
    const owner = await boxWith({ MQTT_URL: `127.0.0.1:${broker.port}` });
    assert.match(await problemOf(owner), /^Nothing answers at the broker's port/);
    await broker.start();
    await stateOf(owner, isConnected);
    assert.equal(owner.world.said.filter((line) => /^warn: MQTT/.test(line)).length, 1);
  });

  it("may send a message of a megabyte, and the box takes none of it", async () => {
    const broker = await brokerOf({});
    const owner = await boxWith({ MQTT_URL: `127.0.0.1:${broker.port}`, MQTT_VERSION: "3.1.1" });
    await stateOf(owner, isConnected);
    const ha = trouble.ending(await Listener.open(broker));
    const { box } = await owner.get("/api/mqtt");
    await ha.say(`tallydeck/${box}/channel/door/set`, Buffer.alloc(1_048_576, " "));
    assert.match(await problemOf(owner), /more than 128 kB/);
    await stateOf(owner, isConnected);
    await ha.say(`tallydeck/${box}/channel/door/set`, { text: "Open" });
    await ha.next(`tallydeck/${box}/channel/door/state`);
  });

  it("has to show a certificate that is trusted", async () => {
    const broker = await brokerOf({
      prepare: makeCertificates,
      config: (folder) => [
        "allow_anonymous true",
        `certfile ${join(folder, "server.pem")}`,
        `keyfile ${join(folder, "server.key")}`,
      ],
    });
    const MQTT_URL = `mqtts://localhost:${broker.port}`;
    const stranger = await boxWith({ MQTT_URL });
    assert.match(await problemOf(stranger), /certificate is signed by somebody/);
    const wrongName = await boxWith({
      MQTT_URL: MQTT_URL.replace("localhost", "127.0.0.1"),
      MQTT_CA: join(broker.folder, "ca.pem"),
    });
    assert.match(await problemOf(wrongName), /for another name/);
    const plain = await boxWith({ MQTT_URL: MQTT_URL.replace("mqtts", "mqtt") });
    assert.match(await problemOf(plain), /broker/);
    const knower = await boxWith({ MQTT_URL, MQTT_CA: join(broker.folder, "ca.pem") });
    await stateOf(knower, isConnected);
    const { ca } = await knower.get("/api/mqtt");
    assert.equal(ca, readFileSync(join(broker.folder, "ca.pem"), "utf8").trim());
  });
});
