import assert from "node:assert/strict";
import { pbkdf2Sync } from "node:crypto";
import { effectsOf } from "../../../appliance/box/provision/effects.ts";
import { accessPoint, env, type Files, provisioned } from "./provisioned.ts";

/** The profile of the network to join, by its name. */
function profiles({ settings }: ReturnType<typeof provisioned>): string[] {
  return effectsOf(settings, "")
    .files.map(({ path }) => path)
    .filter((path) => path.startsWith("/var/lib/iwd/"))
    .map((path) => path.slice("/var/lib/iwd/".length));
}

describe("a network whose password cannot be used", () => {
  for (const [how, files] of Object.entries<Files>({
    "is too short": env("WIFI_SSID=home", "WIFI_PASSWORD=short"),
    "is misspelt": env("WIFI_SSID=home", "WIFI_PASSWORT=correct horse"),
    "is no KEY=VALUE": env("WIFI_PASSWORD correct horse", "WIFI_SSID=home"),
    "lacks a quote in TOML": {
      "rpi-preseed.toml": '[wlan]\nssid = "home"\npassword = "correct horse\n',
    },
    "is a number in TOML": {
      "rpi-preseed.toml": '[wlan]\nssid = "home"\npassword = 12345678\n',
    },
    "is a list in TOML": {
      "rpi-preseed.toml": '[wlan]\nssid = "home"\npassword = ["correct horse"]\n',
    },
    "is a list in YAML": accessPoint("home", "password: [correct horse]"),
    "is too short in YAML": accessPoint("home", "password: short"),
    "stands in another file": {
      "rpi-preseed.toml": '[wlan]\nssid = "home"\n',
      ...env("WIFI_PASSWORD=short"),
    },
    "is one user's": accessPoint(
      "home",
      "auth:",
      "  password: correct horse",
      "  key-management: eap",
      "  client-key-password: correct horse",
    ),
    "is one user's in TOML": {
      "rpi-preseed.toml":
        '[wlan]\nssid = "home"\npassword = "correct horse"\nkey_mgmt = "wpa-eap"\n',
    },
  }))
    it(`is not joined, nor taken for an open one: it ${how}`, () => {
      const outcome = provisioned(files);
      assert.deepEqual(profiles(outcome), []);
      assert.deepEqual(outcome.left, files);
      assert.match(outcome.ignored.join("\n"), /the network is not joined/);
      assert.match(outcome.ignored.join("\n"), /still in this file: remove it/);
    });

  it("leaves the network the box had", () => {
    for (const before of [
      env("WIFI_SSID=old", "WIFI_PASSWORD=correct horse", "WIFI_HIDDEN=1"),
      env("WIFI_SSID=cafe"),
    ]) {
      const first = provisioned(before);
      const second = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=short"), first.kept);
      assert.deepEqual(second.values, first.values);
      const name = Buffer.from(first.values["wifi.ssid"] ?? "", "hex").toString();
      assert.ok(second.ignored.join("\n").includes(`the box joins ${name} with what it kept`));
      assert.doesNotMatch(second.ignored.join("\n"), /the network is not joined/);
    }
  });

  it("is joined once the password is right", () => {
    const first = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=short"));
    const second = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=longer than that"), first.kept);
    assert.deepEqual(profiles(second), ["home.psk"]);
  });

  it("is joined with the password that came before its name could be used", () => {
    const first = provisioned(env(`WIFI_SSID=${"x".repeat(33)}`, "WIFI_PASSWORD=correct horse"));
    const second = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD="), first.kept);
    assert.deepEqual(profiles(second), ["home.psk"]);
  });
});

describe("a network without a password", () => {
  for (const [how, files] of Object.entries<Files>({
    "no line for one": env("WIFI_SSID=cafe"),
    "(none) for one": env("WIFI_SSID=cafe", "WIFI_PASSWORD=(none)"),
    "an access point without more": accessPoint("cafe"),
    "key management none": accessPoint("cafe", "auth:", "  key-management: none"),
    "key management owe": { "rpi-preseed.toml": '[wlan]\nssid = "cafe"\nkey_mgmt = "owe"\n' },
    "key management none above a blank password": {
      "rpi-preseed.toml": '[wlan]\nssid = "cafe"\nkey_mgmt = "none"\npassword = ""\n',
    },
    "no password in TOML": { "rpi-preseed.toml": '[wlan]\nssid = "cafe"\n' },
  }))
    it(`is an open one where that is meant, and said to be: ${how}`, () => {
      const outcome = provisioned(files);
      assert.deepEqual(profiles(outcome), ["cafe.open"]);
      assert.deepEqual(outcome.ignored, []);
      assert.match(outcome.notes.join(), /an open network, without a password/);
      const later = provisioned({ ...outcome.left, "user-data": "hostname: box\n" }, outcome.kept);
      assert.deepEqual(profiles(later), ["cafe.open"]);
    });

  for (const [how, files] of Object.entries<Files>({
    "a blank line": env("WIFI_SSID=home", "WIFI_PASSWORD="),
    "blank in TOML": { "rpi-preseed.toml": '[wlan]\nssid = "home"\npassword = ""\n' },
    "blank in YAML": accessPoint("home", 'password: ""'),
    "null in YAML": accessPoint("home", "password: null"),
    "an alias in YAML": accessPoint("home", "password: *ours"),
    "key management psk": accessPoint("home", "auth:", "  key-management: psk"),
    "key management sae": {
      "rpi-preseed.toml": '[wlan]\nssid = "home"\nkey_mgmt = "sae"\n',
    },
    "another name for the key": env("WIFI_SSID=home", "WIFI_KEY=correct horse"),
    "the name wpa_supplicant has for it": env("WIFI_SSID=home", "WPA_PASSPHRASE=correct horse"),
  }))
    it(`is not joined where one is expected, and the report says so: ${how}`, () => {
      const outcome = provisioned(files);
      assert.deepEqual(profiles(outcome), []);
      assert.match(outcome.ignored.join("\n"), /the network is not joined/);
      assert.match(
        outcome.ignored.join("\n"),
        /is empty, and the box has none for this network: write it again|write it$|still in this file/m,
      );
    });

  it("is not joined when the box has lost what it kept", () => {
    const first = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=correct horse"));
    assert.deepEqual(profiles(provisioned(first.left)), []);
  });

  it("is not joined when its name comes back above a blank line", () => {
    const first = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=correct horse"));
    const second = provisioned(env("#WIFI_SSID=home", "WIFI_PASSWORD="), first.kept);
    const third = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD="), second.kept);
    assert.deepEqual(profiles(third), []);
  });
});

describe("a password", () => {
  it("of other signs than ASCII is joined with as a hashed key, and said to work with WPA2 only", () => {
    const outcome = provisioned(env("WIFI_SSID=Café", "WIFI_PASSWORD=süß und gut"));
    const [profile] = effectsOf(outcome.settings, "").files.filter(({ path }) =>
      path.endsWith(".psk"),
    );
    const key = pbkdf2Sync("süß und gut", "Café", 4096, 32, "sha1").toString("hex");
    assert.match(profile?.content ?? "", new RegExp(`^PreSharedKey=${key}$`, "m"));
    assert.match(outcome.notes.join(), /WIFI_SSID: with a password of other .* WPA2 only/);
  });

  it("that is a hashed key is said to work with WPA2 only, as long as it is in force", () => {
    const first = provisioned(accessPoint("home", `password: ${"0123".repeat(16)}`));
    assert.match(first.notes.join(), /WPA2 only.*write the password itself as WIFI_PASSWORD/);
    const later = provisioned({ ...first.left, ...env("HOSTNAME=box") }, first.kept);
    assert.match(later.notes.join(), /WPA2 only/);
    const better = env("WIFI_SSID=home", "WIFI_PASSWORD=correct horse", "WIFI_COUNTRY=ch");
    assert.deepEqual(provisioned({ ...first.left, ...better }, later.kept).notes, []);
  });

  for (const quoted of ["“correct horse”", "„correct horse“", "‘correct horse’"])
    it(`loses the curly quotes that an editor made: ${quoted}`, () => {
      const { values } = provisioned(env("WIFI_SSID=home", `WIFI_PASSWORD=${quoted}`));
      assert.equal(values["wifi.password"], "correct horse");
    });
});

describe("a network", () => {
  it("without a country is said to have fewer channels", () => {
    const network = ["WIFI_SSID=home", "WIFI_PASSWORD=correct horse"];
    assert.match(provisioned(env(...network)).notes.join(), /WIFI_SSID: without WIFI_COUNTRY/);
    assert.deepEqual(provisioned(env(...network, "WIFI_COUNTRY=GB")).notes, []);
  });

  it("is refused a country that the radio does not know", () => {
    for (const country of ["UK", "EU", "EN", "SW", "00", "CHE"]) {
      const { values, ignored } = provisioned(env(`WIFI_COUNTRY=${country}`));
      assert.deepEqual(values, {});
      assert.match(ignored.join(), /GB for the United Kingdom/);
    }
  });

  it("that has a password but no name is asked for its name", () => {
    const { notes } = provisioned(env("WIFI_PASSWORD=correct horse"));
    assert.deepEqual(notes, ["WIFI_PASSWORD: is for no network: give its name as WIFI_SSID"]);
  });

  it("named under two interfaces has the password of the first", () => {
    const { values, ignored } = provisioned({
      "network-config":
        "wifis: {wlan0: {access-points: {a: {password: correct horse}}}, wlan1: {access-points: {a: {password: another horse}}}}\n",
    });
    assert.equal(values["wifi.password"], "correct horse");
    assert.match(ignored.join(), /wlan1.*the box joins one network: the first named/);
  });
});

describe("a corrected network name", () => {
  it("keeps the password the box has, above its blank line", () => {
    const first = provisioned(env("WIFI_SSID=hom", "WIFI_PASSWORD=correct horse"));
    assert.deepEqual(first.left, env("WIFI_SSID=hom", "WIFI_PASSWORD="));
    const second = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD="), first.kept);
    assert.deepEqual(profiles(second), ["home.psk"]);
    assert.equal(second.values["wifi.password"], "correct horse");
    assert.deepEqual(second.ignored, []);
  });

  it("does not keep a hashed key, which holds the name", () => {
    const first = provisioned(env("WIFI_SSID=hom", `WIFI_PASSWORD=${"0123".repeat(16)}`));
    const second = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD="), first.kept);
    assert.deepEqual(profiles(second), []);
    assert.match(second.ignored.join(), /WIFI_PASSWORD: is empty, and the box has none for this/);
  });

  it("of an open network leaves it open", () => {
    const first = provisioned(env("WIFI_SSID=caf", "WIFI_PASSWORD=(none)"));
    const second = provisioned(env("WIFI_SSID=cafe", "WIFI_PASSWORD="), first.kept);
    assert.deepEqual(profiles(second), ["cafe.open"]);
  });
});

describe("a secret the box has no use for", () => {
  for (const [label, files] of Object.entries<Files>({
    "[connect] token": { "rpi-preseed.toml": '[connect]\ntoken = "rpoak_secret"\n' },
    "[user] password": { "rpi-preseed.toml": '[user]\npassword = "$y$secret"\n' },
    "user.passwd": { "user-data": 'user:\n  passwd: "$y$secret"\n' },
    "users.0.plain_text_passwd": { "user-data": "users:\n- plain_text_passwd: secret\n" },
    "runcmd.0.2": {
      "user-data": "runcmd:\n- [ sh, -c, \"echo 'rpuak_abc' > /home/pi/auth.key\" ]\n",
    },
    "write_files.0.content": { "user-data": "write_files:\n- content: c2VjcmV0\n" },
    MQTT_KEY: env("MQTT_KEY=secret"),
    "chpasswd.list": { "user-data": "chpasswd:\n  list: |\n    pi:secret\n" },
    WIFI_PASSWORD: env("WIFI_PASSWORD=secret"),
    STATS_TOKEN_: env("STATS_TOKEN_=secret"),
    SMTP_PASSWORD: env("SMTP_PASSWORD=secret"),
    "network.wifis.wlan0.access-points.two.password": {
      "network-config":
        "network: {wifis: {wlan0: {access-points: {one: {}, two: {password: a secret}}}}}\n",
    },
  }))
    it(`is said to be still in its file: ${label}`, () => {
      const { ignored, left } = provisioned(files);
      const [said = ""] = ignored.filter((line) => line.startsWith(`${label}: `));
      assert.match(said, /; still in this file: remove it$/);
      assert.deepEqual(left, files);
    });

  it("is not said to be there when it is not", () => {
    for (const files of [
      { "rpi-preseed.toml": '[user]\nname = "anna"\npassword = ""\n' },
      { "user-data": "user:\n  passwd: null\n" },
      { "user-data": "runcmd:\n- [ setupcon, -k ]\n" },
      env("SSH_KEY=ssh-ed25519 AAAA"),
    ])
      assert.doesNotMatch(provisioned(files).ignored.join(), /still in this file/);
  });
});
