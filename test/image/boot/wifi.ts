import assert from "node:assert/strict";
import { join } from "node:path";
import type { WifiState } from "../../../appliance/base/wifi/told.ts";
import { FakeMini } from "../../helpers/fake-hid-elgato.ts";
import { UsbDeck } from "../../virtual-deck/usb-deck.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { photograph, until } from "./owner.ts";
import {
  layRadios,
  makeRadios,
  phoneAsks,
  phoneJoins,
  phoneKnocks,
  type Router,
  startRouter,
} from "./radios.ts";

const HOME: Router = { ssid: "Haus am See", password: "right password", hasDhcp: true };
const HOME_HEX = Buffer.from(HOME.ssid).toString("hex");
const KEYS = ["k0", "k1", "k2", "k3", "k4", "k5"];
/** The probes of iOS, Android, Windows and Firefox. */
const PROBES = [
  ["captive.apple.com", "/hotspot-detect.html", "CaptiveNetworkSupport-443 wispr"],
  ["connectivitycheck.gstatic.com", "/generate_204", "Dalvik/2.1.0 (Linux; U; Android 16)"],
  ["www.msftconnecttest.com", "/connecttest.txt", "Microsoft NCSI"],
  ["detectportal.firefox.com", "/canonical.html", "Mozilla/5.0 Firefox/146.0"],
] as const;

/** A box without a cable and without a word on its card, brought onto the Wi-Fi by a phone. Radios are made of software. */
export async function checkWifi(checks: Checks, card: Card, out: string): Promise<void> {
  const disk = makeRadios(join(card.folder, "disk"));
  let machine = await begin(card, disk);
  let shell = machine.shell;
  const unit = new FakeMini();
  let plugged = await UsbDeck.plug(unit, machine.usb);
  const says = async (command: string) => (await shell.run(command)).text;
  const state = async (): Promise<WifiState> =>
    JSON.parse(await says("cat /run/tallydeck-wifi/state.json")) as WifiState;
  const phase = (wanted: WifiState["phase"], fits: (state: WifiState) => boolean = () => true) =>
    until(`the phase ${wanted}`, async () => {
      const now = await state();
      return now.phase === wanted && fits(now) ? now : undefined;
    });
  const send = async (password: string) => {
    const form = await phoneAsks(shell);
    const token = /name="token" value="([^"]+)"/.exec(form)?.[1] ?? "";
    const fields = { token, country: "CH", network: `psk-${HOME_HEX}`, password };
    const body = new URLSearchParams(fields).toString();
    return phoneAsks(shell, { method: "POST", body });
  };
  let own = { name: "", key: "" };

  await checks.check("opens a network of its own, and shows it on a deck of six keys", async () => {
    own = (await phase("open")).own ?? own;
    assert.match(own.name, /^Tallydeck-....$/);
    await until("all keys", async () => (await unit.shown("k4")) && true);
    await photograph(unit, KEYS, join(out, "deck-wifi.png"));
    assert.match(await says("cat /dev/vcs1"), new RegExp(`${own.name} with the key ${own.key}`));
  });
  await checks.check("lets a phone in, with an address and no option 114", async () => {
    const given = await phoneJoins(shell, own.name, own.key);
    assert.match(given, /key_mgmt=WPA2-PSK/);
    assert.match(given, /ip=192\.0\.2\.\d+/);
    assert.match(given, /router=192\.0\.2\.1/);
    assert.match(given, /dns=192\.0\.2\.1/);
    assert.doesNotMatch(given, /opt114/);
    return given;
  });
  await checks.check("leads the probes of every system to its form", async () => {
    for (const [host, path, agent] of PROBES)
      assert.match(await phoneAsks(shell, { host, path, agent }), /^302 http:\/\/192\.0\.2\.1\//);
    assert.match(await phoneAsks(shell), /^200 .*Haus am See/s);
  });
  await checks.check("shows that network nothing else of the box", async () => {
    assert.equal(
      await phoneKnocks(shell, [443, 853, 3000, 22]),
      "ECONNREFUSED ECONNREFUSED ECONNREFUSED ECONNREFUSED",
    );
    assert.match(await phoneAsks(shell, { path: "/api/sites" }), /^302 /);
  });
  await checks.check("comes back with the reason after a wrong password", async () => {
    assert.match(await send("wrong password"), /This network ends now/);
    const { trouble, own: again } = await phase("open", ({ trouble }) => trouble !== null);
    assert.deepEqual([trouble?.reason, trouble?.network, again], ["not-accepted", HOME.ssid, own]);
    await phoneJoins(shell, own.name, own.key);
    assert.match(await phoneAsks(shell), /not accepted by Haus am See/);
    assert.match(await says("cat /boot/firmware/SETUP-RESULT.txt"), /not accepted by Haus am See/);
  });
  await checks.check("joins with the right one, and is a station again", async () => {
    assert.match(await send(HOME.password), /This network ends now/);
    await phase("idle", ({ network }) => network === HOME.ssid);
    assert.match(await says("ip -br -4 address show dev wlan0 | cat"), /192\.168\.50\.\d+/);
    assert.match(await says("nft list set inet tallydeck setup_links"), /type ifname\s*\}/);
    await until(
      "its address on the screen",
      async () => /http:\/\/192\.168\.50\.\d+:3000/.test(await says("cat /dev/vcs1")) || undefined,
    );
  });
  await checks.check("tells nobody the password", async () => {
    const places = "/boot/firmware /run/tallydeck-wifi /data/tallydeck";
    assert.equal(await says(`grep -rlaE 'right password|wrong password' ${places}`), "");
    assert.equal(
      await says("journalctl --no-pager | grep -cE 'right password|wrong password'"),
      "0",
    );
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
  });
  await checks.check("joins it again after the power was cut, and opens nothing", async () => {
    plugged.unplug();
    await machine.cutPower();
    machine = await begin(card, disk);
    shell = machine.shell;
    plugged = await UsbDeck.plug(unit, machine.usb);
    await until(
      "its address",
      async () =>
        /192\.168\.50\.\d+/.test(await says("ip -br -4 address show dev wlan0 | cat")) || undefined,
    );
    assert.equal((await state()).own, null);
  });
  plugged.unplug();
  await machine.cutPower();
}

/** Starts the box without a cable, with radios and the home's router in reach. */
async function begin(card: Card, disk: string): Promise<Machine> {
  const machine = await Machine.start(card, { network: false, disk });
  const { shell } = machine;
  await until("the service", async () => {
    const { text } = await shell.run("systemctl is-active tallydeck.service");
    return text === "active" || undefined;
  });
  await machine.plugDisk("radios");
  await until("the disk", async () => (await shell.run("ls /dev/sda")).status === 0 || undefined);
  await layRadios(shell);
  await startRouter(shell, HOME);
  await shell.run(
    "systemctl start iwd.service && systemctl start --no-block tallydeck-wifi.service",
  );
  return machine;
}
