import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import crawlers from "crawler-user-agents";
import UserAgent, { type UserAgentData } from "user-agents";
import {
  createVisitorCache,
  type Visitor,
} from "../../../../appliance/traffic/collector/counting/visitor.ts";
import { type KnownUserAgent, USER_AGENTS } from "../../../fixtures/user-agents.ts";

const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/152.0.0.0 Safari/537.36";
const NOBODY_KNOWN: Visitor = {
  bot: null,
  browser: "Other",
  browserVersion: "",
  os: "Other",
  osVersion: "",
  device: "Other",
};

/** Crawlers in the list of `crawler-user-agents` that are browsers of people to us. */
const NO_CRAWLERS = [
  "AP3A\\.240617\\.008", // Instagram on an OPPO phone
  "MetaIAB Facebook", // links opened in Facebook's app
  "Code\\/1\\.", // Visual Studio Code
  "Trae\\/",
  "Fluid", // web pages as Mac apps
  "TSM-turingos",
];

/** A visitor without versions, as the fixtures have them. */
function namesOf(visitor: Visitor) {
  if (visitor.bot !== null) return visitor;
  const { browser, os, device } = visitor;
  return { browser, os, device };
}

function expected([, ...names]: KnownUserAgent) {
  const [browser, os, device] = names;
  return typeof browser === "string" ? { browser, os: os ?? "", device: device ?? "" } : browser;
}

describe("a visitor", () => {
  const visitorOf = createVisitorCache();

  for (const [category, known] of Object.entries(USER_AGENTS)) {
    it(`is named as a person would name it: ${category}`, () => {
      const wrong = known
        .map((row) => ({
          userAgent: row[0],
          is: namesOf(visitorOf(row[0])),
          should: expected(row),
        }))
        .filter(({ is, should }) => JSON.stringify(is) !== JSON.stringify(should));
      assert.deepEqual(wrong, []);
    });
  }

  it("is a crawler for 98 % and more of the crawlers that others have collected", () => {
    const missed = crawlers
      .filter(({ pattern }) => !NO_CRAWLERS.includes(pattern))
      .flatMap(({ instances }) => instances)
      .filter((userAgent) => visitorOf(userAgent).bot === null);
    const all = crawlers.flatMap(({ instances }) => instances).length;
    assert.ok(all > 1000);
    assert.ok(missed.length <= 0.02 * all, missed.join("\n"));
  });

  it("is a person with browser, system and the right device for browsers seen in the wild", () => {
    const seen = UserAgent.top() as (UserAgentData & { deviceCategory?: string })[];
    const wrong = new Set<string>();
    for (const { userAgent, deviceCategory } of seen) {
      const visitor = visitorOf(userAgent);
      const named = visitor.bot === null && visitor.browser !== "Other" && visitor.os !== "Other";
      if (!named || visitor.device !== deviceCategory) wrong.add(userAgent);
    }
    assert.ok(seen.length > 1000);
    assert.deepEqual([...wrong].slice(0, 20), []);
  });

  it("has the first numbers of versions, where the user agent tells those of browser and system", () => {
    const apple = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
    const blink = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/152.0.0.0";
    for (const [rest, ...versions] of [
      [`(Windows NT 10.0; Win64; x64) ${blink} Safari/537.36`, "Chrome 152", "Windows 10"],
      [`(Windows NT 10.0) ${blink} Safari/537.36 Edg/154.0.0.0`, "Edge 154", "Windows 10"],
      ["(Windows NT 5.1; rv:52.0) Gecko/20100101 Firefox/52.9", "Firefox 52", "Windows XP"],
      ["(X11; Ubuntu; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0", "Firefox 156", ""],
      [
        `(Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/26.6 Safari/605`,
        "Safari 26",
        "macOS 10",
      ],
      [`(Macintosh; Intel Mac OS X 10_15_7) ${apple} CriOS/119 Safari/605`, "Chrome 119", ""],
      [`(iPhone; CPU iPhone OS 18_7 like Mac OS X) ${apple} Mobile/15E148`, "", "iOS 18"],
      [
        `(iPhone; CPU iPhone OS 18_7 like Mac OS X) ${apple} Instagram 302.0`,
        "Instagram 302",
        "iOS 18",
      ],
      [
        `(Linux; Android 16; X; wv) ${blink} Mobile [FB_IAB/FB4A;FBAV/437.0;]`,
        "Facebook 437",
        "Android 16",
      ],
      [`(Linux; Android 16; X; wv) ${blink} Mobile;KAKAOTALK 2410210`, "", "Android 16"],
      [
        `(Linux; Android 10; HarmonyOS; X) ${blink} HuaweiBrowser/12.0 Mobile`,
        "Huawei Browser 12",
        "",
      ],
      ["(PlayStation; PlayStation 5/6.50) AppleWebKit/605 Version/16 Safari/605", "", ""],
    ] as const) {
      const visitor = visitorOf(`Mozilla/5.0 ${rest}`);
      assert.ok(visitor.bot === null, rest);
      assert.deepEqual([visitor.browserVersion, visitor.osVersion], versions, rest);
    }
  });

  it("is a person of whom nothing is known without a user agent", () => {
    assert.deepEqual(visitorOf(""), NOBODY_KNOWN);
  });

  it("is a person of whom nothing is known with a user agent no table knows", () => {
    assert.deepEqual(visitorOf("Mozilla/5.0 (Frobnix 3; q) Wobble/1.0 (Zork)"), NOBODY_KNOWN);
  });

  it("is a crawler that is called other when it says no name at all", () => {
    assert.deepEqual(visitorOf("Mozilla/5.0"), { bot: "other" });
    assert.deepEqual(visitorOf("-"), { bot: "other" });
  });

  it("is called by its address when a crawler says nothing else", () => {
    assert.deepEqual(visitorOf("Mozilla/5.0 (compatible; +https://www.example.com/bot)"), {
      bot: "example.com",
    });
  });

  it("is named whatever the user agent holds", () => {
    const hostile = [
      " ",
      "\0",
      "\ud800",
      "\udfff\ud800",
      "bot/\ud83d",
      "()",
      ";".repeat(600),
      "(".repeat(60_000),
      "__proto__",
      "constructor",
      "<script>bot</script>",
      "'; DROP TABLE hits; --bot",
      `${CHROME}\0\ud800`,
    ];
    for (const userAgent of hostile) {
      const names = Object.values(namesOf(visitorOf(userAgent)));
      assert.ok(
        names.every((name) => name !== "" && name.length <= 64),
        JSON.stringify(userAgent),
      );
    }
  });

  it("is named from the beginning of a giant user agent", () => {
    const giant = CHROME + " x".repeat(30_000);
    assert.deepEqual(visitorOf(`${giant} Googlebot/2.1`), visitorOf(CHROME));
  });

  // Each of these keeps a parser with a backtracking rule busy for a hundredth of a second and
  // more: without a guard the test runs into its time limit.
  it("is named without delay when the user agent is made to be slow to read", () => {
    for (let i = 0; i < 3000; i++) visitorOf(`${CHROME} naver(1.${i}${".1".repeat(30_000)}`);
  });
});

describe("the memory of visitors", () => {
  it("names a user agent once while it is remembered", () => {
    const visitorOf = createVisitorCache(10);
    const first = visitorOf(CHROME);
    assert.equal(visitorOf(CHROME), first);
    assert.equal(createVisitorCache(10)(CHROME) === first, false);
  });

  it("forgets what was not asked for lately, once it is full", () => {
    const visitorOf = createVisitorCache(10);
    const first = visitorOf(CHROME);
    for (let i = 0; i < 10; i++) visitorOf(`${CHROME} ${i}`);
    assert.notEqual(visitorOf(CHROME), first);
  });

  it("keeps what is asked for again and again among ever new ones", () => {
    const visitorOf = createVisitorCache(10);
    const first = visitorOf(CHROME);
    for (let i = 0; i < 100; i++) {
      visitorOf(`${CHROME} ${i}`);
      assert.equal(visitorOf(CHROME), first);
    }
  });

  it("takes giant user agents for one when they begin alike", () => {
    const visitorOf = createVisitorCache(10);
    const giant = CHROME + " x".repeat(30_000);
    assert.equal(visitorOf(`${giant}1`), visitorOf(`${giant}2`));
  });

  it("does not hold on to giant user agents", () => {
    const megabytes = heapAfter(() => {
      const visitorOf = createVisitorCache();
      // Long enough that an engine which shared the text would need 120 MB for it.
      for (let i = 0; i < 2000; i++) visitorOf(`${i}${CHROME}${"x".repeat(60_000)}`);
      return visitorOf;
    });
    assert.ok(megabytes < 20, `${megabytes} MB`);
  });
});

/** The megabytes that the result of `make` takes. */
function heapAfter(make: () => unknown): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = [make()];
  collectGarbage();
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6;
  assert.equal(kept.length, 1);
  return megabytes;
}
