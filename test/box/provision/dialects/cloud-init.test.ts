import assert from "node:assert/strict";
import { accessPoint, fixture, KEY, provisioned } from "../provisioned.ts";

const SSID = 'Café # "am See"';
const PMK = "0123456789abcdef".repeat(4);

describe("settings in cloud-init's files", () => {
  it("are applied from the files Raspberry Pi Imager writes for cloud-init", () => {
    const { values, ignored } = provisioned({
      "user-data": fixture("user-data"),
      "network-config": fixture("network-config"),
    });
    assert.equal(values.hostname, "counter");
    assert.equal(values.timezone, "Europe/Zurich");
    assert.equal(values["wifi.ssid"], Buffer.from(SSID).toString("hex"));
    assert.equal(values["wifi.password"], PMK);
    assert.equal(values["wifi.hidden"], "1");
    assert.equal(values["wifi.country"], "CH");
    assert.match(values["ssh.keys"] ?? "", /^ssh-ed25519 \S+ anna@laptop$/);
    assert.ok(ignored.includes("runcmd.0.0: nothing from this file is ever run or installed"));
    assert.deepEqual(
      ignored.map((line) => line.split(":")[0]).filter((label) => !label?.startsWith("runcmd")),
      [
        "packages.0",
        "apt.preserve_sources_list",
        "apt.conf",
        "keyboard.model",
        "keyboard.layout",
        "user.passwd",
        "ssh_pwauth",
        "rpi.interfaces.i2c",
      ],
    );
  });

  it("are applied with an ssh key in every place cloud-init has for one", () => {
    for (const lines of [
      `ssh_authorized_keys: ${KEY}`,
      `ssh_authorized_keys:\n- ${KEY}`,
      `user:\n  ssh_authorized_keys: ${KEY}`,
      `user:\n  ssh_authorized_keys:\n  - "${KEY}"`,
      `users:\n- name: anna\n  ssh_authorized_keys:\n  - ${KEY}`,
      `users:\n- ssh_authorized_keys: |\n    ${KEY}\n`,
    ])
      assert.equal(provisioned({ "user-data": lines }).values["ssh.keys"], KEY, lines);
  });

  for (const [written, ssid] of [
    ['"Caf\\xc3\\xa9"', "Café"],
    ['"Caf\\xe9"', "Café"],
    ["Café", "Café"],
    ['"\\xf0\\x9f\\xa6\\x8a"', "🦊"],
    ['"🦊\\xe9"', "🦊é"],
    ["007", "007"],
    ["1e3", "1e3"],
    ["null", "null"],
  ] as const)
    it(`mean the network ${ssid} when network-config says ${written}`, () => {
      const { values } = provisioned(accessPoint(written, "hidden: false"));
      assert.equal(values["wifi.ssid"], Buffer.from(ssid).toString("hex"));
    });

  it("keep what looks like a number as it is written", () => {
    for (const password of ["0123456789", "1234567890123456789012", "0x12345678"]) {
      const { values } = provisioned(accessPoint("home", `password: ${password}`));
      assert.equal(values["wifi.password"], password);
    }
    assert.equal(provisioned({ "user-data": "hostname: 0042" }).values.hostname, "0042");
  });

  it("take null in YAML for nothing said", () => {
    for (const nothing of ["null", "~", ""]) {
      const { values, ignored } = provisioned({
        "user-data": `hostname: ${nothing}\ntimezone: UTC\n`,
      });
      assert.deepEqual(values, { timezone: "UTC" });
      assert.deepEqual(ignored, []);
    }
  });

  it("leave a file that can be read again where a password in a block was", () => {
    for (const lineEnd of ["\n", "\r\n"]) {
      const files = accessPoint("home", "password: |-", "  correct horse", "hidden: true");
      const text = String(files["network-config"]).replaceAll("\n", lineEnd);
      const first = provisioned({ "network-config": text });
      assert.equal(first.values["wifi.password"], "correct horse");
      const again = { "network-config": `${first.left["network-config"]}#` };
      const second = provisioned(again, first.kept);
      assert.deepEqual(second.ignored, []);
      assert.equal(second.values["wifi.hidden"], "1");
    }
  });

  it("are refused with a word where user-data is no list of settings", () => {
    for (const text of [
      "#!/bin/sh\nhostnamectl set-hostname box\n",
      "#cloud-config\nhostname box\n",
    ])
      assert.match(
        provisioned({ "user-data": text }).ignored.join(),
        /^the file: is not a list of `key: value`; nothing from this file is ever run.*remove it$/,
      );
    assert.deepEqual(provisioned({ "user-data": "#cloud-config\n" }).ignored, []);
  });
});
