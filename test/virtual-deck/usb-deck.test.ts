import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../helpers/fake-clock.ts";
import type { FakeUnit } from "../helpers/fake-hid.ts";
import { UNITS } from "../helpers/fake-hid-units.ts";
import { UsbDeck } from "./usb-deck.ts";
import { hello, type Packet, packet, TYPE, Unpacker } from "./wire.ts";

/** The machine's end of the socket, as QEMU's usb-redir device is. */
class Peer {
  readonly #socket: Socket;
  readonly #unpacker = new Unpacker();
  readonly #packets: Packet[] = [];
  #id = 0n;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#packets.push(...this.#unpacker.take(bytes));
      socket.emit("packets");
    });
    socket.write(hello());
  }

  /** The next packet of a type; those before it are dropped. */
  async next(type: number): Promise<Packet> {
    for (;;) {
      const at = this.#packets.findIndex((each) => each.type === type);
      if (at >= 0) return this.#packets.splice(0, at + 1).at(-1) as Packet;
      await once(this.#socket, "packets");
    }
  }

  async ask(type: number, answer: number, ...bytes: readonly number[]): Promise<Packet> {
    this.#socket.write(packet(type, ++this.#id, Buffer.from(bytes)));
    const got = await this.next(answer);
    assert.equal(got.id, this.#id);
    return got;
  }

  /** A control transfer into the machine; gives the data, or undefined after a stall. */
  async control(kind: number, request: number, value: number, index: number, length: number) {
    const words = [value, index, length].flatMap((word) => [word & 0xff, word >> 8]);
    const { body } = await this.ask(
      TYPE.control,
      TYPE.control,
      kind & 0x80,
      request,
      kind,
      0,
      ...words,
    );
    return body[3] === 0 ? body.subarray(10) : undefined;
  }

  /** An OUT interrupt packet. */
  async send(endpoint: number, data: Buffer): Promise<void> {
    const header = [endpoint, 0, data.length & 0xff, data.length >> 8];
    await this.ask(TYPE.interrupt, TYPE.interrupt, ...header, ...data);
  }
}

describe("a virtual deck on a machine's USB port", () => {
  let folder = "";
  let server: Server;
  let path = "";
  let deck: UsbDeck | undefined;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-usb-"));
    path = join(folder, "usb.sock");
    server = createServer().listen(path);
    await once(server, "listening");
  });
  afterEach(() => {
    deck?.unplug();
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function plugged(model: string, speed: "full" | "high" = "high") {
    const unit = (UNITS[model] as (clock: FakeClock) => FakeUnit)(new FakeClock());
    const connection = once(server, "connection");
    deck = await UsbDeck.plug(unit, { socket: path, speed });
    const peer = new Peer((await connection)[0] as Socket);
    return { unit, peer, connected: await peer.next(TYPE.deviceConnect) };
  }

  it("says what it is before it is connected", async () => {
    for (const [model, vendor, product] of [
      ["mk2", 0x0fd9, 0x0080],
      ["mirabox-293", 0x6603, 0x1005],
      ["akp05e", 0x0300, 0x3004],
    ] as const) {
      const { connected } = await plugged(model);
      assert.deepEqual(
        [connected.body.readUInt16LE(4), connected.body.readUInt16LE(6)],
        [vendor, product],
      );
      deck?.unplug();
    }
  });

  it("describes each of its interfaces, and stalls what it has not", async () => {
    const { peer, unit } = await plugged("mirabox-293");
    const configuration = await peer.control(0x80, 6, 0x0200, 0, 255);
    assert.equal(configuration?.length, configuration?.readUInt16LE(2));
    assert.equal(configuration?.[4], 2);
    for (const [index, descriptor] of unit.descriptors.entries())
      assert.deepEqual(await peer.control(0x81, 6, 0x2200, index, 255), descriptor);
    assert.equal(await peer.control(0x80, 6, 0x0f00, 0, 255), undefined);
  });

  it("tells its serial number to both who ask", async () => {
    const { peer, unit } = await plugged("mk2");
    const text = await peer.control(0x80, 6, 0x0303, 0x0409, 255);
    assert.equal(text?.toString("utf16le", 2), unit.usbSerial);
    const report = await peer.control(0xa1, 1, 0x0306, 0, 32);
    assert.equal(report?.toString("ascii", 2, 2 + unit.usbSerial.length), unit.usbSerial);
  });

  it("answers a configuration with what it is once more", async () => {
    const { peer } = await plugged("mk2");
    const status = await peer.ask(TYPE.setConfiguration, TYPE.configurationStatus, 1);
    assert.deepEqual([...status.body], [0, 1]);
  });

  it("gives output reports to the firmware, with the report id it goes by", async () => {
    const { peer, unit } = await plugged("mirabox-293");
    const report = Buffer.alloc(1024);
    report.write("CRT\0\0LIG", "latin1");
    report[10] = 42;
    await peer.send(0x02, report);
    assert.equal(unit.brightness, 42);
    assert.deepEqual(unit.complaints, []);
  });

  it("puts a report together that full speed cut into packets of 64 bytes", async () => {
    const { peer, unit } = await plugged("mirabox-293", "full");
    const report = Buffer.alloc(1024);
    report.write("CRT\0\0LIG", "latin1");
    report[10] = 7;
    for (let at = 0; at < report.length; at += 64)
      await peer.send(0x02, report.subarray(at, at + 64));
    assert.equal(unit.brightness, 7);
  });

  it("sends key presses once the machine listens", async () => {
    const { peer, unit } = await plugged("mk2");
    unit.press("k0");
    await peer.ask(TYPE.startInterrupt, TYPE.interruptStatus, 0x81);
    unit.down("k1");
    const { body } = await peer.next(TYPE.interrupt);
    assert.deepEqual([...body.subarray(4, 11)], [1, 0, 15, 0, 0, 1, 0]);
  });

  it("is gone when it is unplugged", async () => {
    const connection = once(server, "connection");
    const unit = (UNITS.mk2 as (clock: FakeClock) => FakeUnit)(new FakeClock());
    deck = await UsbDeck.plug(unit, { socket: path });
    const [socket] = (await connection) as [Socket];
    const closed = once(socket.resume(), "close");
    deck.unplug();
    await closed;
    unit.press("k0");
  });
});
