import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { WifiState } from "../../appliance/box/ipc/wifi-state.ts";
import { wifiNotices } from "../../appliance/box/wifi-notices.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { photograph, slotWith, until } from "./owner.ts";
import {
  phoneAsks,
  phoneAsksEach,
  phoneKnocks,
  type Router,
  startRouter,
  stopRouter,
} from "./radios.ts";
import { WirelessBox } from "./wireless-box.ts";

const HOME: Router = { name: "Haus am See", password: "right password" };
const KEYS = ["k0", "k1", "k2", "k3", "k4", "k5"];
const PROBES = [
  // iOS
  ["captive.apple.com", "/hotspot-detect.html", "CaptiveNetworkSupport-481.40.4 wispr"],
  // macOS
  ["captive.apple.com", "/hotspot-detect.html", "CaptiveNetworkSupport-443.40.3 wispr"],
  // Android
  ["connectivitycheck.gstatic.com", "/generate_204", "Dalvik/2.1.0 (Linux; U; Android 16)"],
  // Windows
  ["www.msftconnecttest.com", "/connecttest.txt", "Microsoft NCSI"],
  // Firefox
  ["detectportal.firefox.com", "/canonical.html", "Mozilla/5.0 Firefox/146.0"],
] as const;
/** Longer than a key is to be held, also where the emulator is slow. */
const HELD_MS = 9_000;
const UNTIL_ADDRESS =
  "until ip -br -4 address show dev wlan0 | grep -q 192.168.50; do sleep 0.2; done";
const QUARTER_MS = 15 * 60_000;

/**
 * A box without a cable and without a word on its card, brought onto the Wi-Fi by a phone.
 * @param options disk: with the radios; isShort: only the way that most people go: a password that is mistyped, and then the
 * right one; like: the parts to run beside it: bad routers, cuts, restart, change, kinds, end
 */
export async function checkWifi(
  checks: Checks,
  card: Card,
  {
    disk,
    out,
    isShort,
    like,
  }: {
    readonly disk: string;
    readonly out: string;
    readonly isShort: boolean;
    readonly like: RegExp;
  },
): Promise<void> {
  const has = (part: string) => !isShort && like.test(part);
  const box = await WirelessBox.start(card, disk, HOME);
  await checkOwnNetwork(checks, box, out);
  if (has("bad routers")) await checkBadRouters(checks, box);
  if (has("cuts")) await checkCuts(checks, box);
  await checkJoin(checks, box);
  if (has("restart")) await checkRestart(checks, box);
  if (has("change")) await checkChange(checks, box);
  if (has("kinds")) await checkKinds(checks, box);
  if (has("end")) await checkEnd(checks, box);
  await box.cutPower();
}

/** The own network, until a password was mistyped. */
async function checkOwnNetwork(checks: Checks, box: WirelessBox, out: string): Promise<void> {
  const { unit } = box;
  await checks.check("opens a network of its own, and shows it on a deck of six keys", async () => {
    const state = await box.phase("open");
    const { own } = state;
    assert.match(own?.name ?? "", /^Tallydeck-....$/);
    const notices = wifiNotices({ ...state, isOffered: false }, false, () => "");
    assert.equal(notices.length, KEYS.length - 1);
    for (const notice of notices) await slotWith(unit, KEYS, notice);
    await photograph(unit, KEYS, join(out, "deck-wifi.png"));
    await until("both on the screen", async () =>
      (await box.says("cat /dev/vcs1")).includes(`${own?.name} with the key ${own?.key}`),
    );
  });
  await checks.check("lets a phone in, with an address and no option 114", async () => {
    const given = await box.letPhoneIn();
    assert.match(given, /key_mgmt=WPA2-PSK/);
    assert.match(given, /ip=192\.0\.2\.\d+/);
    assert.match(given, /router=192\.0\.2\.1/);
    assert.match(given, /dns=192\.0\.2\.1/);
    assert.doesNotMatch(given, /opt114/);
    return given;
  });
  await checks.check("leads the probes of every system to its form", async () => {
    const probes = PROBES.map(([host, path, agent]) => ({ host, path, agent }));
    const answers = await phoneAsksEach(box.shell, [...probes, {}]);
    assert.equal(answers.length, probes.length + 1);
    for (const answer of answers.slice(0, -1)) assert.match(answer, /^302 http:\/\/192\.0\.2\.1\//);
    assert.match(answers.at(-1) ?? "", /^200 .*Haus am See/s);
  });
  await checks.check("shows that network nothing else of the box", async () => {
    assert.equal(
      await phoneKnocks(box.shell, [443, 853, 3000, 22]),
      "ECONNREFUSED ECONNREFUSED ECONNREFUSED ECONNREFUSED",
    );
    assert.match(await phoneAsks(box.shell, { path: "/api/sites" }), /^302 /);
  });
  await checks.check("comes back with the reason after a wrong password", async () => {
    const { own } = await box.state();
    assert.match(await box.send({ ...HOME, password: "wrong password" }), ENDS);
    assert.deepEqual(await comesBack(box), ["not-accepted", HOME.name, own]);
    await box.letPhoneIn();
    assert.match(await phoneAsks(box.shell), /not accepted by Haus am See/);
    assert.match(
      await box.says("cat /boot/firmware/SETUP-RESULT.txt"),
      /not accepted by Haus am See/,
    );
  });
}

/** Routers that take the password, or not even that, and give nothing. The phone is on the own network before and after. */
async function checkBadRouters(checks: Checks, box: WirelessBox): Promise<void> {
  const { shell } = box;
  await checks.check("comes back with the reason where a router gives no address", async () => {
    const { own } = await box.state();
    await startRouter(shell, { ...HOME, hasDhcp: false });
    assert.match(await box.send(HOME), ENDS);
    assert.deepEqual(await comesBack(box), ["no-address", HOME.name, own]);
    await box.letPhoneIn();
    assert.match(await phoneAsks(shell), /its router gave no address/);
  });
  await checks.check("comes back with the reason where the router is gone", async () => {
    await stopRouter(shell);
    assert.match(await box.send(HOME), ENDS);
    assert.equal((await comesBack(box))[0], "not-found");
    await startRouter(shell, HOME);
  });
}

/** Power cuts before the first network is kept. Each start ends at the own network again. */
async function checkCuts(checks: Checks, box: WirelessBox): Promise<void> {
  await checks.check("opens a new one after a power cut while it was open", async () => {
    const { own } = await box.phase("open");
    await box.cutPower();
    await box.start(HOME);
    assert.notEqual((await box.phase("open")).own?.name, own?.name);
  });
  await checks.check("opens one after a power cut while it joined", async () => {
    await box.letPhoneIn();
    assert.match(await box.send(HOME), ENDS);
    await box.when("it has left its own network", ({ own }) => own === null);
    await box.cutPower();
    await box.start(HOME);
    await box.phase("open");
  });
  await checks.check("opens one after a power cut before the network was kept", async () => {
    await box.letPhoneIn();
    assert.match(await box.send(HOME), ENDS);
    // Each second it looks whether it has a network; it asks for a name of the internet for eight.
    const said = await box.says(
      `${UNTIL_ADDRESS}; sleep 2; cat /run/tallydeck-wifi/state.json /data/system/settings.json`,
    );
    assert.match(said, /"phase":"joining"/);
    assert.doesNotMatch(said, /wifi\.ssid/);
    await box.cutPower();
    await box.start(HOME);
    await box.phase("open");
  });
}

async function checkJoin(checks: Checks, box: WirelessBox): Promise<void> {
  await checks.check("joins with the right one, and is a station again", async () => {
    const tries = await joins(box, HOME);
    assert.equal((await box.state()).hasInternet, false);
    await box.hasAddress();
    assert.match(await box.says("nft list set inet tallydeck setup_links"), /type ifname\s*\}/);
    await until("its address on the screen", async () =>
      /http:\/\/192\.168\.50\.\d+:3000/.test(await box.says("cat /dev/vcs1")),
    );
    return tries;
  });
  await checks.check("tells nobody the password", async () => {
    const places =
      "/boot/firmware /run/tallydeck-wifi /run/tallydeck-portal /run/tallydeck /data/tallydeck";
    assert.equal(await box.says(`grep -rlaE 'right password|wrong password' ${places}`), "");
    assert.equal(
      await box.says("journalctl --no-pager | grep -cE 'right password|wrong password'"),
      "0",
    );
    assert.equal(await box.says("systemctl --failed --no-legend --plain --no-pager"), "");
  });
}

/** A box that has its network. */
async function checkRestart(checks: Checks, box: WirelessBox): Promise<void> {
  await checks.check("joins it again after the power was cut, and opens nothing", async () => {
    await box.cutPower();
    await box.start(HOME);
    await box.hasAddress();
    assert.equal((await box.state()).own, null);
  });
}

/** Changes that an owner asks for in the Web UI, on a computer in the home's network. */
async function checkChange(checks: Checks, box: WirelessBox): Promise<void> {
  const present = { name: HOME.name, password: "mistyped password" };
  const gone = { name: "Nowhere", password: "right password" };
  for (const [what, wish, reason] of [
    ["a mistyped password for it", present, "not-accepted"],
    ["a network that is not there", gone, "not-found"],
  ] as const)
    await checks.check(`has its network again after ${what}, and the good password`, async () => {
      await box.hasAddress();
      assert.equal(await box.changeInWebUi(wish), 200);
      await box.when("it tries that", ({ phase }) => phase === "changing");
      const { trouble } = await box.when("the end", ({ phase }) => phase !== "changing");
      assert.deepEqual([trouble?.reason, trouble?.network], [reason, wish.name]);
      await box.hasAddress();
      const profile = await box.says("cat /var/lib/iwd/*.psk; ls /var/lib/iwd");
      assert.match(profile, /right password/);
      assert.doesNotMatch(profile, /mistyped|Nowhere/);
      assert.doesNotMatch(await box.says("cat /data/system/settings.json"), /mistyped/);
    });
}

/** Networks of other kinds, each in the place of the one before, after a key was held. */
async function checkKinds(checks: Checks, box: WirelessBox): Promise<void> {
  const kinds: readonly [string, Router][] = [
    ["one that has WPA3 only", { name: "Nur WPA3", password: "a password of it", isWpa3: true }],
    [
      "one of 32 bytes of emoji on channel 13",
      { name: "🦆🌊🏡🚲🍒🎈🐌🧦", password: "pässwort 🗝", channel: 13 },
    ],
    [
      "a hidden one, typed in",
      { name: 'Hinter\'m "Haus"', password: "a\\b;c,d:e", isHidden: true },
    ],
  ];
  for (const [what, router] of kinds)
    await checks.check(`joins another one after a key was held: ${what}`, async () => {
      await startRouter(box.shell, router);
      await openByKey(box);
      const tries = await joins(box, router);
      await box.hasAddress();
      return tries;
    });
}

/** Its time, which is a quarter of an hour that nobody can shorten. */
async function checkEnd(checks: Checks, box: WirelessBox): Promise<void> {
  await checks.check("closes its network after a quarter of an hour", async () => {
    await stopRouter(box.shell);
    await openByKey(box);
    await box.letPhoneIn();
    await pause(QUARTER_MS);
    await box.phase("over");
    await slotWith(box.unit, KEYS, { type: "wifi-begin" });
  });
}

const MOST_TRIES = 3;
const ENDS = /This network ends now/;

/**
 * Fills in the form until the network is joined. A handshake has a few seconds, which an emulator on a busy computer may
 * not keep: that ends like a wrong password.
 * @returns at which try
 */
async function joins(box: WirelessBox, router: Router): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    await box.letPhoneIn();
    assert.match(await box.send(router), ENDS);
    const end = await leaves(box);
    if (end.phase === "idle" && end.network === router.name) return `at try ${tries}`;
    assert.equal(end.trouble?.reason, "not-accepted");
    assert.ok(tries < MOST_TRIES, "it is not joined");
  }
}

/** Holds a key of a box that has no network, presses the one that then offers a set-up, and waits for that. */
async function openByKey(box: WirelessBox): Promise<void> {
  await until("it has no address", async () =>
    (await box.says("ip -br -4 address show dev wlan0 | cat")).includes("192.168")
      ? undefined
      : true,
  );
  box.unit.down("k5");
  await pause(HELD_MS);
  box.unit.up("k5");
  box.unit.press(await slotWith(box.unit, KEYS, { type: "wifi-begin" }));
  await box.phase("open");
}

/** The own network after one that was not joined: the reason, that one's name, and its own. */
async function comesBack(box: WirelessBox) {
  const { trouble, own } = await leaves(box);
  return [trouble?.reason, trouble?.network, own];
}

/** Waits until the box has left its own network, and what came of it. */
async function leaves(box: WirelessBox): Promise<WifiState> {
  await box.when("it has left its own network", ({ own }) => own === null);
  return box.when("what came of it", ({ phase }) => /^(?:idle|open|over)$/.test(phase));
}
