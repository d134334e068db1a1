import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { CodeOnDecks } from "../../../appliance/box/emergency/decks.ts";
import {
  codeReports,
  DIGITS_FILE,
  type DigitReports,
} from "../../../appliance/box/emergency/reports.ts";
import { ELGATO_MODELS } from "../../../appliance/deck/usb/elgato-models.ts";
import { digitPixels, digitReports } from "../../../scripts/make-digits.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { difference } from "../../helpers/pictures.ts";
import { codeOn } from "../../helpers/shown-code.ts";

const CODE = "407918";

describe("a code on a deck, without a driver", () => {
  const folder = eachFolder();

  for (const [id, slots] of [
    ["original", ["k0", "k1", "k2", "k5", "k6", "k7"]],
    ["mini", ["k0", "k1", "k2", "k3", "k4", "k5"]],
    ["mk2", ["k0", "k1", "k2", "k5", "k6", "k7"]],
    ["xl", ["k0", "k1", "k2", "k8", "k9", "k10"]],
    ["plus", ["k0", "k1", "k2", "k4", "k5", "k6"]],
    ["neo", ["k0", "k1", "k2", "k4", "k5", "k6"]],
  ] as const)
    it(`stands upright on the ${id}, three digits a row`, async () => {
      const unit = UNITS[id]?.(new FakeClock());
      if (unit === undefined) throw new Error(`no unit ${id}`);
      for (const report of codeReports(unit.product, CODE) ?? []) unit.output(report);
      assert.equal(await codeOn(unit, slots), CODE);
      assert.deepEqual(unit.complaints, []);
    });

  it("has digits that differ, on keys of each size", () => {
    const keys = ELGATO_MODELS.flatMap(({ slots }) => slots.filter(({ kind }) => kind === "key"));
    for (const key of new Map(keys.map((one) => [`${one.width} ${one.height}`, one])).values())
      for (let one = 0; one < 10; one += 1)
        for (let other = 0; other < one; other += 1)
          assert.ok(difference(digitPixels(one, key), digitPixels(other, key)) > 5);
  });

  it("names the keys as the driver does, on each model", async () => {
    const kept = JSON.parse(brotliDecompressSync(readFileSync(DIGITS_FILE)).toString());
    const keysOf = (digits: Readonly<Record<string, DigitReports>>) =>
      Object.entries(digits).map(([id, { keyAt, keys }]) => [id, keyAt, keys]);
    assert.deepEqual(keysOf(kept), keysOf(await digitReports()), "Run: scripts/make-digits");
  });

  it("darkens the keys without a digit", async () => {
    const unit = UNITS.mk2?.(new FakeClock()) ?? assert.fail();
    for (const report of codeReports(unit.product, CODE) ?? []) unit.output(report);
    for (const slot of ["k3", "k4", "k8", "k9", "k10", "k14"]) {
      const pixels = (await unit.shown(slot)) ?? assert.fail(slot);
      assert.ok(difference(digitPixels(undefined, pixels), pixels) < 1, slot);
    }
  });

  it("is for decks of Elgato with keys alone, by each of their ids", () => {
    for (const { usb, slots } of ELGATO_MODELS)
      for (const { product } of usb)
        assert.equal(codeReports(product, CODE) !== undefined, slots.length > 0);
    assert.equal(codeReports(0x1234, CODE), undefined);
  });

  it("goes to each deck once, anew for another code, and to one that comes later", async () => {
    const plugIn = (name: string, id: string) => {
      const about = join(folder(), "sys/class/hidraw", name, "device");
      mkdirSync(about, { recursive: true });
      writeFileSync(join(about, "uevent"), `DRIVER=hid-generic\nHID_ID=${id}\nHID_NAME=x\n`);
      mkdirSync(join(folder(), "dev"), { recursive: true });
      writeFileSync(join(folder(), "dev", name), "");
    };
    const bytes = (name: string) => readFileSync(join(folder(), "dev", name)).length;
    const decks = new CodeOnDecks(folder());
    await decks.show(CODE);
    plugIn("hidraw0", "0003:0000046D:0000C077");
    plugIn("hidraw1", "0003:00000FD9:00000080");
    await decks.show(CODE);
    const once = (codeReports(0x0080, CODE) ?? []).reduce((sum, { length }) => sum + length, 0);
    assert.deepEqual([bytes("hidraw0"), bytes("hidraw1")], [0, once]);
    writeFileSync(join(folder(), "dev/hidraw1"), "");
    await decks.show(CODE);
    assert.equal(bytes("hidraw1"), 0);
    await decks.show("111111");
    assert.ok(bytes("hidraw1") > 0);
    // One that cannot be opened yet is tried again.
    plugIn("hidraw2", "0003:00000FD9:0000006C");
    rmSync(join(folder(), "dev/hidraw2"));
    await decks.show("111111");
    writeFileSync(join(folder(), "dev/hidraw2"), "");
    await decks.show("111111");
    assert.ok(bytes("hidraw2") > 0);
  });
});
