import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { provisionBox } from "../../../appliance/box/provision/box.ts";
import { takeAsked } from "../../../appliance/box/wifi/asked.ts";
import { SystemWifiFiles } from "../../../appliance/box/wifi/files.ts";
import { eachFolder } from "../../helpers/folder.ts";

const WISH = {
  ssid: Buffer.from("Home 🏠").toString("hex"),
  password: "right password",
  country: "CH",
  isHidden: true,
};
const PROFILE = `var/lib/iwd/=${WISH.ssid}.psk`;

describe("the files of the Wi-Fi", () => {
  const folder = eachFolder();
  const path = (name: string) => join(folder(), name);
  const text = (name: string) => readFileSync(path(name), "utf8");
  const files = () => new SystemWifiFiles(folder());

  beforeEach(() => {
    for (const name of [
      "etc/iwd",
      "var/lib/iwd",
      "data/system",
      "boot/firmware",
      "usr/share/zoneinfo",
    ])
      mkdirSync(path(name), { recursive: true });
    writeFileSync(path("etc/iwd/main.conf"), "[General]\n");
    writeFileSync(path("usr/share/zoneinfo/tzdata.zi"), "");
  });

  it("are iwd's own, for root alone, with the country", () => {
    const { isCountryNew } = files().write(WISH);
    assert.equal(isCountryNew, true);
    assert.equal(
      text(PROFILE),
      "[Security]\nPassphrase=right password\n\n[Settings]\nAutoConnect=true\nHidden=true\n",
    );
    assert.equal(statSync(path(PROFILE)).mode & 0o777, 0o600);
    assert.equal(text("etc/iwd/main.conf"), "[General]\nCountry=CH\n");
    assert.equal(files().write(WISH).isCountryNew, false);
  });

  it("are put back after a failure: gone, or as they were", () => {
    files().write(WISH).undo();
    assert.equal(existsSync(path(PROFILE)), false);
    files().write(WISH);
    files()
      .write({ ...WISH, password: "other password" })
      .undo();
    assert.match(text(PROFILE), /right password/);
  });

  it("open the own network with one cipher, and leave none of it", () => {
    files().own({ name: "Tallydeck-AB23", key: "abcdefghjk", channel: 11 });
    const profile = text("var/lib/iwd/ap/Tallydeck-AB23.ap");
    assert.match(profile, /^\[General\]\nChannel=11\nDisableHT=true\n/);
    assert.match(profile, /Passphrase=abcdefghjk\nPairwiseCiphers=CCMP\nGroupCipher=CCMP\n$/);
    files().own(undefined);
    assert.equal(existsSync(path("var/lib/iwd/ap")), false);
  });

  it("are there again after a start, as if a file had named the network", () => {
    files().keep(WISH);
    assert.deepEqual([files().known(), files().country()], [WISH.ssid, "CH"]);
    start();
    assert.match(text(PROFILE), /right password/);
    assert.equal(text("etc/iwd/main.conf"), "[General]\nCountry=CH\n");
  });

  it("take the place of what the card says, until the card says something else", () => {
    card("WIFI_SSID=Card\nWIFI_PASSWORD=card password\n");
    start();
    assert.equal(files().known(), Buffer.from("Card").toString("hex"));
    files().keep(WISH);
    start();
    assert.equal(files().known(), WISH.ssid);
    card("WIFI_SSID=Card2\nWIFI_PASSWORD=card password\n");
    start();
    assert.equal(files().known(), Buffer.from("Card2").toString("hex"));
  });

  it("keep the country where none is given: empty is as it was", () => {
    card("WIFI_SSID=Card\nWIFI_PASSWORD=card password\nWIFI_COUNTRY=CH\n");
    start();
    files().keep({ ...WISH, country: "" });
    assert.equal(files().country(), "CH");
    start();
    assert.equal(text("etc/iwd/main.conf"), "[General]\nCountry=CH\n");
  });

  it("keep an open network", () => {
    files().keep({ ...WISH, password: "" });
    assert.equal(files().known(), WISH.ssid);
    start();
    assert.equal(existsSync(path(`var/lib/iwd/=${WISH.ssid}.open`)), true);
  });

  it("know whether the box ever had a network", () => {
    assert.equal(files().hadNetwork, false);
    files().noteNetwork(true);
    rmSync(path("run"), { recursive: true });
    assert.equal(files().hadNetwork, true);
  });

  it("know until the next start whether the box had one that is not kept", () => {
    files().noteNetwork(false);
    assert.equal(files().hadNetwork, true);
    rmSync(path("run"), { recursive: true });
    assert.equal(files().hadNetwork, false);
  });

  function card(content: string): void {
    writeFileSync(path("boot/firmware/tallydeck.env"), content);
  }

  function start(): void {
    writeFileSync(path("etc/iwd/main.conf"), "[General]\n");
    provisionBox({ root: folder(), run: () => {}, isMounted: () => true });
  }
});

describe("requests of the service", () => {
  const folder = eachFolder();
  const path = (name: string) => join(folder(), "asked", name);
  const ask = (name: string, content = "") => writeFileSync(path(name), content);
  beforeEach(() => mkdirSync(join(folder(), "asked")));

  it("are taken once, and the sign of a deck stays", () => {
    for (const name of ["begin", "look", "deck"]) ask(name);
    ask(
      "join.json",
      JSON.stringify({ name: "Home", password: "right password", country: "CH", hidden: true }),
    );
    const change = { ssid: "486f6d65", password: "right password", country: "CH", isHidden: true };
    const asked = { begins: true, insists: false, change, hasDeck: true };
    assert.deepEqual(takeAsked(folder()), asked);
    assert.deepEqual(takeAsked(folder()), { ...asked, begins: false, change: undefined });
  });

  it("insist once, where root's own folder says so", () => {
    ask("insisted");
    assert.equal(takeAsked(folder()).insists, false, "the service cannot");
    writeFileSync(join(folder(), "insisted"), "");
    assert.deepEqual([takeAsked(folder()).insists, takeAsked(folder()).insists], [true, false]);
  });

  for (const [what, content] of [
    ["is no JSON", "{"],
    ["is no object", "[]"],
    ["has no name", JSON.stringify({ password: "right password" })],
    ["has a name of two lines", JSON.stringify({ name: "a\nb", password: "right password" })],
    ["has a short password", JSON.stringify({ name: "Home", password: "short" })],
    [
      "is too large",
      JSON.stringify({ name: "Home", password: "right password", more: "x".repeat(5_000) }),
    ],
  ] as const)
    it(`are not believed: one that ${what} is dropped`, () => {
      ask("join.json", content);
      assert.equal(takeAsked(folder()).change, undefined);
      assert.equal(existsSync(path("join.json")), false);
    });

  it("are none where there is no folder, and may be a folder themselves", () => {
    assert.deepEqual(takeAsked(join(folder(), "none")).begins, false);
    mkdirSync(path("join.json"));
    assert.equal(takeAsked(folder()).change, undefined);
    assert.equal(existsSync(path("join.json")), false);
  });
});
