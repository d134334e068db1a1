import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Signal } from "../../appliance/base/signal.ts";
import { JUMPER_WORDS } from "../../appliance/base/text/reset.ts";
import { type ScreenSource, screenText } from "../../appliance/box/screen.ts";
import { screenAt } from "../../appliance/box/terminal.ts";
import type { ResetStanding } from "../../appliance/deck/face/notices.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import { readQrCode } from "../deck/pictures.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

describe("the screen of a box that nobody has signed in to", () => {
  const world = eachWorld({ env: { BIND: "0.0.0.0", STATS_TOKEN: "" } });
  const shown = () => world().screen.at(-1) ?? "";

  it("says that it starts, then the address and the setup code", () => {
    assert.equal(world().screen[0], "Tallydeck is starting.");
    const { port } = world().service.control;
    assert.match(
      shown(),
      new RegExp(`Tallydeck is at http://192\\.0\\.2\\.7:${port}/\\nSetup code \\d{6}$`),
    );
  });

  it("shows the address as a QR code that scans, within 25 lines of 80 characters", () => {
    const { port } = world().service.control;
    const lines = shown().split("\n");
    assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80));
    assert.equal(readQrCode(pixelsOf(lines)), `http://192.0.2.7:${port}/`);
  });

  it("keeps the address and drops the code once somebody keeps an admin token", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: /\d{6}/.exec(shown().split("Setup code ")[1] ?? "")?.[0] ?? "" });
    assert.match(shown(), /Setup code/);
    assert.equal((await owner.ask("POST", "/api/admin-token")).status, 201);
    assert.match(shown(), /Tallydeck is at http:\/\/192\.0\.2\.7:\d+\/$/);
  });
});

describe("the screen of a box", () => {
  it("says what to do without a network, and that the clock is not set", () => {
    const text = screenText(boardSaying({ notices: () => [{ type: "clock-not-set" }] }));
    assert.match(text, /no network yet: plug in a cable/);
    assert.match(text, /The clock is not set\.$/);
  });

  it("shows both codes of a Wi-Fi set-up, within 25 lines of 80 characters", () => {
    const wifi = () => ({
      phase: "open" as const,
      own: { name: "Tallydeck-7F3K", key: "abqdefghjk" },
      phones: 0,
      hasOpened: null,
      mostPhones: 0,
      network: null,
      trouble: { reason: "not-accepted" as const, network: "Home", at: null },
      hasInternet: null,
      hasRadio: true,
      isNew: false,
      isOffered: false,
    });
    const lines = screenText(boardSaying({ wifi })).split("\n");
    assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80), lines.join("\n"));
    assert.match(
      lines.slice(-4).join(" "),
      /not accepted by Home\..*Tallydeck-7F3K with the key abqdefghjk/,
    );
    const codes = lines.slice(0, -4).map((line) => line.padEnd(80));
    const left = codes.map((line) => line.slice(0, 37));
    const right = codes.map((line) => line.slice(40, 69)).filter((line) => line.trim() !== "");
    assert.equal(readQrCode(pixelsOf(left)), "WIFI:T:WPA;S:Tallydeck-7F3K;P:abqdefghjk;;");
    assert.equal(readQrCode(pixelsOf(right)), "http://192.0.2.1/");
  });

  it("says how the public address stands, in one line below the rest", () => {
    const publicAddress = () => ({
      name: "stats.example.com",
      state: "wrong" as const,
      words: "port closed",
      sentence: "The router refuses to open port 443.",
      reachedAt: null,
    });
    const address = () => "http://192.0.2.7:3000/";
    const text = screenText(boardSaying({ address, publicAddress }));
    assert.match(text, /\nPublic address: The router refuses to open port 443\.$/);
    assert.ok(text.split("\n").length <= 24);
  });

  it("says how an update stands", () => {
    const sentence = "The box went back to 0.2.0: eth0 has no address.";
    const words = { weight: "warning", top: "", main: "", bottom: "" } as const;
    const text = screenText(
      boardSaying({ notices: () => [{ type: "update", ...words, sentence }] }),
    );
    assert.match(text, /\nThe box went back to 0\.2\.0: eth0 has no address\.$/);
  });

  it("says how a reset is stopped, and nothing else then, but not so of a jumper that is left on", () => {
    const about = (standing: ResetStanding) =>
      screenText(boardSaying({ notices: () => [{ type: "reset", ...standing }] }));
    const counting = about({ state: "counting", seconds: 7 });
    assert.match(counting, /^Tallydeck erases all its data in 7 seconds\./);
    assert.match(counting, /the file RESET off the card, or the jumper off its pins\.$/);
    assert.match(about({ state: "jumper", sentence: JUMPER_WORDS }), /no network yet.*\nA jumper/);
    for (const line of `${counting}\n${JUMPER_WORDS}`.split("\n"))
      assert.ok(line.length <= 80, line);
  });

  it("is cleared for each text, and the last one stays", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-screen-"));
    const device = join(folder, "tty");
    const show = screenAt(device);
    for (let number = 0; number <= 50; number += 1) show(`one\ntext ${number}`);
    while (!readFileSync(device, { encoding: "utf8", flag: "a+" }).endsWith("text 50\r\n"))
      await pause(5);
    assert.equal(readFileSync(device, "utf8").split("\x1b[H\x1b[2Jone\r\ntext ").length, 52);
    rmSync(folder, { recursive: true });
  });

  it("is no reason to fail when it is not there", async () => {
    screenAt("/nowhere/tty")("text");
    await pause(20);
  });
});

/** A board that says this and nothing else. */
function boardSaying(more: Partial<ScreenSource>): ScreenSource {
  return {
    notices: () => [],
    address: () => undefined,
    addressByName: () => undefined,
    presence: () => undefined,
    wifi: () => undefined,
    publicAddress: () => undefined,
    changed: new Signal(),
    ...more,
  };
}

/** Each character as two modules, one over the other: what is drawn is light. */
function pixelsOf(lines: readonly string[]): Pixels {
  const drawn = lines.filter((line) => /^[ ▀▄█]+$/.test(line));
  const rows = drawn.flatMap((line) =>
    ["▀█", "▄█"].map((light) => Array.from(line, (char) => light.includes(char))),
  );
  const pixels = rows.flat().flatMap((light) => (light ? [255, 255, 255, 255] : [0, 0, 0, 255]));
  return {
    width: rows[0]?.length ?? 0,
    height: rows.length,
    data: new Uint8ClampedArray(pixels),
  };
}
