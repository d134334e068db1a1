import assert from "node:assert/strict";
import { join } from "node:path";
import { inOneLine, makeCertificates } from "../helpers/certificates.ts";
import { eachFolder } from "../helpers/folder.ts";
import { fromEnv, problemsOf } from "./reading.ts";

describe("the configuration", () => {
  describe("a database", () => {
    for (const [key, text] of [
      ["DATABASE_URL", "mysql://tally:secret@db/tally"],
      ["DATABASE_URL", "db.example.org"],
      ["DATABASE_URL", "postgres://tally:my secret@db/tally"],
      ["NODE_NAME", "berlin 1"],
      ["NODE_NAME", "a".repeat(64)],
      ["METRICS_PORT", "http"],
      ["METRICS_BIND", "metrics.example.org"],
    ] as const)
      it(`is not counted into with ${text} as ${key}`, () => {
        const [problem = "", ...more] = problemsOf({ [key]: text });
        assert.match(problem, new RegExp(`^${key} must be `));
        assert.doesNotMatch(problem, /secret/);
        assert.deepEqual(more, []);
      });

    it("is told how a blank in a password is written", () => {
      const [problem] = problemsOf({ DATABASE_URL: "postgres://tally:my secret@db/tally" });
      assert.match(problem ?? "", /^DATABASE_URL must be .* a blank in a password is written %20/);
    });

    it("shows metrics on a port of its own", () => {
      assert.match(problemsOf({ PORT: "9100", METRICS_PORT: "9100" }).join(), /^METRICS_PORT must/);
    });
  });

  describe("MQTT", () => {
    const folder = eachFolder();

    for (const [text, url] of [
      ["192.168.1.5", "mqtt://192.168.1.5"],
      ["homeassistant.local:1883", "mqtt://homeassistant.local:1883"],
      ["MQTTS://[fd00::1]/", "mqtts://[fd00::1]"],
    ] as const)
      it(`takes ${text} for a broker`, () => {
        assert.equal(fromEnv({ MQTT_URL: text }).mqtt?.url, url);
      });

    for (const [key, text] of [
      ["MQTT_URL", "http://broker"],
      ["MQTT_URL", "mqtt://box:secret@broker"],
      ["MQTT_URL", "mqtt://broker/path"],
      ["MQTT_URL", "bro ker"],
      ["MQTT_PREFIX", "a/#"],
      ["MQTT_PREFIX", "+"],
      ["MQTT_PREFIX", "/a"],
      ["MQTT_PREFIX", "$SYS"],
      ["MQTT_DISCOVERY", "a//b"],
      ["MQTT_VERSION", "4"],
      ["MQTT_CA", "/none"],
    ] as const)
      it(`refuses ${text} as ${key}`, () => {
        const [problem = "", ...more] = problemsOf({ [key]: text });
        assert.match(problem, new RegExp(`^${key} must be `));
        assert.deepEqual(more, []);
      });

    it("is told of a password without a user, and starts", () => {
      const { mqtt, slips } = fromEnv({ MQTT_URL: "broker", MQTT_PASSWORD: "secret" });
      assert.equal(mqtt?.url, "mqtt://broker");
      assert.match(slips.join(), /^MQTT_PASSWORD is left out/);
    });

    it("takes certificates from a file, or one in a line", () => {
      makeCertificates(folder());
      const file = join(folder(), "ca.pem");
      for (const text of [file, inOneLine(file)])
        assert.match(
          fromEnv({ MQTT_URL: "broker", MQTT_CA: text }).mqtt?.ca ?? "",
          /^-----BEGIN CERTIFICATE-----\n/,
        );
    });
  });

  describe("updates", () => {
    it("are told of, and come from nobody, unless something is said", () => {
      assert.deepEqual(fromEnv({}).updates, { mode: "ask", url: "", key: "" });
    });

    for (const [key, text] of [
      ["UPDATES", "on"],
      ["UPDATE_URL", "http://example.org/"],
      ["UPDATE_URL", "http://127.0.0.1/"],
      ["UPDATE_URL", "https://me:secret@example.org/"],
      ["UPDATE_URL", "https://example.org/?file="],
      ["UPDATE_KEY", "untrusted comment: minisign public key"],
      ["UPDATE_KEY", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO"],
    ] as const)
      it(`do not take ${text} as ${key}`, () => {
        assert.match(problemsOf({ [key]: text }).join(), new RegExp(`^${key} must be `));
      });
  });

  describe("a public address", () => {
    for (const [text, name] of [
      ["tally.example.org", "tally.example.org"],
      ["https://Tally.Example.org/", "tally.example.org"],
      ["tally.example.org.", "tally.example.org"],
      ["zähler.example.org", "xn--zhler-gra.example.org"],
      ["93.184.215.14", "93.184.215.14"],
      ["[2606:2800:21F::1]", "2606:2800:21f::1"],
    ] as const)
      it(`is named by ${text}`, () => {
        assert.equal(fromEnv({ PUBLIC_NAME: text }).publicAddress?.name, name);
      });

    for (const [key, text] of [
      ["PUBLIC_NAME", "tallydeck"],
      ["PUBLIC_NAME", "box.local"],
      ["PUBLIC_NAME", "tally.example.org:8443"],
      ["PUBLIC_NAME", "tally.example.org/path"],
      ["PUBLIC_NAME", "*.example.org"],
      ["PUBLIC_NAME", "1.2.3"],
      ["ACME_DIRECTORY", "http://ca.example.org/directory"],
      ["ACME_DIRECTORY", "ca.example.org"],
      ["ACME_CA", "/none"],
      ["ACME_AGREE", "yes"],
      ["DDNS", "http://dyn.example.org/"],
      ["DDNS", "Some Service"],
      ["OPEN_PORT", "on"],
      ["TLS_PORT", "65536"],
    ] as const)
      it(`is not made with ${text} as ${key}`, () => {
        const [problem = "", ...more] = problemsOf({
          PUBLIC_NAME: "tally.example.org",
          [key]: text,
        });
        assert.match(problem, new RegExp(`^${key} must be `));
        assert.deepEqual(more, []);
      });

    it("is off without a name, and what goes with one is told to be left out", () => {
      const { publicAddress, slips } = fromEnv({
        ACME_AGREE: "1",
        DDNS_TOKEN: "hush",
        ACME_CA: "",
      });
      assert.equal(publicAddress, undefined);
      assert.match(slips.join("\n"), /^ACME_AGREE is left out.*\nDDNS_TOKEN is left out/);
      assert.doesNotMatch(slips.join(), /hush/);
    });

    it("has a port of its own", () => {
      assert.match(
        problemsOf({ PORT: "443", TLS_PORT: "443" }).join(),
        /^TLS_PORT must be another/,
      );
    });
  });
});
