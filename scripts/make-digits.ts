import { writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { DIGITS_FILE, type DigitReports } from "../appliance/box/emergency/reports.ts";
import { chooseColors } from "../appliance/deck/face/colors.ts";
import { encodeJpeg, paint } from "../appliance/deck/face/paint.ts";
import type { Pixels } from "../appliance/deck/pixels.ts";
import { openElgato } from "../appliance/deck/usb/elgato.ts";
import { ELGATO_MODELS } from "../appliance/deck/usb/elgato-models.ts";
import type { ElgatoModel, ModelSlot } from "../appliance/deck/usb/model.ts";

/** The picture of a digit, or a dark one. */
export function digitPixels(
  digit: number | undefined,
  size: { readonly width: number; readonly height: number },
): Pixels {
  const colors = chooseColors({}, {});
  const { background } = colors;
  return paint(
    digit === undefined
      ? { kind: "blank", background }
      : { kind: "figure", top: "", main: `${digit}`, bottom: "", ...colors },
    size,
  );
}

/** The reports of a driver for one picture. */
async function recorder(
  model: ElgatoModel,
): Promise<(slot: string, pixels: Pixels) => Promise<Buffer[]>> {
  let sent: Buffer[] = [];
  const driver = await openElgato({
    model,
    hid: {
      on() {},
      write: async (report) => sent.push(Buffer.from(report)) && report.length,
      sendFeatureReport: async (report) => report.length,
      getFeatureReport: async (_, length) => Buffer.alloc(length),
      close: async () => {},
    },
    outputBytes: undefined,
    usbSerial: "",
    encodeJpeg,
    onInput() {},
  });
  return async (slot, pixels) => {
    sent = [];
    const all = [{ slot, pixels }];
    await driver.paint(() => all.pop());
    return sent;
  };
}

async function recorded(model: ElgatoModel, keys: readonly ModelSlot[]): Promise<DigitReports> {
  const record = await recorder(model);
  const [key] = keys as [ModelSlot];
  const dark = digitPixels(undefined, key);
  const of: (Buffer | undefined)[] = [];
  for (const { slot } of keys) of.push((await record(slot, dark))[0]);
  const [first, second] = of as [Buffer, Buffer];
  // Reports for two keys differ in the byte that names the key, and in no other.
  const keyAt = first.findIndex((byte, at) => byte !== second[at]);
  const pictures: string[][] = [];
  for (const digit of [...Array(10).keys(), undefined]) {
    const reports = await record(key.slot, digitPixels(digit, key));
    pictures.push(reports.map((report) => report.toString("base64")));
  }
  return { keyAt, keys: of.map((report) => report?.[keyAt] ?? 0), pictures };
}

/** The reports for each model with keys. */
export async function digitReports(): Promise<Readonly<Record<string, DigitReports>>> {
  const digits: Record<string, DigitReports> = {};
  for (const model of ELGATO_MODELS) {
    const keys = model.slots.filter(({ kind }) => kind === "key");
    if (keys.length > 0) digits[model.id] = await recorded(model, keys);
  }
  return digits;
}

// Root's programs take no package, so they find what a driver sends in a file.
if (import.meta.main)
  writeFileSync(DIGITS_FILE, brotliCompressSync(JSON.stringify(await digitReports())));
