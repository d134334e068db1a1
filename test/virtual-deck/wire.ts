/**
 * The usbredir protocol, as far as a HID device needs it: see usbredirproto.h and
 * usb-redirection-protocol.md of the usbredir project. Numbers are little endian.
 */

export const TYPE = {
  hello: 0,
  deviceConnect: 1,
  interfaceInfo: 4,
  endpointInfo: 5,
  setConfiguration: 6,
  getConfiguration: 7,
  configurationStatus: 8,
  setAltSetting: 9,
  getAltSetting: 10,
  altSettingStatus: 11,
  startInterrupt: 15,
  stopInterrupt: 16,
  interruptStatus: 17,
  cancelData: 21,
  reset: 3,
  control: 100,
  interrupt: 103,
} as const;

export const STATUS = { success: 0, cancelled: 1, stall: 4 } as const;

/** connect_device_version, ep_info_max_packet_size, 64bits_ids, 32bits_bulk_length. */
const CAPABILITIES = (1 << 1) | (1 << 4) | (1 << 5) | (1 << 6);
const NO_SUCH_ENDPOINT = 255;
const INTERRUPT_ENDPOINT = 3;

export interface Packet {
  readonly type: number;
  readonly id: bigint;
  readonly body: Buffer;
}

/** Hello goes out with a short header, everything after it with a long one. */
export function hello(): Buffer {
  const body = Buffer.alloc(68);
  body.write("tallydeck virtual deck");
  body.writeUInt32LE(CAPABILITIES, 64);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(TYPE.hello, 0);
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}

export function packet(type: number, id: bigint, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(type, 0);
  header.writeUInt32LE(body.length, 4);
  header.writeBigUInt64LE(id, 8);
  return Buffer.concat([header, body]);
}

/** Cuts a stream into packets; the first is the peer's hello. */
export class Unpacker {
  #rest = Buffer.alloc(0);
  #greeted = false;

  /** Takes bytes as they come and gives the packets they complete. */
  *take(bytes: Buffer): Generator<Packet> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const header = this.#greeted ? 16 : 12;
      if (this.#rest.length < header) return;
      const end = header + this.#rest.readUInt32LE(4);
      if (this.#rest.length < end) return;
      const type = this.#rest.readUInt32LE(0);
      const id = this.#greeted ? this.#rest.readBigUInt64LE(8) : 0n;
      const body = this.#rest.subarray(header, end);
      this.#rest = this.#rest.subarray(end);
      this.#greeted = true;
      yield { type, id, body };
    }
  }
}

export interface Endpoint {
  /** With the direction bit 0x80. */
  readonly address: number;
  readonly interface: number;
  readonly maxPacket: number;
  /** bInterval. */
  readonly interval: number;
}

/** All endpoints are interrupt endpoints, but for the two of address 0. */
export function endpointInfo(endpoints: readonly Endpoint[]): Buffer {
  const [types, intervals, interfaces] = [
    Buffer.alloc(32, NO_SUCH_ENDPOINT),
    Buffer.alloc(32),
    Buffer.alloc(32),
  ];
  const sizes = Buffer.alloc(64);
  for (const control of [0, 16]) {
    types[control] = 0;
    sizes.writeUInt16LE(64, control * 2);
  }
  for (const { address, interface: of, maxPacket, interval } of endpoints) {
    const index = ((address & 0x80) >> 3) | (address & 0x0f);
    types[index] = INTERRUPT_ENDPOINT;
    intervals[index] = interval;
    interfaces[index] = of;
    sizes.writeUInt16LE(maxPacket, index * 2);
  }
  return Buffer.concat([types, intervals, interfaces, sizes]);
}

/** `count` HID interfaces. */
export function interfaceInfo(count: number): Buffer {
  const info = Buffer.alloc(132);
  info.writeUInt32LE(count, 0);
  for (let index = 0; index < count; index++) {
    info[4 + index] = index;
    info[36 + index] = HID_CLASS;
  }
  return info;
}

export const HID_CLASS = 3;

export type Speed = "full" | "high";

export function deviceConnect(vendor: number, product: number, speed: Speed): Buffer {
  const info = Buffer.alloc(10);
  info[0] = speed === "high" ? 2 : 1;
  info.writeUInt16LE(vendor, 4);
  info.writeUInt16LE(product, 6);
  info.writeUInt16LE(0x0100, 8);
  return info;
}
