import {
  type ChildHIDDeviceInfo,
  DEVICE_MODELS2,
  type HIDDevice,
  type HIDDeviceEvents,
  type HIDDeviceInfo,
  type StreamDeck,
  type StreamDeckButtonControlDefinition,
  type StreamDeckEncoderControlDefinition,
} from "@elgato-stream-deck/core";
import { EventEmitter } from "eventemitter3";
import { giveBack } from "../pixel-memory.ts";
import {
  type DeckDriver,
  type DriverContext,
  type HidHandle,
  JPEG_QUALITY,
  type SlotPixels,
  wordOf,
  writeReport,
} from "./driver.ts";
import { type ElgatoModel, isSerial } from "./model.ts";

const INPUT_REPORT = 0x01;
/** The library reads this far without looking how long a report is. */
const READ_BYTES = 13;

type Control = StreamDeckButtonControlDefinition | StreamDeckEncoderControlDefinition;

/** The device for the library, which knows the models and their protocols. */
class ElgatoHid extends EventEmitter<HIDDeviceEvents> implements HIDDevice {
  readonly #hid: HidHandle;
  readonly #info: HIDDeviceInfo;

  constructor(hid: HidHandle, info: HIDDeviceInfo) {
    super();
    this.#hid = hid;
    this.#info = info;
    hid.on("data", (report) => {
      if (report[0] === INPUT_REPORT) this.emit("input", filledUp(report.subarray(1)));
    });
  }

  close(): Promise<void> {
    return this.#hid.close();
  }

  async sendFeatureReport(data: Uint8Array): Promise<void> {
    await this.#hid.sendFeatureReport(Buffer.from(data));
  }

  getFeatureReport(reportId: number, reportLength: number): Promise<Uint8Array> {
    return this.#hid.getFeatureReport(reportId, reportLength);
  }

  async sendReports(buffers: Uint8Array[]): Promise<void> {
    for (const buffer of buffers) await writeReport(this.#hid, Buffer.from(buffer));
  }

  async getDeviceInfo(): Promise<HIDDeviceInfo> {
    return this.#info;
  }

  async getChildDeviceInfo(): Promise<ChildHIDDeviceInfo | null> {
    return null;
  }
}

/** Drives an Elgato Stream Deck through @elgato-stream-deck/core. */
export async function openElgato(context: DriverContext<ElgatoModel>): Promise<DeckDriver> {
  const deck = await openLibrary(context);
  hearInputs(deck, context);

  const draw = ({ slot, pixels }: SlotPixels) => {
    const { width, height } = pixels;
    const data = new Uint8Array(pixels.data.buffer, pixels.data.byteOffset, pixels.data.length);
    const index = Number(slot.slice(1));
    if (slot.startsWith("k")) return deck.fillKeyBuffer(index, data, { format: "rgba" });
    const region = deck.CONTROLS.some((c) => c.type === "lcd-segment" && c.drawRegions);
    return region
      ? deck.fillLcdRegion(0, index * width, 0, data, { format: "rgba", width, height })
      : deck.fillLcd(0, data, { format: "rgba" });
  };

  return {
    serial: await serialOf(deck, context.usbSerial),
    firmware: async () => wordOf(await deck.getFirmwareVersion()),
    heartbeat: undefined,
    repaintMs: undefined,
    initialise: (brightness) => deck.setBrightness(brightness),
    setBrightness: (percent) => deck.setBrightness(percent),
    async paint(next) {
      for (let picture = next(); picture !== undefined; picture = next()) await draw(picture);
    },
    farewell: () => deck.clearPanel(),
  };
}

/** Reports every key, zone, input and swipe of a unit. */
function hearInputs(deck: StreamDeck, context: DriverContext<ElgatoModel>): void {
  const { slots, inputs } = context.model;
  const zones = slots.filter(({ kind }) => kind === "zone");
  const places = [
    ...slots.map((slot) => ({ ...slot, name: slot.slot })),
    ...inputs.map((input) => ({ ...input, name: input.input })),
  ];
  const placeOf = ({ column, row }: Control) =>
    places.find((place) => place.column === column && place.row === row)?.name;

  const onButton = (down: boolean) => (control: Control) => {
    const place = placeOf(control);
    if (place !== undefined) context.onInput({ what: down ? "down" : "up", place });
  };
  deck.on("down", onButton(true));
  deck.on("up", onButton(false));
  deck.on("rotate", (control, by) => {
    const place = placeOf(control);
    if (place !== undefined) context.onInput({ what: "turn", place, by });
  });
  const onTouch = (_strip: unknown, at: { x: number }) => {
    const zone = zones.find(({ width }, index) => at.x < (index + 1) * width);
    if (zone !== undefined) context.onInput({ what: "tap", place: zone.slot });
  };
  deck.on("lcdShortPress", onTouch);
  deck.on("lcdLongPress", onTouch);
  deck.on("lcdSwipe", (_strip, from, to) => {
    // The strip is flat: a finger that went up or down went nowhere.
    if (Math.abs(to.x - from.x) > Math.abs(to.y - from.y)) {
      context.onInput({ what: "swipe", place: to.x < from.x ? "left" : "right" });
    }
  });
}

/** Pads a report with zeros, as the kernel does for readers of other interfaces than hidraw. */
function filledUp(report: Buffer): Buffer {
  if (report.length >= READ_BYTES) return report;
  return Buffer.concat([report], READ_BYTES);
}

/** The serial number by the unit itself, with a time limit, since some firmware hangs. */
async function serialOf(deck: StreamDeck, usbSerial: string): Promise<string> {
  try {
    const serial = (await deck.getSerialNumber()).trim();
    if (isSerial(serial)) return serial;
    return usbSerial;
  } catch {
    return usbSerial;
  }
}

async function openLibrary({
  model,
  hid,
  encodeJpeg,
}: DriverContext<ElgatoModel>): Promise<StreamDeck> {
  // Any id of the model works: the library groups equal ones.
  const { vendor: vendorId = 0, product: productId = 0 } = model.usb[0] ?? {};
  const spec = Object.values(DEVICE_MODELS2).find(
    (known) => known.vendorId === vendorId && known.productIds.includes(productId),
  );
  if (spec === undefined) throw new Error(`no driver knows the ${model.name}`);
  const device = new ElgatoHid(hid, { path: undefined, vendorId, productId });
  return spec.factory(device, {
    // The library has already turned the picture the way the panel wants it.
    encodeJPEG: async (buffer, width, height) => {
      const data = new Uint8ClampedArray(buffer.buffer, buffer.byteOffset, buffer.length);
      const jpeg = await encodeJpeg({ width, height, data }, { rotate: 0, quality: JPEG_QUALITY });
      // The turned picture is not used again.
      giveBack(buffer);
      return jpeg;
    },
  });
}
