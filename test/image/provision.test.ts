import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { effectsOf } from "../../appliance/provision/effects.ts";
import { type Kept, NOTHING_KEPT, parseKept } from "../../appliance/provision/kept.ts";
import { DIALECTS, provision } from "../../appliance/provision/provision.ts";

import { timeZonesIn } from "../../appliance/provision/time-zones.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/provision");
const SSID = 'Café # "am See"';
const KEY =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRoaXMtaXMtYS10ZXN0LWtleS0wMTIzNDU2Nzg5YWJj anna@laptop";
const PMK = "0123456789abcdef".repeat(4);

type Files = Record<string, string | Uint8Array>;

function fixture(file: string): string {
  return readFileSync(join(FIXTURES, file.replace(/\.txt$/, "")), "utf8");
}

function provisioned(files: Files, before: Kept = NOTHING_KEPT) {
  const outcome = provision(
    before,
    (file) => {
      const content = files[file];
      return typeof content === "string" ? Buffer.from(content) : content;
    },
    timeZonesIn(join(FIXTURES, "zoneinfo")),
  );
  const values = Object.fromEntries(
    Object.entries(outcome.settings).map(([name, { value }]) => [name, value]),
  );
  const ignored = outcome.results.flatMap(({ findings }) =>
    findings.flatMap(({ label, ignored }) =>
      ignored === undefined ? [] : [`${label}: ${ignored}`],
    ),
  );
  const left = Object.fromEntries(
    outcome.results.map(({ file, rewritten }) => [file, rewritten ?? files[file]]),
  );
  return { ...outcome, values, ignored, left: left as Record<string, string> };
}

/** A `network-config` with one access point. */
function accessPoint(ssid: string, ...lines: string[]): Files {
  return {
    "network-config": [
      "network:",
      "  version: 2",
      "  wifis:",
      "    wlan0:",
      "      access-points:",
      `        ${ssid}:`,
      ...lines.map((line) => `          ${line}`),
      "",
    ].join("\n"),
  };
}

function env(...lines: string[]): Files {
  return { "tallydeck.env": `${lines.join("\n")}\n` };
}

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
  it("is an open one", () => {
    for (const files of [
      env("WIFI_SSID=cafe", "WIFI_PASSWORD="),
      accessPoint("cafe", "auth:", "  key-management: none"),
      { "rpi-preseed.toml": '[wlan]\nssid = "cafe"\n' },
    ] as Files[])
      assert.deepEqual(profiles(provisioned(files)), ["cafe.open"]);
  });
});

describe("a secret the box has no use for", () => {
  for (const [label, files] of Object.entries<Files>({
    "[connect] token": { "rpi-preseed.toml": '[connect]\ntoken = "rpoak_secret"\n' },
    "[user] password": { "rpi-preseed.toml": '[user]\npassword = "$y$secret"\n' },
    "user.passwd": { "user-data": 'user:\n  passwd: "$y$secret"\n' },
    "users.0.plain_text_passwd": { "user-data": "users:\n- plain_text_passwd: secret\n" },
    "chpasswd.list": { "user-data": "chpasswd:\n  list: |\n    pi:secret\n" },
    WIFI_PASSWORD: env("WIFI_PASSWORD=secret"),
    STATS_TOKEN_: env("STATS_TOKEN_=secret"),
    MQTT_PASSWORD: env("MQTT_PASSWORD=secret"),
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
    ])
      assert.doesNotMatch(provisioned(files).ignored.join(), /still in this file/);
  });
});

describe("settings on the boot partition", () => {
  it("are applied from the file Raspberry Pi Imager writes for rpi-preseed", () => {
    const { values, ignored } = provisioned({ "rpi-preseed.toml": fixture("rpi-preseed.toml") });
    assert.equal(values.hostname, "counter");
    assert.equal(values.timezone, "Europe/Zurich");
    assert.equal(values["wifi.ssid"], Buffer.from(SSID).toString("hex"));
    assert.equal(values["wifi.password"], PMK);
    assert.equal(values["wifi.hidden"], "1");
    assert.equal(values["wifi.country"], "CH");
    assert.match(values["ssh.keys"] ?? "", /^ssh-ed25519 \S+ anna@laptop$/);
    assert.deepEqual(
      ignored.map((line) => line.split(":")[0]),
      ["[user] name", "[user] password", "[user] groups", "[locale] keymap"],
    );
  });

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
      ignored.filter((line) => line.startsWith("user.")).map((line) => line.split(":")[0]),
      ["user.passwd"],
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
      const { values, left } = provisioned(accessPoint("home", `password: ${nothing}`));
      assert.deepEqual(values, { "wifi.ssid": Buffer.from("home").toString("hex") });
      assert.match(left["network-config"] ?? "", new RegExp(`password: ${nothing}\n`));
    }
  });

  it("leave a file that can be read again where a password in a block was", () => {
    for (const lineEnd of ["\n", "\r\n"]) {
      const files = accessPoint("home", "password: |-", "  correct horse", "hidden: true");
      const text = String(files["network-config"]).replaceAll("\n", lineEnd);
      const first = provisioned({ "network-config": text });
      assert.equal(first.values["wifi.password"], "correct horse");
      const second = provisioned({ "network-config": `${first.left["network-config"]}#` });
      assert.deepEqual(second.ignored, []);
      assert.equal(second.values["wifi.hidden"], "1");
    }
  });

  it("are applied from tallydeck.env, with every sign inside a value", () => {
    const { values, ignored } = provisioned({ "tallydeck.env": fixture("tallydeck.env") });
    assert.equal(values["wifi.ssid"], Buffer.from(SSID).toString("hex"));
    assert.equal(values["wifi.password"], 's3cr#t "word"\\');
    assert.equal(values["service.SITES"], "blog,shop:stats.shop.example");
    assert.equal(values["service.STATS_TOKEN"], "let-me-in-please");
    assert.deepEqual(ignored, []);
  });

  it("are applied from tallydeck.env.txt, but what tallydeck.env says counts more", () => {
    const { values } = provisioned({
      "tallydeck.env.txt": "HOSTNAME=txt\nTIMEZONE=UTC\n",
      ...env("HOSTNAME=env"),
    });
    assert.deepEqual(values, { hostname: "env", timezone: "UTC" });
  });

  for (const [file, advice] of [
    ["wpa_supplicant.conf", /WIFI_SSID and WIFI_PASSWORD.*remove this file/],
    ["ssh", /SSH_KEY/],
    ["ssh.txt", /SSH_KEY/],
    ["userconf.txt", /no accounts.*remove this file/],
    ["firstrun.sh", /nothing from this file is ever run.*remove this file/],
    ["custom.toml", /write what it sets into tallydeck\.env/],
  ] as const)
    it(`do not come from ${file}, and the report says what to do instead`, () => {
      const first = provisioned({ [file]: "psk=secret\n" });
      assert.deepEqual(first.values, {});
      assert.match(first.ignored.join(), advice);
      assert.deepEqual(provisioned(first.left, first.kept).results, []);
    });

  for (const [what, mangle] of Object.entries<(text: string) => string | Uint8Array>({
    "Windows line ends": (text) => text.replaceAll("\n", "\r\n"),
    "a byte order mark": (text) => `\uFEFF${text}`,
    "UTF-16 from Notepad": (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
    "no line end at the end": (text) => text.trimEnd(),
  }))
    for (const file of DIALECTS.keys())
      it(`mean the same in ${file} with ${what}`, () => {
        const plain = provisioned({ [file]: fixture(file) });
        const mangled = provisioned({ [file]: mangle(fixture(file)) });
        assert.deepEqual(mangled.values, plain.values);
        assert.deepEqual(mangled.ignored, plain.ignored);
      });

  it("apply the good keys and report the bad ones", () => {
    const { values, ignored } = provisioned(
      env(
        "HOSTNAME=my_box!",
        "TIMEZONE=Mars/Base",
        "WIFI_COUNTRY=CH",
        "PORT=81",
        "SITES=a,a",
        "what",
      ),
    );
    assert.deepEqual(values, { "wifi.country": "CH" });
    assert.deepEqual(
      ignored.map((line) => line.slice(0, 40)),
      [
        "HOSTNAME: must be a name of up to 63 let",
        "TIMEZONE: must be a time zone this box h",
        "PORT: this box does not know it",
        "SITES: must be site ids, comma separated",
        "line 6: is not KEY=VALUE",
      ],
    );
  });

  it("leave a file without secrets as it is, with Windows line ends and old Mac ones too", () => {
    for (const text of ["HOSTNAME=box\r\n", "# x\r\n#HOSTNAME=box\r\n", "HOSTNAME=box\rSITES=a"])
      assert.deepEqual(
        provisioned({ "tallydeck.env": text }).results.map(({ rewritten }) => rewritten),
        [undefined],
      );
  });

  it("leave all but the secret of a line as it is", () => {
    const { left } = provisioned({
      "tallydeck.env": "SITES=a\r\n  export STATS_TOKEN = abc \r\nHOSTNAME=box\n",
    });
    assert.equal(left["tallydeck.env"], "SITES=a\r\n  export STATS_TOKEN =\r\nHOSTNAME=box\n");
  });

  it("may have the name of something every JavaScript object has", () => {
    const { ignored } = provisioned({
      ...env("constructor=1", "toString=1"),
      "rpi-preseed.toml": "constructor = 1\n",
    });
    assert.equal(ignored.length, 3);
  });

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

  it("are refused as a number in TOML, which may not be what was meant", () => {
    const { values, ignored } = provisioned({ "rpi-preseed.toml": "[wlan]\npassword = 1e10\n" });
    assert.deepEqual(values, {});
    assert.match(ignored[0] ?? "", /^\[wlan\] password: must be a text: write it in quotes/);
  });

  for (const [written, zone] of [
    ["Europe/Zurich", "Europe/Zurich"],
    ["europe/zurich", "Europe/Zurich"],
    ["utc", "UTC"],
    ["US/Pacific", "America/Los_Angeles"],
    ["America/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["Europe/Kiev", "Europe/Kyiv"],
  ] as const)
    it(`mean the time zone ${zone} by ${written}, as the box has it`, () => {
      assert.equal(provisioned(env(`TIMEZONE=${written}`)).values.timezone, zone);
    });

  it("are refused with a time zone the box does not have", () => {
    for (const written of ["Europe/Oslo", "zone.tab", "posix/US/Pacific", "../UTC", "+01:00"]) {
      const { values, ignored } = provisioned(env(`TIMEZONE=${written}`));
      assert.deepEqual(values, {});
      assert.match(ignored[0] ?? "", /^TIMEZONE: must be a time zone this box has/);
    }
  });

  it("never run a command hidden in an ssh key", () => {
    const { values } = provisioned(env(`SSH_KEY=command="reboot" ${KEY}`));
    assert.deepEqual(values, {});
  });

  it("leave no secret behind in any dialect once they are kept", () => {
    for (const [file, secret] of [
      ["rpi-preseed.toml", PMK],
      ["network-config", PMK],
      ["tallydeck.env", "s3cr#t"],
      ["tallydeck.env", "let-me-in-please"],
    ] as const) {
      const { left } = provisioned({ [file]: fixture(file) });
      assert.ok(fixture(file).includes(secret));
      assert.ok(!left[file]?.includes(secret), `${file} still holds ${secret}`);
    }
  });

  it("are not read again while the file stays as the box left it", () => {
    for (const file of DIALECTS.keys()) {
      const first = provisioned({ [file]: fixture(file) });
      const second = provisioned(first.left, first.kept);
      assert.deepEqual(second.results, []);
      assert.deepEqual(second.kept, first.kept);
    }
  });

  it("keep a secret when the file changes and no longer holds it", () => {
    for (const file of DIALECTS.keys()) {
      const first = provisioned({ [file]: fixture(file) });
      const second = provisioned({ [file]: `${first.left[file]}\n# looked at\n` }, first.kept);
      assert.equal(second.results.length, 1);
      assert.deepEqual(second.values, first.values);
    }
  });

  it("forget what a changed file no longer says", () => {
    const first = provisioned(env("SITES=blog", "HOSTNAME=box"));
    assert.deepEqual(provisioned(env("HOSTNAME=box"), first.kept).values, { hostname: "box" });
  });

  it("fall back to what another file on the card still says", () => {
    const preseed = fixture("rpi-preseed.toml");
    const first = provisioned({
      "rpi-preseed.toml": preseed,
      ...env("HOSTNAME=mine", "WIFI_SSID=cafe", "WIFI_PASSWORD=correct horse"),
    });
    assert.equal(first.values.hostname, "mine");
    assert.equal(first.values["wifi.password"], "correct horse");
    assert.equal(first.values["wifi.hidden"], undefined);
    const second = provisioned(
      { ...first.left, ...env("#HOSTNAME=mine", "#WIFI_SSID=cafe") },
      first.kept,
    );
    assert.deepEqual(
      second.values,
      provisioned({ "rpi-preseed.toml": preseed }).values,
      "the password of its network too",
    );
  });

  it("stay when their file is gone, below what the others say", () => {
    const first = provisioned(env("HOSTNAME=mine", "SITES=blog"));
    const gone = provisioned({}, first.kept);
    assert.deepEqual(gone.values, first.values);
    const other = provisioned({ "user-data": "timezone: UTC\n" }, gone.kept);
    assert.deepEqual(other.values, { ...first.values, timezone: "UTC" });
  });

  it("take an ssh key with more than one space between its parts", () => {
    const { values } = provisioned(env(`SSH_KEY=${KEY.replaceAll(" ", "  ")}`));
    assert.equal(values["ssh.keys"], KEY);
  });

  it("hold the ssh keys of all files", () => {
    const bob = KEY.replace("anna@laptop", "bob@pc");
    const files = { "user-data": fixture("user-data"), ...env(`SSH_KEY=${bob}`, `SSH_KEY=${KEY}`) };
    const first = provisioned(files);
    assert.equal(first.values["ssh.keys"], `${KEY}\n${bob}`);
    const second = provisioned({ ...files, ...env("HOSTNAME=box") }, first.kept);
    assert.equal(second.values["ssh.keys"], KEY);
  });

  it("are reported of every file once one has changed, with the file that has the last word", () => {
    const files = {
      "rpi-preseed.toml":
        '[system]\nhostname = "imager"\ncolour = 1\n[wlan]\nssid = "home"\nhidden = true\n',
    };
    const first = provisioned({ ...files, ...env("SITES=a") });
    const second = provisioned({ ...files, ...env("HOSTNAME=mine", "WIFI_SSID=b") }, first.kept);
    assert.deepEqual(second.ignored, [
      "[system] hostname: tallydeck.env says it too, and that counts",
      "[system] colour: this box does not know it",
      "[wlan] ssid: tallydeck.env says it too, and that counts",
      "[wlan] hidden: tallydeck.env says it too, and that counts",
    ]);
  });

  it("do not give the password of one network to another", () => {
    const first = provisioned(env("WIFI_SSID=home", "WIFI_PASSWORD=correct horse"));
    const second = provisioned(env("WIFI_SSID=cafe"), first.kept);
    assert.equal(second.values["wifi.password"], undefined);
  });

  it("forget a secret that is (none)", () => {
    const first = provisioned(env("STATS_TOKEN=abc"));
    assert.deepEqual(provisioned(env("STATS_TOKEN=(none)"), first.kept).values, {});
  });

  it("forget a secret that is (none) whichever file it came from, for good", () => {
    const first = provisioned({ "rpi-preseed.toml": fixture("rpi-preseed.toml") });
    const second = provisioned({ ...first.left, ...env("WIFI_PASSWORD=(none)") }, first.kept);
    assert.equal(second.values["wifi.password"], undefined);
    const third = provisioned({ ...first.left, ...env("#") }, second.kept);
    assert.equal(third.values["wifi.password"], undefined);
  });

  it("count as not seen when what the box kept is damaged", () => {
    for (const text of ["", "{", "[]", '{"a":{"seen":"","says":{"b":1}}}', '{"a":{"seen":""}}'])
      assert.deepEqual(parseKept(text), NOTHING_KEPT);
  });

  it("survive 500 seeded manglings: no throw, no control character, only known settings", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = mulberry32(seed);
      const files = Object.fromEntries(
        [...DIALECTS.keys()].map((file) => [file, mangled(fixture(file), random)]),
      );
      const { kept, settings, values, left } = provisioned(files);
      for (const { path, content } of effectsOf(settings, "").files) {
        assert.ok(!/[^\n\P{Cc}]/u.test(content), `seed ${seed}: ${path} holds a control character`);
        assert.ok(
          /^\/(?:etc|run\/tallydeck|var\/lib\/iwd)\/[^/]/.test(path),
          `seed ${seed}: ${path}`,
        );
        assert.ok(
          !path.slice(13).includes("/") || !path.startsWith("/var/lib/iwd/"),
          `seed ${seed}: ${path}`,
        );
      }
      for (const [name, value] of Object.entries(values))
        assert.ok(KNOWN.test(name) && value.length > 0, `seed ${seed}: ${name}=${value}`);
      assert.deepEqual(provisioned(left, kept).results, [], `seed ${seed}`);
    }
  });
});

const KNOWN =
  /^(?:hostname|timezone|wifi\.(?:country|ssid|password|hidden)|ssh\.keys|time\.(?:host|servers)|service\.(?:SITES|BADGE_SITES|STATS_TOKEN\w*))$/;

/** Bytes flipped, cut, doubled, swapped and thrown in, as a worn card or a hasty editor would. */
function mangled(text: string, random: () => number): Uint8Array {
  let bytes = Buffer.from(text);
  const at = () => Math.floor(random() * (bytes.length + 1));
  const NOISE = [
    "\0",
    "\n",
    "\r",
    '"',
    "'",
    "#",
    "=",
    ":",
    "[",
    "]",
    "{",
    "&a",
    "*a",
    "\\",
    "../",
    "\uFEFF",
    "🦊",
    "- ",
    "\t",
    "$(reboot)",
  ];
  for (let count = 1 + Math.floor(random() * 8); count > 0; count--) {
    const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number];
    const kind = Math.floor(random() * 5);
    const noise = Buffer.from(NOISE[Math.floor(random() * NOISE.length)] ?? "");
    if (kind === 0) bytes = Buffer.concat([bytes.subarray(0, from), noise, bytes.subarray(from)]);
    else if (kind === 1)
      bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.min(to, from + 40))]);
    else if (kind === 2 && bytes.length < 10_000)
      bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    else if (kind === 3 && from < bytes.length) bytes[from] = Math.floor(random() * 256);
    else bytes = Buffer.concat([bytes.subarray(0, from), noise, noise, bytes.subarray(from)]);
  }
  return bytes;
}

/** A small seeded generator: the seed in a failure's message brings the failure back. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
