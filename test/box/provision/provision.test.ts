import assert from "node:assert/strict";
import { NOTHING_KEPT, parseKept } from "../../../appliance/box/provision/kept.ts";
import { DIALECTS } from "../../../appliance/box/provision/provision.ts";
import { env, fixture, KEY, provisioned } from "./provisioned.ts";

const SSID = 'Café # "am See"';
const PMK = "0123456789abcdef".repeat(4);

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
    const found = ignored.map((line) => line.split(":")[0]);
    assert.deepEqual(found, ["[user] name", "[user] password", "[user] groups", "[locale] keymap"]);
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
    "UTF-16 without a byte order mark": (text) => Buffer.from(text, "utf16le"),
    "UTF-16 of the other byte order": (text) => Buffer.from(text, "utf16le").swap16(),
    "no line end at the end": (text) => text.trimEnd(),
  }))
    for (const file of DIALECTS.keys())
      it(`mean the same in ${file} with ${what}`, () => {
        const plain = provisioned({ [file]: fixture(file) });
        const mangled = provisioned({ [file]: mangle(fixture(file)) });
        assert.deepEqual(mangled.values, plain.values);
        assert.deepEqual(mangled.ignored, plain.ignored);
      });

  it("mean the same in Windows-1252, and are written back as UTF-8", () => {
    const text = "# für die Küche\nWIFI_SSID=Café\nWIFI_PASSWORD=correct horse\n";
    const { values, left } = provisioned({ "tallydeck.env": Buffer.from(text, "latin1") });
    assert.equal(values["wifi.ssid"], Buffer.from("Café").toString("hex"));
    assert.equal(left["tallydeck.env"], text.replace("correct horse", ""));
  });

  it("are refused with a sign that ends a line elsewhere", () => {
    for (const sign of ["\u2028", "\u2029", "\u0085"])
      for (const key of ["SITES", "ALLOWED_HOSTS", "STATS_TOKEN", "WIFI_SSID"])
        assert.deepEqual(provisioned(env(`${key}=a,${sign}b`)).values, {}, key);
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

  it("name the broker of a home automation, whose password leaves the card", () => {
    const lines = [
      "MQTT_URL=192.168.1.5",
      "MQTT_USER=box",
      "MQTT_PASSWORD=hush",
      "MQTT_PREFIX=a/#",
    ];
    const { values, ignored, left } = provisioned(env(...lines));
    assert.deepEqual(values, {
      "service.MQTT_URL": "192.168.1.5",
      "service.MQTT_USER": "box",
      "service.MQTT_PASSWORD": "hush",
    });
    assert.match(ignored.join(), /^MQTT_PREFIX: must be 1 to 64/);
    assert.match(left["tallydeck.env"] ?? "", /^MQTT_PASSWORD=$/m);
  });

  it("name the box's public address, and whose token leaves the card", () => {
    const lines = [
      "PUBLIC_NAME=stats.example.org",
      "ACME_AGREE=1",
      "DDNS=dynu",
      "DDNS_USER=box",
      "DDNS_TOKEN=hush",
      "OPEN_PORT=maybe",
      "PUBLIC_DASHBOARD=0",
    ];
    const { values, ignored, left } = provisioned(env(...lines));
    assert.deepEqual(values, {
      "service.PUBLIC_NAME": "stats.example.org",
      "service.ACME_AGREE": "1",
      "service.DDNS": "dynu",
      "service.DDNS_USER": "box",
      "service.DDNS_TOKEN": "hush",
      "service.PUBLIC_DASHBOARD": "0",
    });
    assert.match(ignored.join(), /^OPEN_PORT: must be/);
    assert.match(left["tallydeck.env"] ?? "", /^DDNS_TOKEN=$/m);
  });

  it("say where releases come from, by https alone, and who signs them", () => {
    const key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    const { values, ignored, left } = provisioned(
      env("UPDATES=auto", "UPDATE_URL=http://example.org/", `UPDATE_KEY=${key}`, "ROOT_DIR=/"),
    );
    assert.deepEqual(values, { "service.UPDATES": "auto", "service.UPDATE_KEY": key });
    assert.match(ignored[0] ?? "", /^UPDATE_URL: must be an https:\/\/ address/);
    assert.match(ignored[1] ?? "", /^ROOT_DIR: /);
    assert.match(left["tallydeck.env"] ?? key, new RegExp(key));
  });

  it("say by which zone days begin, and for how long what came together is kept", () => {
    const { values, ignored } = provisioned(env("DAY_ZONE=Asia/Kolkata", "DETAIL_DAYS=0"));
    assert.deepEqual(ignored, []);
    assert.deepEqual(values, { "service.DAY_ZONE": "Asia/Kolkata", "service.DETAIL_DAYS": "0" });
    assert.match(
      provisioned(env("DAY_ZONE=Mars/Olympus")).ignored.join(),
      /DAY_ZONE.*must be a time zone by its IANA name/,
    );
  });

  it("take a broker's certificate in one line, and from no file", () => {
    const { ignored } = provisioned(env("MQTT_CA=/etc/hostname", "ACME_CA=/etc/hostname"));
    assert.match(ignored[0] ?? "", /^MQTT_CA: must be the text of a certificate/);
    assert.match(ignored[1] ?? "", /^ACME_CA: must be the text of a certificate/);
  });

  it("may have the name of something every JavaScript object has", () => {
    const { ignored } = provisioned({
      ...env("constructor=1", "toString=1"),
      "rpi-preseed.toml": "constructor = 1\n",
    });
    assert.equal(ignored.length, 3);
  });

  for (const [written, zone] of [
    ["Europe/Zurich", "Europe/Zurich"],
    ["europe/zurich", "Europe/Zurich"],
    ["utc", "UTC"],
    ["etc/utc", "Etc/UTC"],
    ["asia/kolkata", "Asia/Kolkata"],
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

  it("take an ssh key with more than one space between its parts, or a tab", () => {
    for (const space of ["  ", "\t"]) {
      const { values } = provisioned(env(`SSH_KEY=${KEY.replaceAll(" ", space)}`));
      assert.equal(values["ssh.keys"], KEY);
    }
  });

  it("are refused with a name that every computer calls itself", () => {
    assert.match(provisioned(env("HOSTNAME=localhost")).ignored.join(), /and not localhost/);
  });

  it("stay when their file has become too large to be read", () => {
    const first = provisioned(env("HOSTNAME=box"));
    const second = provisioned(env("HOSTNAME=other", "#".repeat(70_000)), first.kept);
    assert.deepEqual(second.values, { hostname: "box" });
    assert.match(second.ignored.join(), /^the file: is larger than 64 kB/);
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

  it("count as not seen when what the box kept is damaged", () => {
    for (const text of ["", "{", "[]", '{"a":{"seen":"","says":{"b":1}}}', '{"a":{"seen":""}}'])
      assert.deepEqual(parseKept(text), NOTHING_KEPT);
  });
});
