/**
 * The packets of the Mirabox CRT family, which the AJAZZ AKP05 family uses, too. No vendor documents them; these come from
 * open-source drivers (`models.ts` says what is verified on which unit).
 *
 * Every packet has a report id and then exactly 512 or 1024 bytes, zero padded. A packet of the wrong size is ignored
 * silently: the write succeeds, and the panel stays black.
 */
import type { Pixels } from "../pixels.ts";
import { type DriverContext, JPEG_QUALITY, writeReport } from "./driver.ts";
import type { CrtModel, CrtWire } from "./model.ts";

/** Commands, by their meaning. */
export const CRT = {
  wake: "DIS",
  brightness: "LIG",
  clear: "CLE",
  image: "BAT",
  commit: "STP",
  heartbeat: "CONNECT",
  /** Ends an upload on the AKP05 family. */
  endUpload: "ULEND",
} as const;

const PREFIX = [0x43, 0x52, 0x54, 0x00, 0x00];
const ALL_KEYS = 0xff;

/** Writes packets for one unit. Calls must not overlap: an upload has no sequence numbers. */
export class CrtPanel {
  readonly #context: DriverContext<CrtModel>;
  readonly #wire: CrtWire;
  readonly #packetBytes: number;

  constructor(context: DriverContext<CrtModel>) {
    this.#context = context;
    this.#wire = context.model.wire;
    // Revisions with one product id differ in size, so the device's own report comes first.
    this.#packetBytes = context.outputBytes ?? context.model.wire.packetBytes;
  }

  /** Sends one command; `args` sit at their offsets from the start of the packet. */
  async command(ascii: string, args: Readonly<Record<number, number>> = {}): Promise<void> {
    const payload = Buffer.alloc(this.#packetBytes);
    payload.set(PREFIX);
    payload.write(ascii, PREFIX.length, "ascii");
    for (const [offset, value] of Object.entries(args)) payload[Number(offset)] = value;
    await this.#write(payload);
  }

  async setBrightness(percent: number): Promise<void> {
    await this.command(CRT.brightness, { 10: percent });
  }

  async clear(): Promise<void> {
    await this.command(CRT.clear, { 11: ALL_KEYS });
    if (this.#wire.commitsClear) await this.command(CRT.commit);
  }

  /** The opening sequence. An AKP05 shows pictures without it, but never reports a key. */
  async open(brightness: number): Promise<void> {
    await this.command(CRT.wake);
    await this.setBrightness(brightness);
    await this.clear();
  }

  /** Encodes and uploads one picture; it shows after the family's commit. */
  async upload(slot: string, pixels: Pixels): Promise<void> {
    const { rotate, maxImageBytes: maxBytes } = this.#wire;
    const options = { rotate, quality: JPEG_QUALITY, maxBytes };
    const stream = this.#toStream(await this.#context.encodeJpeg(pixels, options));
    await this.command(CRT.image, {
      10: stream.length >> 8,
      11: stream.length & 0xff,
      12: this.#imageId(slot),
    });
    for (let at = 0; at < stream.length; at += this.#packetBytes) {
      const payload = Buffer.alloc(this.#packetBytes);
      stream.copy(payload, 0, at, at + this.#packetBytes);
      await this.#write(payload);
    }
  }

  #imageId(slot: string): number {
    const { model } = this.#context;
    const id = this.#wire.imageIds[model.slots.findIndex((known) => known.slot === slot)];
    if (id === undefined) throw new RangeError(`${model.name} has no slot "${slot}"`);
    return id;
  }

  /** The file as the firmware wants it: the K1 Pro drops the last byte of every full packet. */
  #toStream(file: Uint8Array): Buffer {
    if (!this.#wire.dropsLastByte) return Buffer.from(file);
    const kept = this.#packetBytes - 1;
    const stream = Buffer.alloc(file.length + Math.floor(file.length / kept));
    for (let at = 0, to = 0; at < file.length; at += kept, to += kept + 1) {
      stream.set(file.subarray(at, at + kept), to);
    }
    return stream;
  }

  async #write(payload: Buffer): Promise<void> {
    const report = Buffer.concat([Buffer.of(this.#wire.reportId), payload]);
    await writeReport(this.#context.hid, report);
  }
}
