import type { FakeUnit } from "../helpers/fake-hid.ts";
import { type Endpoint, HID_CLASS, type Speed } from "./wire.ts";

const DEVICE = 1;
const CONFIGURATION = 2;
const STRING = 3;
const INTERFACE = 4;
const ENDPOINT = 5;
const QUALIFIER = 6;
const HID = 0x21;
const REPORT = 0x22;
const SERIAL = 3;

/** The descriptors of a deck: HID interfaces, with an endpoint for each direction. */
export class Descriptors {
  readonly endpoints: readonly Endpoint[];
  readonly #unit: FakeUnit;
  readonly #speed: Speed;

  constructor(unit: FakeUnit, speed: Speed) {
    this.#unit = unit;
    this.#speed = speed;
    const packet = speed === "high" ? 1024 : 64;
    const interval = speed === "high" ? 4 : 1;
    this.endpoints = unit.descriptors.flatMap((_, index) => {
      const own = { interface: index, interval };
      // As large as the bus allows: a report that fills its packets does not end a transfer.
      const input = { ...own, address: 0x81 + index, maxPacket: packet };
      const output = { ...own, address: 0x01 + index, maxPacket: packet };
      return index === unit.deckInterface ? [input, output] : [input];
    });
  }

  /** GET_DESCRIPTOR; undefined when there is no such descriptor. */
  get(value: number, index: number): Buffer | undefined {
    const [type, number] = [value >> 8, value & 0xff];
    if (type === DEVICE) return this.#device();
    if (type === CONFIGURATION) return this.#configuration();
    if (type === STRING) return this.#string(number);
    if (type === QUALIFIER) return Buffer.of(10, QUALIFIER, 0, 2, 0, 0, 0, 64, 1, 0);
    if (type === HID) return this.#hid(index);
    return type === REPORT ? this.#unit.descriptors[index] : undefined;
  }

  #device(): Buffer {
    const { vendor, product, usbSerial } = this.#unit;
    const device = Buffer.alloc(18);
    device.set([18, DEVICE, 0, 2, 0, 0, 0, 64]);
    device.writeUInt16LE(vendor, 8);
    device.writeUInt16LE(product, 10);
    device.set([0, 1, 1, 2, usbSerial === "" ? 0 : SERIAL, 1], 12);
    return device;
  }

  #configuration(): Buffer {
    const interfaces = this.#unit.descriptors.map((_, index) => {
      const own = this.endpoints.filter((endpoint) => endpoint.interface === index);
      return Buffer.concat([
        Buffer.of(9, INTERFACE, index, 0, own.length, HID_CLASS, 0, 0, 0),
        this.#hid(index),
        ...own.map(({ address, maxPacket, interval }) =>
          Buffer.of(7, ENDPOINT, address, 3, maxPacket & 0xff, maxPacket >> 8, interval),
        ),
      ]);
    });
    const length = 9 + interfaces.reduce((sum, part) => sum + part.length, 0);
    const header = Buffer.of(
      9,
      CONFIGURATION,
      length & 0xff,
      length >> 8,
      interfaces.length,
      1,
      0,
      0x80,
      250,
    );
    return Buffer.concat([header, ...interfaces]);
  }

  #hid(index: number): Buffer {
    const size = this.#unit.descriptors[index]?.length ?? 0;
    return Buffer.of(9, HID, 0x11, 1, 0, 1, REPORT, size & 0xff, size >> 8);
  }

  #string(number: number): Buffer | undefined {
    if (number === 0) return Buffer.of(4, STRING, 9, 4);
    const text = ["", "Tallydeck", `Virtual deck (${this.#speed} speed)`, this.#unit.usbSerial][
      number
    ];
    if (text === undefined) return undefined;
    const body = Buffer.from(text, "utf16le");
    return Buffer.concat([Buffer.of(body.length + 2, STRING), body]);
  }
}
