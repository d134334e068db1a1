import assert from "node:assert/strict";
import { env, fixture, KEY, provisioned } from "./provisioned.ts";

const preseed = (...lines: string[]) => ({ "rpi-preseed.toml": `${lines.join("\n")}\n` });
const HOME = ["[wlan]", 'ssid = "home"'];

describe("(none) as a value", () => {
  it("makes the box forget a secret, and leaves the file once it did", () => {
    const first = provisioned(env("STATS_TOKEN=abc"));
    const second = provisioned(env("STATS_TOKEN=(none)"), first.kept);
    assert.deepEqual(second.values, {});
    assert.deepEqual(second.notes, ["STATS_TOKEN: the box has none any more"]);
    assert.deepEqual(second.left, env("STATS_TOKEN="));
  });

  it("makes the box forget a secret whichever file it came from, for good", () => {
    const first = provisioned({ "rpi-preseed.toml": fixture("rpi-preseed.toml") });
    const second = provisioned({ ...first.left, ...env("WIFI_PASSWORD=(none)") }, first.kept);
    assert.equal(second.values["wifi.password"], undefined);
    const third = provisioned({ ...first.left, ...env("#") }, second.kept);
    assert.equal(third.values["wifi.password"], undefined);
  });

  it("does not touch a password that another file gives later", () => {
    const first = provisioned({ ...preseed(...HOME), ...env("WIFI_PASSWORD=(none)") });
    const better = preseed(...HOME, 'password = "correct horse"');
    const second = provisioned({ ...first.left, ...better }, first.kept);
    assert.equal(second.values["wifi.password"], "correct horse");
    assert.deepEqual(second.ignored, []);
  });

  it("is said to count more than the password that another file gives with it", () => {
    const { ignored, values } = provisioned({
      ...preseed(...HOME, 'password = "correct horse"'),
      ...env("WIFI_PASSWORD=(none)"),
    });
    assert.equal(values["wifi.password"], undefined);
    assert.deepEqual(ignored, ["[wlan] password: tallydeck.env says (none), and that counts"]);
  });

  it("makes the box forget anything else too, for as long as it stands there", () => {
    const files = preseed("[ssh]", `authorized_keys = ["${KEY}"]`, "[system]", 'hostname = "box"');
    const first = provisioned(files);
    const none = env("SSH_KEY=(none)", "HOSTNAME=(none)");
    const second = provisioned({ ...files, ...none }, first.kept);
    assert.deepEqual(second.values, {});
    assert.deepEqual(second.left, { ...files, ...none });
    const third = provisioned({ ...files, ...env("#") }, second.kept);
    assert.deepEqual(third.values, first.values);
  });

  it("makes the box forget a network with its password", () => {
    const first = provisioned(preseed(...HOME, 'password = "correct horse"'));
    const second = provisioned({ ...first.left, ...env("WIFI_SSID=(none)") }, first.kept);
    assert.deepEqual(second.values, {});
    assert.ok(!JSON.stringify(second.kept).includes("correct horse"));
  });

  it("takes an ssh key that stands beside it", () => {
    for (const lines of [["SSH_KEY=(none)", `SSH_KEY=${KEY}`], [`SSH_KEY=${KEY}`]])
      assert.equal(provisioned(env(...lines)).values["ssh.keys"], KEY);
  });
});

describe("a file that is no longer on the card", () => {
  const first = provisioned({
    ...preseed("[ssh]", `authorized_keys = ["${KEY}"]`, "[system]", 'hostname = "box"'),
    ...env("HOSTNAME=mine"),
  });
  const left = env("HOSTNAME=mine");

  it("is reported once, with what of it still counts", () => {
    const second = provisioned(left, first.kept);
    assert.deepEqual(second.values, first.values);
    assert.deepEqual(second.results.at(-1), {
      file: "rpi-preseed.toml",
      findings: [{ label: "SSH_KEY", name: "ssh.keys" }],
      isGone: true,
    });
    assert.deepEqual(provisioned(left, second.kept).results, []);
  });

  it("is read again when it comes back", () => {
    const second = provisioned(left, first.kept);
    const third = provisioned({ ...first.left }, second.kept);
    assert.equal(third.results.length, 2);
  });

  it("is forgotten, setting by setting, by (none)", () => {
    const none = env("HOSTNAME=mine", "SSH_KEY=(none)");
    const second = provisioned(none, first.kept);
    assert.deepEqual(second.values, { hostname: "mine" });
    assert.equal(second.results.length, 1);
    assert.deepEqual(provisioned(left, second.kept).values, { hostname: "mine" });
  });
});
