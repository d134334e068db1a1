import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEVICE_MODELS2, type HIDDevice } from "@elgato-stream-deck/core";
import { EventEmitter } from "eventemitter3";
import { describe, it } from "mocha";
import { CodeOnDecks } from "../../../appliance/box/emergency/decks.ts";
import { digitPicture, jpegOf, turned } from "../../../appliance/box/emergency/picture.ts";
import { codeReports } from "../../../appliance/box/emergency/reports.ts";
import { ELGATO_MODELS } from "../../../appliance/deck/usb/elgato-models.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { UNITS } from "../../helpers/fake-hid-units.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { decode } from "../../helpers/pictures.ts";
import { codeOn } from "../../helpers/shown-code.ts";

const CODE = "407918";
const WITH_KEYS = ELGATO_MODELS.filter(({ slots }) => slots.length > 0);

/** The picture of a key, as the library takes it. */
function rgba(digit: number | undefined, width: number, height: number): Uint8Array {
  const squares = digitPicture(digit, { width, height });
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      pixels.fill(
        squares.isLight(x >> 3, y >> 3) ? 255 : 0,
        (y * width + x) * 4,
        (y * width + x) * 4 + 3,
      );
  return pixels;
}

describe("a code on a deck, without a driver", () => {
  const folder = eachFolder();

  for (const { id, slots, usb } of WITH_KEYS)
    it(`is sent to the ${id} as the library would send it`, async () => {
      const sent: Buffer[] = [];
      const product = usb[0]?.product ?? 0;
      const device = Object.assign(new EventEmitter(), {
        sendReports: async (reports: Uint8Array[]) => {
          sent.push(...reports.map((report) => Buffer.from(report)));
        },
        sendFeatureReport: async () => {},
        getFeatureReport: async (_: number, length: number) => new Uint8Array(length),
        getDeviceInfo: async () => ({ vendorId: 0x0fd9, productId: product, path: undefined }),
        getChildDeviceInfo: async () => null,
        close: async () => {},
      }) as unknown as HIDDevice;
      const spec = Object.values(DEVICE_MODELS2).find(
        ({ vendorId, productIds }) => vendorId === 0x0fd9 && productIds.includes(product),
      );
      const deck = await spec?.factory(device, {
        // The library has turned the picture: its first pixels say which way.
        encodeJPEG: async (pixels, width, height) => {
          const light = (column: number, row: number) =>
            column < width / 8 && (pixels[(row * 8 * width + column * 8) * 4] ?? 0) > 127;
          return jpegOf({ columns: width / 8, rows: height / 8, isLight: light });
        },
      });
      const keys = slots.filter(({ kind }) => kind === "key");
      for (const [index, { column, row, width, height }] of keys.entries()) {
        const [x, y] = [column - (keys[0]?.column ?? 0), row - (keys[0]?.row ?? 0)];
        const digit = x < 3 ? CODE[y * 3 + x] : undefined;
        const picture = rgba(digit === undefined ? undefined : Number(digit), width, height);
        await deck?.fillKeyBuffer(index, picture, { format: "rgba" });
      }
      assert.deepEqual(codeReports(product, CODE), sent);
      assert.ok(sent.length >= 6);
    });

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

  it("is drawn as JPEG that others read", async () => {
    for (const [width, height] of [
      [72, 72],
      [96, 96],
      [112, 112],
      [120, 120],
      [144, 112],
    ] as const)
      for (let digit = 0; digit < 10; digit += 1) {
        const squares = digitPicture(digit, { width, height });
        const pixels = await decode(jpegOf(squares));
        assert.deepEqual([pixels?.width, pixels?.height], [width, height]);
        let light = 0;
        for (let y = 4; y < height; y += 8)
          for (let x = 4; x < width; x += 8) {
            const isLight = (pixels?.data[(y * width + x) * 4] ?? 0) > 127;
            assert.equal(isLight, squares.isLight(x >> 3, y >> 3));
            light += Number(isLight);
          }
        assert.ok(light > 6);
      }
    const digit = digitPicture(7, { width: 72, height: 72 });
    assert.equal(turned(digit).isLight(8 - 2, 8 - 1), digit.isLight(2, 1));
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
