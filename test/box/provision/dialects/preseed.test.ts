import assert from "node:assert/strict";
import { KEY, provisioned } from "../provisioned.ts";

describe("settings in rpi-preseed.toml", () => {
  it("cost one broken line only, in TOML too", () => {
    const { values, ignored } = provisioned({
      "rpi-preseed.toml": '[system]\nhostname = "box\n[locale]\ntimezone = "UTC"\n',
    });
    assert.deepEqual(values, { timezone: "UTC" });
    assert.deepEqual(ignored, ["line 2: is not valid TOML"]);
  });

  it("are read from a table within a line of TOML, and only its secret is taken away", () => {
    const { values, ignored, left } = provisioned({
      "rpi-preseed.toml": [
        'wlan = { ssid = \'home\', password = "correct horse", hidden = true } # "ours"',
        'system.hostname = "box"',
        "[[colours]]",
        'red = "a"',
        "[ssh]",
        `authorized_keys = ["${KEY}"]`,
      ].join("\n"),
    });
    assert.deepEqual(values, {
      hostname: "box",
      "ssh.keys": KEY,
      "wifi.ssid": Buffer.from("home").toString("hex"),
      "wifi.password": "correct horse",
      "wifi.hidden": "1",
    });
    assert.deepEqual(ignored, ["[colours] red: this box does not know it"]);
    assert.match(
      left["rpi-preseed.toml"] ?? "",
      /^wlan = \{ ssid = 'home', password = "", hidden = true \} # "ours"\n/,
    );
  });

  it("lose their secret in TOML in whatever quotes it stands", () => {
    for (const text of ['"say \\"hi\\" there"', "'say \"hi\" there'", '"""say \\"hi\\" there"""']) {
      const { values, left } = provisioned({
        "rpi-preseed.toml": `[wlan]\r\npassword = ${text} # x\r\n`,
      });
      assert.equal(values["wifi.password"], 'say "hi" there');
      assert.equal(left["rpi-preseed.toml"], '[wlan]\r\npassword = "" # x\r\n');
    }
  });

  it("lose their secret only, though another value is the same", () => {
    const { left } = provisioned({
      "rpi-preseed.toml": 'wlan = { ssid = "correct horse", "password" = "correct horse" }\n',
    });
    assert.equal(left["rpi-preseed.toml"], 'wlan = { ssid = "correct horse", "password" = "" }\n');
  });

  it("are refused as a number in TOML, which may not be what was meant", () => {
    const { values, ignored } = provisioned({ "rpi-preseed.toml": "[wlan]\npassword = 1e10\n" });
    assert.deepEqual(values, {});
    assert.match(ignored[0] ?? "", /^\[wlan\] password: must be a text: write it in quotes/);
  });

  it("are refused with a word where TOML has a list of tables", () => {
    const { values, ignored } = provisioned({
      "rpi-preseed.toml": [
        "colours = [{ red = 1 }]",
        "[wlan]",
        'ssid = "home"',
        "key_mgmt = [{ a = 1 }]",
        "[time]",
        "ntp = [{ a = 1 }]",
      ].join("\n"),
    });
    assert.deepEqual(values, {});
    assert.equal(ignored.length, 4);
  });
});
