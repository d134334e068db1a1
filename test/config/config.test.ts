import assert from "node:assert/strict";
import { siteTokenKey } from "../../appliance/base/names.ts";
import { fromEnv, problemsOf } from "./reading.ts";

describe("the configuration", () => {
  it("names two collectors of one machine by their ports", () => {
    const name = (PORT: string) => fromEnv({ PORT }).nodeName;
    assert.equal(name("8481"), `${name("8480")}-8481`);
    assert.equal(fromEnv({ PORT: "8481", NODE_NAME: "attic" }).nodeName, "attic");
  });

  it("has a default for everything", () => {
    const { dataDir, siteTokens, ...rest } = fromEnv({ NODE_NAME: "here" });
    assert.deepEqual(rest, {
      sites: [],
      slips: [],
      adminToken: undefined,
      badgeSites: [],
      detailDays: 400,
      retentionDays: 800,
      placeKeepDays: 30,
      trustedProxies: [],
      waitForClock: false,
      port: 8480,
      host: undefined,
      webuiPort: 3000,
      bind: "127.0.0.1",
      allowedHosts: [],
      adminOpen: false,
      virtualDecks: [],
      demo: false,
      showCodeFile: "/boot/firmware/SHOW-CODE",
      consoleDevice: "",
      nameFile: "",
      wifiNameFile: "",
      keptLogFile: "",
      kernelLinesFile: "",
      root: undefined,
      backupDir: "",
      updatesDir: "",
      updates: { mode: "ask", url: "", key: "" },
      mqtt: undefined,
      publicAddress: undefined,
      tlsPort: undefined,
      databaseUrl: undefined,
      dayZone: undefined,
      nodeName: "here",
      metricsPort: undefined,
      metricsBind: "127.0.0.1",
      drainSeconds: 5,
    });
    assert.match(fromEnv({}).nodeName, /^[\w.-]+$/);
    assert.match(dataDir, /^\/.*\/data$/);
    assert.equal(siteTokens.size, 0);
  });

  it("reads every key", () => {
    const config = fromEnv({
      SITES: "blog, shop:Stats.Example.com:8480",
      STATS_TOKEN: "admin",
      STATS_TOKEN_BLOG: "blogs",
      BADGE_SITES: "blog,shop",
      DAY_ZONE: "europe/zurich",
      DETAIL_DAYS: "0",
      RETENTION_DAYS: "30",
      TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      WAIT_FOR_CLOCK: "1",
      DATA_DIR: "/var/lib/tallydeck",
      PORT: "80",
      HOST: "192.0.2.1",
      WEBUI_PORT: "0",
      BIND: "0.0.0.0",
      ALLOWED_HOSTS: "Box.example.org, deck",
      ADMIN_OPEN: "1",
      VIRTUAL_DECK: "mk2,plus,mk2",
      DEMO: "1",
      SHOW_CODE_FILE: "/media/SHOW-CODE",
      CONSOLE_DEVICE: "/dev/tty1",
      NAME_FILE: "/run/name",
      WIFI_NAME_FILE: "/run/wifi-name",
      KEPT_LOG_FILE: "/data/log",
      KERNEL_LINES_FILE: "/run/lines",
      ROOT_DIR: "/run",
      BACKUP_DIR: "/srv/backups",
      UPDATES_DIR: "/data/updates",
      UPDATES: "auto",
      UPDATE_URL: "https://Example.org/tallydeck/releases",
      UPDATE_KEY: "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
      MQTT_URL: "Broker.example.org:1884",
      MQTT_USER: "box",
      MQTT_PASSWORD: "secret",
      MQTT_PREFIX: "house/decks",
      MQTT_DISCOVERY: "ha",
      MQTT_VERSION: "3.1.1",
      PUBLIC_NAME: "Tally.Example.org",
      ACME_AGREE: "1",
      ACME_DIRECTORY: "https://ca.example.org/directory",
      DDNS: "duckdns",
      DDNS_USER: "me",
      DDNS_TOKEN: "hush",
      OPEN_PORT: "off",
      PUBLIC_DASHBOARD: "1",
      TLS_PORT: "443",
      DATABASE_URL: "postgresql://tally:a%40b@db1:5432,db2/tally?sslmode=require",
      NODE_NAME: "berlin-1",
      METRICS_PORT: "9100",
      METRICS_BIND: "0.0.0.0",
      DRAIN_SECONDS: "30",
    });
    assert.deepEqual(config, {
      sites: [
        { id: "blog", host: null },
        { id: "shop", host: "stats.example.com:8480" },
      ],
      slips: [],
      adminToken: "admin",
      siteTokens: new Map([["STATS_TOKEN_BLOG", "blogs"]]),
      badgeSites: ["blog", "shop"],
      detailDays: 0,
      retentionDays: 30,
      placeKeepDays: 30,
      trustedProxies: ["10.0.0.0/8", "::1"],
      waitForClock: true,
      dataDir: "/var/lib/tallydeck",
      port: 80,
      host: "192.0.2.1",
      webuiPort: 0,
      bind: "0.0.0.0",
      allowedHosts: ["box.example.org", "deck"],
      adminOpen: true,
      virtualDecks: ["mk2", "plus", "mk2"],
      demo: true,
      showCodeFile: "/media/SHOW-CODE",
      consoleDevice: "/dev/tty1",
      nameFile: "/run/name",
      wifiNameFile: "/run/wifi-name",
      keptLogFile: "/data/log",
      kernelLinesFile: "/run/lines",
      root: {
        machine: "/run/tallydeck-machine",
        power: "/run/tallydeck-power",
        reset: "/run/tallydeck-reset",
        stick: "/run/tallydeck_stick",
        tunnel: "/run/tallydeck-tunnel",
        update: "/run/tallydeck-update",
        wifi: "/run/tallydeck-wifi",
      },
      backupDir: "/srv/backups",
      updatesDir: "/data/updates",
      updates: {
        mode: "auto",
        url: "https://example.org/tallydeck/releases/",
        key: "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3",
      },
      mqtt: {
        enabled: true,
        url: "mqtt://broker.example.org:1884",
        user: "box",
        password: "secret",
        prefix: "house/decks",
        discovery: "ha",
        version: "3.1.1",
        ca: "",
      },
      publicAddress: {
        enabled: true,
        name: "tally.example.org",
        agreed: true,
        directory: "https://ca.example.org/directory",
        ca: "",
        ddns: "duckdns",
        ddnsUser: "me",
        ddnsToken: "hush",
        openPort: false,
        dashboard: true,
      },
      tlsPort: 443,
      databaseUrl: "postgresql://tally:a%40b@db1:5432,db2/tally?sslmode=require",
      dayZone: "Europe/Zurich",
      nodeName: "berlin-1",
      metricsPort: 9100,
      metricsBind: "0.0.0.0",
      drainSeconds: 30,
    });
  });

  it("takes an empty value for none", () => {
    const names = ["SITES", "STATS_TOKEN", "STATS_TOKEN_BLOG", "BADGE_SITES", "PORT", "DATA_DIR"];
    const empty = Object.fromEntries(names.map((name) => [name, ""]));
    assert.deepEqual(fromEnv(empty), fromEnv({}));
  });

  it("ignores what the environment has for others", () => {
    const others = { PATH: "/bin", HOME: "/root", STATS: "x", SITES_X: "!", stats_token: "x" };
    assert.deepEqual(fromEnv(others), fromEnv({}));
  });

  describe("SITES", () => {
    for (const [text, sites] of [
      ["a", [["a", null]]],
      ["0_-", [["0_-", null]]],
      ["a".repeat(32), [["a".repeat(32), null]]],
      [
        " a , b ",
        [
          ["a", null],
          ["b", null],
        ],
      ],
      ["a:stats.example.com", [["a", "stats.example.com"]]],
      ["a:192.168.1.9:8480", [["a", "192.168.1.9:8480"]]],
      ["a:[fd00::1]:8480", [["a", "[fd00::1]:8480"]]],
      ["a:localhost", [["a", "localhost"]]],
    ] as const)
      it(`may be ${JSON.stringify(text)}`, () => {
        const found = fromEnv({ SITES: text }).sites.map(({ id, host }) => [id, host]);
        assert.deepEqual(found, sites);
      });

    for (const text of [
      "admin",
      "a,Admin:x.example",
      "-a",
      "_a",
      "a b",
      "a.b",
      "ü",
      "a".repeat(33),
      "a,a",
      "a,A",
      "a:x.example,a:y.example",
      "a:x.example,b:x.example",
      "a:x.example,b:X.Example",
      "a:x.example,b:www.x.example",
      "a:",
      ":x.example",
      "a:https://x.example",
      "a:x.example/stats",
      "a:x.example:",
      "a:x.example:port",
      "a:x y",
    ])
      it(`may not be ${JSON.stringify(text)}`, () => {
        const [problem = "", ...more] = problemsOf({ SITES: text });
        assert.match(problem, /^SITES must be site ids/);
        assert.deepEqual(more, []);
      });

    for (const text of ["a,", ",a", "a,,a2", " , a"])
      it(`may have an empty entry, which is told: ${JSON.stringify(text)}`, () => {
        const { sites, slips } = fromEnv({ SITES: text });
        assert.equal(sites[0]?.id, "a");
        assert.match(slips.join(), /^SITES has an empty entry/);
      });

    it("has its ids in lower case", () => {
      assert.deepEqual(
        fromEnv({ SITES: "Acme:X.example,Notes", BADGE_SITES: "ACME" }),
        fromEnv({ SITES: "acme:x.example,notes", BADGE_SITES: "acme" }),
      );
    });

    it("may not name two sites whose tokens would have one name", () => {
      const [problem = ""] = problemsOf({ SITES: "my-site,my_site,other" });
      assert.match(problem, /my-site and my_site.*STATS_TOKEN_MY_SITE/);
    });
  });

  describe("a token", () => {
    for (const [id, key] of [
      ["blog", "STATS_TOKEN_BLOG"],
      ["my-site", "STATS_TOKEN_MY_SITE"],
      ["a-b_c-9", "STATS_TOKEN_A_B_C_9"],
    ] as const)
      it(`of the site ${id} is called ${key}`, () => {
        assert.equal(siteTokenKey(id), key);
        assert.equal(fromEnv({ [key]: "x" }).siteTokens.get(key), "x");
      });

    it("may not have spaces, and is not shown when it has", () => {
      const problems = problemsOf({ STATS_TOKEN: "se cret", STATS_TOKEN_BLOG: "also\tsecret" });
      const found = problems.map((problem) => problem.split(" ")[0]);
      assert.deepEqual(found, ["STATS_TOKEN_BLOG", "STATS_TOKEN"]);
      assert.doesNotMatch(problems.join(), /cret/);
    });
  });

  for (const [key, accepted, refused] of [
    ["BADGE_SITES", ["blog", "blog, shop"], ["blog,", "a b"]],
    [
      "DAY_ZONE",
      ["UTC", "Europe/Zurich", "US/Pacific", "america/new_york"],
      ["Mars/Base", "+05:30", "CET-1CEST", "local"],
    ],
    ["DETAIL_DAYS", ["0", "400", "36500"], ["-1", "1.5", "36501", "none"]],
    ["RETENTION_DAYS", ["1", "36500"], ["0", "-1", "1.5", "36501", "forever", "1e3"]],
    ["TRUSTED_PROXIES", ["::1", "10.0.0.0/8,fd00::/8"], ["10.0.0.0/33", "proxy", "10.0.0.1,", "*"]],
    ["WAIT_FOR_CLOCK", ["0", "1"], ["yes", "true", "2"]],
    ["PORT", ["0", "80", "65535"], ["-1", "65536", "http", "80.5", " "]],
    ["HOST", ["::1", "192.0.2.1", "localhost"], ["nowhere", "*", "1.2.3"]],
    ["WEBUI_PORT", ["0", "3000"], ["70000", "x"]],
    ["BIND", ["0.0.0.0", "::", "192.168.1.2", "fe80::1", "localhost"], ["a b", "*", "1.2.3.4/8"]],
    ["DATA_DIR", ["/srv/t", "relative", "with space"], ["a\0b"]],
  ] as const)
    describe(key, () => {
      for (const text of accepted)
        it(`may be ${JSON.stringify(text)}`, () => {
          assert.doesNotThrow(() => fromEnv({ [key]: text }));
        });

      for (const text of refused)
        it(`may not be ${JSON.stringify(text)}`, () => {
          const [problem = "", ...more] = problemsOf({ [key]: text });
          assert.match(problem, new RegExp(`^${key} must be .*\\.$`));
          assert.deepEqual(more, []);
        });
    });

  it("tells all its problems at once", () => {
    const env = { SITES: "A B", PORT: "x", RETENTION_DAYS: "0", BIND: "*", STATS_TOKEN_B: "a b" };
    const keys = problemsOf(env).map((problem) => problem.split(" ")[0]);
    assert.deepEqual(keys.sort(), ["BIND", "PORT", "RETENTION_DAYS", "SITES", "STATS_TOKEN_B"]);
  });
});
