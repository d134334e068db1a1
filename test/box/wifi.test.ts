import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { RootRequests } from "../../appliance/base/system/root-requests.ts";
import { WifiSwitch } from "../../appliance/box/wifi.ts";
import type { WifiStanding } from "../../appliance/box/wifi-notices.ts";
import { wifiNotices, wifiSentences } from "../../appliance/box/wifi-notices.ts";
import { timeIn } from "../../appliance/deck/face/widgets/time.ts";
import { IDLE_WIFI as IDLE } from "../helpers/box-parts.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

const OWN = { name: "Tallydeck-7F3K", key: "abqdefghjk" };
const TROUBLE = {
  reason: "not-accepted",
  network: "Home",
  at: Date.UTC(2026, 4, 20, 12, 5),
} as const;

const standing = (change: Partial<WifiStanding>): WifiStanding => ({
  ...IDLE,
  isOffered: false,
  ...change,
});

describe("the service's part of the Wi-Fi", () => {
  const folder = eachFolder();
  let clock: FakeClock;
  let wifi: WifiSwitch;
  let warned: string[];
  beforeEach(async () => {
    mkdirSync(join(folder(), "asked"));
    clock = new FakeClock();
    warned = [];
    wifi = new WifiSwitch({
      root: new RootRequests(folder()),
      clock,
      warn: (line) => warned.push(line),
    });
    wifi.start();
  });
  afterEach(() => wifi.close());

  const tell = (state: unknown) =>
    writeFileSync(join(folder(), "state.json"), JSON.stringify(state));
  const asked = () => readdirSync(join(folder(), "asked")).sort();
  /** Lets the switch look at the file once more. */
  const look = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      clock.advance(1_000);
      await pause(10);
    }
  };

  /** The switch has read a state. */
  const known = () =>
    until(() => {
      clock.advance(1_000);
      return wifi.standing() !== undefined;
    });

  it("says nothing without a state, without a radio, and for what is no state", async () => {
    assert.equal(wifi.standing(), undefined);
    for (const state of [{ ...IDLE, hasRadio: false }, [], "{", {}]) {
      tell(state);
      await look();
      assert.equal(wifi.standing(), undefined);
    }
  });

  it("tells of each change of the state", async () => {
    let told = 0;
    wifi.changed.on(() => {
      told += 1;
    });
    tell({ ...IDLE, phase: "open", own: OWN });
    await look();
    await until(() => wifi.standing()?.own?.key === OWN.key);
    assert.equal(told, 1);
  });

  it("asks root, in files that root alone can read beside it", async () => {
    await wifi.begin();
    await wifi.join({ name: "Home", password: "right password", country: "CH", hidden: false });
    assert.deepEqual(asked(), ["begin", "join.json"]);
    assert.match(readFileSync(join(folder(), "asked/join.json"), "utf8"), /"name":"Home"/);
  });

  it("tells root of a deck once, and that it is gone", async () => {
    void wifi.showDeck(true);
    await until(() => existsSync(join(folder(), "asked/deck")));
    void wifi.showDeck(true);
    void wifi.showDeck(false);
    await until(() => !existsSync(join(folder(), "asked/deck")));
    assert.deepEqual(warned, []);
  });

  it("tells root last what holds, however soon a deck is gone again", async () => {
    await Promise.all([wifi.showDeck(true), wifi.showDeck(false)]);
    assert.deepEqual([asked(), warned], [[], []]);
    await Promise.all([wifi.showDeck(true), wifi.showDeck(false), wifi.showDeck(true)]);
    assert.deepEqual([asked(), warned], [["deck"], []]);
  });

  it("asks for the reason once, after a minute without any network", async () => {
    tell(IDLE);
    wifi.noteNetwork(true);
    await known();
    clock.advance(120_000);
    await look();
    assert.deepEqual(asked(), []);
    wifi.noteNetwork(false);
    clock.advance(61_000);
    await until(() => asked().includes("look"));
    assert.deepEqual(asked(), ["look"]);
  });

  it("offers a set-up for a minute after a key was held, and not with a network", async () => {
    tell(IDLE);
    await known();
    wifi.offer();
    assert.equal(wifi.standing()?.isOffered, true);
    clock.advance(61_000);
    assert.equal(wifi.standing()?.isOffered, false);
    wifi.offer();
    wifi.noteNetwork(true);
    assert.equal(wifi.standing()?.isOffered, false);
  });
});

describe("the notices of the Wi-Fi", () => {
  const words = (state: WifiStanding, hasAddress = false) =>
    wifiNotices(state, hasAddress, (at) => timeIn(at, "Europe/Zurich")).map((notice) =>
      notice.type === "wifi"
        ? [notice.top, notice.main, notice.bottom].filter((word) => word !== "").join("|")
        : notice.type === "wifi-code"
          ? notice.text
          : notice.type,
    );

  it("are both codes, name and key, six at the most", () => {
    const open = standing({ phase: "open", own: OWN });
    const all = [
      "WIFI:T:WPA;S:Tallydeck-7F3K;P:abqdefghjk;;",
      "http://192.0.2.1/",
      "Wi-Fi|Tallydeck-\u200b7F3K",
      "Key|abqde\u200bfghjk",
      "Scan|1st, then 2nd|code",
    ];
    assert.deepEqual(words(open), all);
    assert.deepEqual(words({ ...open, trouble: TROUBLE }), [
      ...all.slice(0, 2),
      "Password|not accepted|Home",
      ...all.slice(2),
    ]);
  });

  it("say how it goes, what came of it, and where a press begins", () => {
    assert.deepEqual(words(standing({ phase: "scanning" })), ["Wi-Fi|looks around"]);
    assert.deepEqual(words(standing({ phase: "joining", network: "Home" })), ["Wi-Fi|joins|Home"]);
    assert.deepEqual(words(standing({ phase: "over", trouble: TROUBLE })), [
      "wifi-begin",
      "Password|not accepted|14:05 Home",
    ]);
    assert.deepEqual(words(standing({ isOffered: true })), ["wifi-begin"]);
    assert.deepEqual(words(standing({ trouble: TROUBLE })), ["Password|not accepted|14:05 Home"]);
    assert.deepEqual(words(standing({})), []);
  });

  it("have the time since when, by the clock of the box, unless that is not sure", () => {
    const gone = { ...TROUBLE, reason: "not-found" } as const;
    assert.deepEqual(words(standing({ trouble: gone })), ["Wi-Fi 14:05|not found|Home"]);
    for (const [reason, said] of [
      ["not-accepted", "Password|not accepted|Home"],
      ["not-found", "Wi-Fi|not found|Home"],
    ] as const)
      assert.deepEqual(words(standing({ trouble: { ...TROUBLE, reason, at: null } })), [said]);
  });

  it("say that a restart begins the set-up again to a new box only", () => {
    const over = standing({ phase: "over" });
    assert.deepEqual(wifiSentences(over, false), [
      "The Wi-Fi set-up has ended: a key of the deck begins it again.",
    ]);
    assert.deepEqual(wifiSentences({ ...over, isNew: true }, false), [
      "The Wi-Fi set-up has ended: a key of the deck, or a restart, begins it again.",
    ]);
  });

  it("leave a box with an address alone, but for one without internet", () => {
    assert.deepEqual(words(standing({ trouble: TROUBLE }), true), []);
    const joined = standing({ network: "Home", hasInternet: false });
    assert.deepEqual(words(joined, true), ["Wi-Fi|no internet|Home"]);
    assert.deepEqual(wifiSentences(joined, true), ["Home does not lead to the internet."]);
  });

  it("are sentences on a screen", () => {
    assert.deepEqual(wifiSentences(standing({ trouble: TROUBLE }), false), [
      "The password was not accepted by Home, at 12:05 UTC.",
    ]);
    assert.match(
      wifiSentences(standing({ phase: "open", own: OWN }), false).join(" "),
      /join the network Tallydeck-7F3K with the key abqdefghjk, and open http:\/\/192\.0\.2\.1\//,
    );
  });
});
