import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Mosquitto } from "../helpers/mosquitto.ts";

const ROOT = join(import.meta.dirname, "../..");
const SCRIPT = join(ROOT, "scripts/bundle-mqtt.ts");

describe("the MQTT client in one file", () => {
  let folder = "";
  let file = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-bundle-"));
    file = join(folder, "client.mjs");
    execFileSync(process.execPath, [SCRIPT, file]);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("connects without a package beside it", async () => {
    const broker = await Mosquitto.open();
    const program = `
      import { connectMqtt } from ${JSON.stringify(file)};
      const to = { url: "mqtt://127.0.0.1:${broker.port}", user: "", password: "", version: "5", ca: "" };
      const will = { topic: "will", payload: "gone", retain: false, qos: 0 };
      const connection = connectMqtt(to, { clientId: "bundle", will, listenFor: ["a"] }, {
        connected: () => connection.publish({ topic: "a", payload: "there", retain: false, qos: 1 }),
        message({ payload }, done) {
          console.log(Buffer.from(payload).toString());
          done();
          connection.close();
        },
        closed() {},
        drained() {},
      });`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(said, "there\n");
    await broker.end();
  });

  it("is small, names no folder of this machine, and brings its licenses", () => {
    const text = readFileSync(file, "utf8");
    assert.ok(statSync(file).size < 500_000);
    assert.ok(!text.includes(ROOT));
    const licenses = readFileSync(`${file}.LICENSES`, "utf8");
    for (const name of ["mqtt 5.", "mqtt-packet", "readable-stream", "ws 8."])
      assert.ok(licenses.includes(name), name);
  });
});
