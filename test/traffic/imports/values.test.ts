import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dimension } from "../../../appliance/base/text/dimensions.ts";
import { pagePath, storable } from "../../../appliance/base/text/storable.ts";
import { createVisitorCache } from "../../../appliance/traffic/collector/counting/visitor.ts";
import { CHROME, FIREFOX } from "../../helpers/access-logs.ts";
import { eachFolder } from "../../helpers/folder.ts";
import {
  csv,
  ga4Report,
  goatcounterCsv,
  goatcounterJson,
  jsonl,
  smallPlausible,
  umamiEvents,
  writePlausible,
  writeZip,
} from "../../helpers/foreign-exports.ts";
import { contentOf, inspected, valuesOf } from "../../helpers/inspecting.ts";

/** Countries as Google Analytics calls them, where that is not what CLDR does, and older names of the same. */
const OF_GA4: Readonly<Record<string, string>> = {
  Turkey: "TR",
  "Hong Kong": "HK",
  Macao: "MO",
  Macau: "MO",
  Palestine: "PS",
  "Cabo Verde": "CV",
  "Czech Republic": "CZ",
  Swaziland: "SZ",
  "Macedonia (FYROM)": "MK",
  "Cote d'Ivoire": "CI",
  "The Bahamas": "BS",
  "The Gambia": "GM",
  "Congo (DRC)": "CD",
  "Congo (Republic)": "CG",
  "Democratic Republic of the Congo": "CD",
  "Republic of the Congo": "CG",
  Myanmar: "MM",
  "Bosnia and Herzegovina": "BA",
  "Saint Lucia": "LC",
  "Falkland Islands (Islas Malvinas)": "FK",
  "Timor-Leste": "TL",
  "East Timor": "TL",
  Reunion: "RE",
  Curacao: "CW",
  UK: "GB",
  USA: "US",
  "Russian Federation": "RU",
  "Viet Nam": "VN",
  "Holy See": "VA",
  "Korea, Republic of": "KR",
  "United States Virgin Islands": "VI",
  "U.S. Minor Outlying Islands": "UM",
  "Holy See (Vatican City State)": "VA",
  "Netherlands (Kingdom of the)": "NL",
  "Korea, South": "KR",
  "Korea, North": "KP",
  "Hong Kong, China": "HK",
  "Macao, China": "MO",
  "Palestinian Territory, Occupied": "PS",
  "Svalbard and Jan Mayen": "SJ",
  "St. Vincent & Grenadines": "VC",
  "Åland Islands": "AX",
};
/** Codes with a name in CLDR that ISO does not have, or no longer. */
const NO_COUNTRIES =
  "AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB YD YU ZR ZZ";

/** Our names of what others call by several → ours by each of theirs. */
function ofNames(theirs: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const each = Object.entries(theirs).map(([ours, names]) => names.map((name) => [name, ours]));
  return Object.fromEntries(each.flat());
}

describe("a value of another tool", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  /** The values that a column of Google Analytics arrives as, by its words. */
  const ofGa4 = async (column: string, texts: readonly string[]) => {
    const rows = texts.map((text, at) => [20260101 + (at % 28), text, 1]);
    writeFileSync(file("ga4.csv"), csv(["Date", column, "Views"], rows));
    return inspected([file("ga4.csv")]);
  };
  const named = async (column: string, dimension: Dimension, texts: readonly string[]) => {
    const all: Record<string, string | undefined> = {};
    for (const text of texts)
      all[text] = Object.keys(valuesOf(await ofGa4(column, [text]), dimension))[0];
    return all;
  };

  describe("that is a country", () => {
    const regions = new Intl.DisplayNames("en", { type: "region" });
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
    const none = new Set(NO_COUNTRIES.split(" "));
    const codes = letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => regions.of(code) !== code && !none.has(code));

    it("is known by each of its names, and each code of ISO by the name of CLDR", async () => {
      assert.equal(codes.length, 250);
      const ofCldr = Object.fromEntries(codes.map((code) => [String(regions.of(code)), code]));
      const all = { ...ofCldr, ...OF_GA4 };
      assert.deepEqual(await named("Country", "country", Object.keys(all)), all);
    }).timeout(60_000);

    it("is known by its code of today alone, and told where it is none", async () => {
      const found = await ofGa4("Country ID", [
        "fr",
        "FX",
        "SU",
        "GB",
        "XX",
        "(not set)",
        "Atlantis",
      ]);
      assert.deepEqual(valuesOf(found, "country"), { FR: 1, GB: 1 });
      assert.equal(found.left.get("rows with a country that is not known"), 3);
    });
  });

  it("that is a browser, a system or a device gets the name that the tag gives it", async () => {
    const browsers = ofNames({
      Safari: ["Safari (in-app)", "Mobile Safari", "Mobile Safari UI/WKWebView", "MobileSafari"],
      Chrome: [
        "Android Webview",
        "Chrome",
        "Chrome Mobile iOS",
        "Chrome Mobile WebView",
        "crios",
        "Chrome 120.0",
      ],
      Edge: ["Edge", "Edge Legacy", "edge-chromium"],
      "Samsung Internet": ["Samsung Internet"],
      Opera: ["Opera Mini"],
      Yandex: ["YaBrowser"],
      "Internet Explorer": ["Internet Explorer"],
      "UC Browser": ["UC Browser"],
      Other: ["(not set)"],
      Firefox: ["Firefox Mobile iOS", "Firefox ESR"],
      "Huawei Browser": ["Huawei Browser Mobile", "HuaweiBrowser"],
      "MIUI Browser": ["Mi Browser"],
      Instagram: ["instagram"],
    });
    const systems = ofNames({
      macOS: ["Macintosh", "Mac OS X 10.15", "Mac"],
      Windows: [
        "Windows",
        "Windows XP",
        "Windows Vista",
        "Windows Server 2019",
        "Windows Server",
        "Windows Phone",
      ],
      iOS: ["iOS 17.1"],
      ChromeOS: ["Chrome OS"],
      Linux: ["GNU/Linux", "Ubuntu", "Arch Linux"],
      Other: ["(not set)", "Tizen", "PlayStation 4"],
      Android: ["Fire OS", "Android OS"],
    });
    const devices = ofNames({
      desktop: ["desktop", "Laptop"],
      mobile: ["mobile", "Smartphone", "Phablet"],
      tablet: ["tablet"],
      Other: ["smart tv", "TV", "Console", "(not set)"],
    });
    assert.deepEqual(await named("Browser", "browser", Object.keys(browsers)), browsers);
    assert.deepEqual(await named("Operating system", "os", Object.keys(systems)), systems);
    assert.deepEqual(await named("Device category", "device", Object.keys(devices)), devices);
    // The words of the tag for these agents arrive as they are.
    for (const agent of [CHROME, FIREFOX]) {
      const visitor = createVisitorCache()(agent);
      if (visitor.bot !== null) throw new Error(agent);
      const { browser, os } = visitor;
      assert.deepEqual(await named("Browser", "browser", [browser]), { [browser]: browser });
      assert.deepEqual(await named("Operating system", "os", [os]), { [os]: os });
    }
  });

  it("that is an engine or a network of Google Analytics is its host, in its group", async () => {
    const groups = {
      ...ofNames({
        search: [
          "google",
          "bing",
          "yahoo",
          "yandex",
          "naver",
          "duckduckgo",
          "baidu",
          "seznam",
          "daum",
          "aol",
        ],
        assistant: ["chatgpt.com", "ChatGPT", "openai", "you"],
        social: ["facebook", "twitter", "m.facebook.com"],
        direct: ["(direct)", "newsletter"],
        referral: ["example.org"],
      }),
      "(not set)": undefined,
    };
    assert.deepEqual(await named("Session source", "ref_group", Object.keys(groups)), groups);
    assert.deepEqual(await named("Session source", "source", ["yahoo", "newsletter"]), {
      yahoo: "yahoo.com",
      newsletter: "newsletter",
    });
  });

  it("that is an engine of Matomo is one, with its keyword and whatever its name", async () => {
    const row = (label: string) => ({ label, nb_visits: 1, nb_actions: 1 });
    const day = "2026-01-01";
    writeFileSync(
      file("matomo.jsonl"),
      jsonl([
        { matomo: 1, zone: "UTC" },
        {
          report: "Referrers.getSearchEngines",
          day,
          rows: ["Google - Keyword not defined", "Google - a - b", "Yahoo!", "Exalead"].map(row),
        },
        { report: "Referrers.getSocials", day, rows: [row("Twitter"), row("Gettr - gettr.com/a")] },
        { report: "Referrers.getCampaigns", day, rows: [row("spring - Keyword not defined")] },
      ]),
    );
    const found = await inspected([file("matomo.jsonl")]);
    assert.deepEqual(valuesOf(found, "source"), {
      "google.com": 2,
      "yahoo.com": 1,
      Exalead: 1,
      "twitter.com": 1,
      Gettr: 1,
      spring: 1,
    });
    assert.deepEqual(valuesOf(found, "ref_group"), { search: 4, social: 2 });
    assert.deepEqual(valuesOf(found, "utm_campaign"), { spring: 1 });
  });

  it("that is a language is the language alone, or unknown", async () => {
    const languages = ofNames({
      de: ["de-ch"],
      en: ["en", "eng"],
      pt: ["pt_BR"],
      zh: ["zh-hans-cn"],
      unknown: ["(not set)", "c", "x".repeat(129), "<b>"],
      sr: ["sh"],
    });
    assert.deepEqual(await named("Language code", "lang", Object.keys(languages)), languages);
  });

  it("that is a browser or a system has its version, where the tool tells one", async () => {
    const versions = async (path: string, kind?: 3) => {
      const found = await inspected([file(path)]);
      return (["browser_version", "os_version"] as const).map((name) =>
        valuesOf(found, name, kind),
      );
    };
    const rows = (...all: [string, string][]) =>
      all.map(([name, version]) => ["2026-01-01", name, version, 1]);
    await writePlausible(file("plausible.zip"), {
      browsers: [
        ["date", "browser", "browser_version", "pageviews"],
        rows(["Chrome", "152.0"], ["Mobile Safari", "17"], ["Zork", "3"], ["Edge", "(not set)"]),
      ],
      operating_systems: [
        ["date", "operating_system", "operating_system_version", "pageviews"],
        rows(["Mac", "10.15"], ["GNU/Linux", "22.04"], ["Windows", "XP"], ["iOS", ""]),
      ],
    });
    assert.deepEqual(await versions("plausible.zip"), [
      { "Chrome 152": 1, "Safari 17": 1 },
      { "macOS 10": 1, "Windows XP": 1 },
    ]);
    const view = { at: "2026-01-01T10:00:00Z", path: "/", session: "a" };
    writeFileSync(file("goat.csv"), goatcounterCsv([view]));
    assert.deepEqual(await versions("goat.csv"), [{ "Chrome 120": 1 }, { "Windows 10": 1 }]);
    await writeZip(file("goat.zip"), {
      ...goatcounterJson(["2026-01-01"]),
      "systems.jsonl": jsonl([{ id: 1, name: "Windows", version: "10" }]),
    });
    assert.deepEqual(await versions("goat.zip", 3), [{ "Firefox 128": 9 }, { "Windows 10": 9 }]);
    const goat = await inspected([file("goat.zip")]);
    assert.deepEqual(valuesOf(goat, "browser", 3), { Firefox: 9 });
    assert.deepEqual(valuesOf(goat, "os", 3), { Windows: 9 });
  });

  it("that is a path is decoded by the rule of the tag, whichever tool has it", async () => {
    const paths = [
      "/caf%C3%A9/",
      "/café",
      "/a%",
      "/%E0%A4%A",
      "/a%2Fb?x=%20",
      "/%23x#y",
      "/%00/",
      "/a%20b",
    ];
    const days = ["2026-01-01"];
    const want: Record<string, number> = {};
    for (const path of paths) want[pagePath(path)] = (want[pagePath(path)] ?? 0) + 1;
    const views = paths.map((path, at) => ({ at: `2026-01-01T10:0${at}:00Z`, path }));
    writeFileSync(
      file("umami.csv"),
      umamiEvents(views.map((one) => ({ ...one, visitor: "v", visit: "1" }))),
    );
    writeFileSync(file("goat.csv"), goatcounterCsv(views.map((one) => ({ ...one, session: "a" }))));
    const rows = paths.map((path) => ["2026-01-01", path, 1]);
    await writePlausible(file("plausible.zip"), { pages: [["date", "page", "pageviews"], rows] });
    const ga4 = paths.map((path) => [20260101, path, 1]);
    writeFileSync(file("ga4.csv"), csv(["Date", "Page path", "Views"], ga4));
    const matomo = paths.map((path) => ({
      label: path,
      url: `https://a.example${path}`,
      nb_hits: 1,
    }));
    const pages = { report: "Actions.getPageUrls", day: days[0], rows: matomo };
    writeFileSync(file("matomo.jsonl"), jsonl([{ matomo: 1, zone: "UTC" }, pages]));
    const goatJson = goatcounterJson(days);
    const named = paths.map((path, id) => ({ id, path }));
    const hits = paths.map((_, path_id) => ({
      hour: "2026-01-01T10:00:00Z",
      path_id,
      ref_id: 1,
      count: 1,
    }));
    await writeZip(file("goat.zip"), {
      ...goatJson,
      "paths.jsonl": jsonl(named),
      "hit_stats.jsonl": jsonl(hits),
    });
    for (const name of ["umami.csv", "goat.csv", "plausible.zip", "ga4.csv", "matomo.jsonl"])
      assert.deepEqual(valuesOf(await inspected([file(name)]), "path"), want, name);
    assert.deepEqual(valuesOf(await inspected([file("goat.zip")]), "path", 3), want);
  });

  it("is storable, whatever is in the file", async () => {
    const { visitors: _, ...tables } = smallPlausible(["2026-01-01"]);
    for (const odd of [
      "x".repeat(129),
      "ä".repeat(200),
      "a\u0000b\u0085c",
      " ",
      "\u{1F600}".repeat(130),
      "%FF%C3",
      "\\N",
    ]) {
      const texts =
        "url_path hostname browser os device screen language country referrer_domain utm_source utm_campaign event_name";
      const names = ["created_at", "session_id", "event_type", ...texts.split(" ")];
      const events = [1, 2].map((type) => [
        "2026-01-01 10:00:00",
        "v",
        type,
        ...texts.split(" ").map(() => odd),
      ]);
      writeFileSync(file("umami.csv"), csv(names, events));
      const oddTables = Object.entries(tables).map(([name, [columns, rows]]) => [
        name,
        [
          columns,
          rows.map((row) =>
            row.map((cell, at) => (at === 0 || typeof cell === "number" ? cell : odd)),
          ),
        ],
      ]);
      await writePlausible(file("plausible.zip"), Object.fromEntries(oddTables));
      const columns = ["Page path", "Country", "Device category", "Browser", "Operating system"];
      const more = ["Session source", "Session campaign", "Language code"];
      const all = ["Date", ...columns, ...more, "Views"];
      writeFileSync(
        file("ga4.csv"),
        csv(all, [[20260101, ...[...columns, ...more].map(() => odd), 1]]),
      );
      const rows = [{ label: odd, url: odd, code: odd, nb_visits: 1, nb_hits: 1 }];
      const reports = [
        "Actions.getPageUrls",
        "Referrers.getWebsites",
        "Referrers.getSearchEngines",
        "Referrers.getSocials",
      ];
      const others = [
        "Referrers.getCampaigns",
        "DevicesDetection.getBrowsers",
        "DevicesDetection.getType",
        "Events.getAction",
      ];
      const lines = [...reports, ...others].map((report) => ({ report, day: "2026-01-01", rows }));
      writeFileSync(file("matomo.jsonl"), jsonl([{ matomo: 1, zone: odd }, ...lines]));
      for (const name of ["umami.csv", "plausible.zip", "ga4.csv", "matomo.jsonl"])
        for (const { content } of contentOf(await inspected([file(name)])))
          for (const [dimension, its] of Object.entries(content.values))
            for (const [text] of its)
              assert.equal(storable(text), text, `${name} ${dimension} ${JSON.stringify(odd)}`);
    }
  });

  it("is read where the header and the rows of a table have other ends of lines", async () => {
    const day = (n: number) => `2026-01-0${n},${n},1,1,0`;
    for (const [head, rows] of [
      ["\r\n", "\n"],
      ["\n", "\r\n"],
    ])
      for (const columns of [
        "date,pageviews,visitors,visits,bounces",
        "date,visits,visitors,bounces,pageviews",
      ]) {
        await writeZip(file("p.zip"), {
          "imported_visitors.csv": `${columns}${head}${[1, 2, 3].map(day).join(rows)}${rows}`,
        });
        const { days, left } = await inspected([file("p.zip")]);
        assert.deepEqual([days.size, left.size], [3, 0]);
      }
    const report = ga4Report(
      ["Date", "Views"],
      [
        [20260101, 5],
        [20260102, 6],
      ],
    );
    writeFileSync(file("ga4.csv"), report.replace(/Views\n/, "Views\r\n"));
    const { days } = await inspected([file("ga4.csv")]);
    const pvs = [...days.values()].map(({ pv }) => pv);
    assert.deepEqual(pvs, [5, 6]);
  });
});
