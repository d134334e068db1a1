import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { FakeUnit } from "../helpers/fake-hid.ts";
import { Descriptors } from "./descriptors.ts";
import {
  deviceConnect,
  endpointInfo,
  hello,
  interfaceInfo,
  type Packet,
  packet,
  type Speed,
  STATUS,
  TYPE,
  Unpacker,
} from "./wire.ts";

const REPORT_ID_ITEM = 0x85;
const FEATURE = 3;

/**
 * A deck on the USB port of a virtual machine: QEMU's `usb-redir` device on the other end of a
 * socket believes that it is plugged in. Connecting plugs it in, `unplug` pulls it out.
 */
export class UsbDeck {
  readonly unit: FakeUnit;
  readonly #socket: Socket;
  readonly #speed: Speed;
  readonly #descriptors: Descriptors;
  readonly #unpacker = new Unpacker();
  readonly #listening = new Set<number>();
  readonly #numbered: boolean;
  #partial: Buffer[] = [];
  #sent = 0n;
  #greeted = false;

  private constructor(unit: FakeUnit, socket: Socket, speed: Speed) {
    this.unit = unit;
    this.#socket = socket;
    this.#speed = speed;
    this.#descriptors = new Descriptors(unit, speed);
    this.#numbered = hasReportId(unit.descriptors[unit.deckInterface] ?? Buffer.alloc(0));
    socket.on("data", (bytes: Buffer) => {
      for (const each of this.#unpacker.take(bytes)) this.#handle(each);
    });
    // The machine went away: that is an unplugging.
    socket.on("error", () => {});
    unit.send = (report) => this.#input(report);
  }

  /** Plugs a unit in at a machine's port. */
  static async plug(
    unit: FakeUnit,
    { socket: path, speed = "high" }: { socket: string; speed?: Speed },
  ): Promise<UsbDeck> {
    const socket = connect(path);
    await once(socket, "connect");
    unit.powerOff();
    const deck = new UsbDeck(unit, socket, speed);
    socket.write(hello());
    return deck;
  }

  /** Pulls it out, in the middle of whatever goes on. */
  unplug(): void {
    this.unit.send = () => {};
    this.#socket.destroy();
    this.unit.powerOff();
  }

  #handle({ type, id, body }: Packet): void {
    switch (type) {
      case TYPE.hello:
        this.#connect();
        break;
      case TYPE.setConfiguration:
        this.#describe();
        this.#reply(TYPE.configurationStatus, id, [STATUS.success, body.readUInt8(0)]);
        break;
      case TYPE.getConfiguration:
        this.#reply(TYPE.configurationStatus, id, [STATUS.success, 1]);
        break;
      case TYPE.setAltSetting:
      case TYPE.getAltSetting:
        this.#reply(TYPE.altSettingStatus, id, [STATUS.success, body.readUInt8(0), 0]);
        break;
      case TYPE.startInterrupt:
        this.#listening.add(body.readUInt8(0));
        this.#reply(TYPE.interruptStatus, id, [STATUS.success, body.readUInt8(0)]);
        break;
      case TYPE.stopInterrupt:
        this.#listening.delete(body.readUInt8(0));
        this.#reply(TYPE.interruptStatus, id, [STATUS.success, body.readUInt8(0)]);
        break;
      case TYPE.control:
        this.#control(id, body);
        break;
      case TYPE.interrupt:
        this.#output(id, body);
        break;
      // Everything is answered before it could be cancelled.
      default:
    }
  }

  #connect(): void {
    if (this.#greeted) return;
    this.#greeted = true;
    const { vendor, product } = this.unit;
    this.#describe();
    this.#socket.write(packet(TYPE.deviceConnect, 0n, deviceConnect(vendor, product, this.#speed)));
  }

  #describe(): void {
    const { endpoints } = this.#descriptors;
    this.#socket.write(packet(TYPE.endpointInfo, 0n, endpointInfo(endpoints)));
    this.#socket.write(packet(TYPE.interfaceInfo, 0n, interfaceInfo(this.unit.descriptors.length)));
  }

  #reply(type: number, id: bigint, bytes: readonly number[]): void {
    this.#socket.write(packet(type, id, Buffer.from(bytes)));
  }

  /** Control transfers: 10 bytes of header, then data to the device, or room for its answer. */
  #control(id: bigint, body: Buffer): void {
    const header = Buffer.from(body.subarray(0, 10));
    const [request, kind] = [header.readUInt8(1), header.readUInt8(2)];
    const [value, index, length] = [4, 6, 8].map((at) => header.readUInt16LE(at)) as [
      number,
      number,
      number,
    ];
    const answer = this.#answer({ request, kind, value, index, length, data: body.subarray(10) });
    header[3] = answer === undefined ? STATUS.stall : STATUS.success;
    const given = (answer ?? Buffer.alloc(0)).subarray(0, length);
    if (kind & 0x80) header.writeUInt16LE(given.length, 8);
    this.#socket.write(packet(TYPE.control, id, header, kind & 0x80 ? given : Buffer.alloc(0)));
  }

  #answer(setup: {
    request: number;
    kind: number;
    value: number;
    index: number;
    length: number;
    data: Buffer;
  }): Buffer | undefined {
    const { request, kind, value, index, length, data } = setup;
    const isDeck = index === this.unit.deckInterface;
    // Standard: GET_STATUS, GET_DESCRIPTOR. Class: GET_REPORT, SET_REPORT, SET_IDLE, SET_PROTOCOL.
    if ((kind & 0x60) === 0 && request === 6) return this.#descriptors.get(value, index);
    if ((kind & 0x60) === 0) return Buffer.alloc(Math.min(length, 2));
    if (kind === 0xa1 && request === 1 && isDeck) return this.#feature(value & 0xff, length);
    if (kind === 0x21 && request === 9 && isDeck) {
      if (value >> 8 === FEATURE) this.unit.setFeature(Buffer.from(data));
      else this.#report(data);
    }
    return kind === 0x21 ? Buffer.alloc(0) : undefined;
  }

  #feature(id: number, length: number): Buffer | undefined {
    try {
      return this.unit.getFeature(id, length);
    } catch {
      return undefined;
    }
  }

  /** A report may come in several packets; one that is not full ends it. */
  #output(id: bigint, body: Buffer): void {
    const header = Buffer.from(body.subarray(0, 4));
    const data = Buffer.from(body.subarray(4));
    header[1] = STATUS.success;
    this.#socket.write(packet(TYPE.interrupt, id, header));
    this.#partial.push(data);
    const whole = this.#partial.reduce((sum, part) => sum + part.length, 0);
    const full = this.#speed === "high" ? 1024 : 64;
    if (data.length === full && whole < this.#outputBytes) return;
    const report = Buffer.concat(this.#partial);
    this.#partial = [];
    this.#report(report);
  }

  get #outputBytes(): number {
    const { firmware } = this.unit as { firmware?: { packetBytes: number } };
    return firmware?.packetBytes ?? 1024;
  }

  /** Firmware and hidraw agree on a report id in front, 0 where the wire has none. */
  #report(data: Buffer): void {
    this.unit.output(this.#numbered ? data : Buffer.concat([Buffer.of(0), data]));
  }

  #input(report: Buffer): void {
    const endpoint = 0x81 + this.unit.deckInterface;
    if (!this.#listening.has(endpoint)) return;
    const size =
      this.#descriptors.endpoints.find(({ address }) => address === endpoint)?.maxPacket ?? 64;
    for (let at = 0; at < report.length; at += size) {
      const part = report.subarray(at, at + size);
      const header = Buffer.of(endpoint, STATUS.success, part.length & 0xff, part.length >> 8);
      this.#socket.write(packet(TYPE.interrupt, this.#sent++, header, part));
    }
  }
}

/** Whether a report descriptor numbers its reports: walks its items (HID 1.11, section 6.2.2). */
function hasReportId(descriptor: Buffer): boolean {
  for (let at = 0; at < descriptor.length; ) {
    const item = descriptor.readUInt8(at);
    if (item === REPORT_ID_ITEM) return true;
    at += 1 + ([0, 1, 2, 4][item & 3] ?? 0);
  }
  return false;
}
