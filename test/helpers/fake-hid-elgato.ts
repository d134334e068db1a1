import type { Pixels } from "../../appliance/deck/pixels.ts";
import { FakeUnit } from "./fake-hid.ts";
import { decode, decodeBmp, transpose, turn } from "./pictures.ts";

/** Consumer page, input report 1, output report 2 with 1,023 bytes behind the id. */
const DESCRIPTOR = Buffer.from(
  "050c0901a1010901050919012910150026ff007508960002850181020a00ff150026ff00750896ff0385029102c0",
  "hex",
);

interface Layout {
  product: number;
  columns: number;
  rows: number;
  serial: string;
  /** Behind the keys, in the same report. */
  touchPoints?: number;
  dials?: number;
}

const FIRMWARE = "1.00.004";

const DIAL_PRESSES = 0;
const DIAL_TURNS = 1;

function flags(count: number, set: ReadonlySet<number>): number[] {
  return Array.from({ length: count }, (_, index) => Number(set.has(index)));
}

interface Upload {
  part: number;
  chunks: Buffer[];
}

abstract class FakeStreamDeck extends FakeUnit {
  readonly vendor = 0x0fd9;
  readonly product: number;
  readonly deckInterface = 0;
  readonly layout: Layout;
  readonly serial: string;
  /** Picture files by slot. */
  protected readonly screen = new Map<string, Buffer>();
  readonly #uploads = new Map<string, Upload>();
  readonly #pressed = new Set<number>();
  readonly #dialsDown = new Set<number>();

  constructor(layout: Layout) {
    super();
    this.layout = layout;
    this.product = layout.product;
    this.serial = layout.serial;
    this.usbSerial = this.serial;
  }

  get descriptors(): readonly Buffer[] {
    return [DESCRIPTOR];
  }

  powerOff(): void {
    this.screen.clear();
    this.#uploads.clear();
    this.#pressed.clear();
    this.#dialsDown.clear();
  }

  down(slot: string): void {
    this.#switch(slot, true);
  }

  up(slot: string): void {
    this.#switch(slot, false);
  }

  #switch(slot: string, down: boolean): void {
    const index = Number(slot.slice(1));
    const { columns, rows, dials = 0 } = this.layout;
    const isDial = slot.startsWith("d");
    const place = slot.startsWith("t") ? columns * rows + index : this.hidIndex(index);
    const set = isDial ? this.#dialsDown : this.#pressed;
    if (down) set.add(isDial ? index : place);
    else set.delete(isDial ? index : place);
    if (!isDial) this.sendStates();
    else this.sendDials(DIAL_PRESSES, flags(dials, set));
  }

  protected states(): number[] {
    const { columns, rows, touchPoints = 0 } = this.layout;
    return flags(columns * rows + touchPoints, this.#pressed);
  }

  /** Sends a report of all dials of a model. */
  protected sendDials(kind: number, values: readonly number[]): void {
    const report = Buffer.alloc(512);
    report.set([0x01, 0x03, values.length + 1, 0x00, kind, ...values]);
    this.send(report);
  }

  protected abstract sendStates(): void;

  protected hidIndex(key: number): number {
    return key;
  }

  /** Collects the parts of one picture, which have to come in order. */
  protected part(
    slot: string,
    part: { number: number; first: number; last: boolean },
    chunk: Buffer,
  ) {
    const begun = part.number === part.first ? { part: part.first, chunks: [] } : undefined;
    const upload = begun ?? this.#uploads.get(slot);
    if (upload === undefined || upload.part !== part.number) {
      this.complain(`part ${part.number} of ${slot} out of turn`);
      return;
    }
    upload.chunks.push(chunk);
    upload.part += 1;
    this.#uploads.set(slot, upload);
    if (!part.last) return;
    this.#uploads.delete(slot);
    this.received.push(slot);
    this.screen.set(slot, Buffer.concat(upload.chunks));
  }
}

/** Original V2, MK.2, XL, Neo (pictures turned by 180) and Plus (pictures upright): JPEG models. */
export class FakeJpegStreamDeck extends FakeStreamDeck {
  readonly #turned: number;

  constructor(layout: Layout & { turned?: number }) {
    super(layout);
    this.#turned = layout.turned ?? 180;
  }

  output(report: Buffer): void {
    if (report.length !== 1024 || report[0] !== 0x02) {
      this.complain(`output report of ${report.length} bytes`);
      return;
    }
    const kind = report.readUInt8(1);
    if (kind === 0x0c) this.#region(report);
    else if (kind === 0x07 || kind === 0x0b) this.#whole(kind, report);
    // Colours of the dials of a Studio.
    else if (kind !== 0x0f && kind !== 0x10) this.complain(`picture of kind ${kind}`);
  }

  #whole(kind: number, report: Buffer): void {
    const slot = kind === 0x07 ? `k${report.readUInt8(2)}` : "z0";
    const [length, number] = [report.readUInt16LE(4), report.readUInt16LE(6)];
    const last = report[3] === 1;
    this.part(slot, { number, first: 0, last }, report.subarray(8, 8 + length));
  }

  #region(report: Buffer): void {
    const [x = 0, y, width, height] = [2, 4, 6, 8].map((at) => report.readUInt16LE(at));
    if (y !== 0 || height !== 100) this.complain(`strip region at ${x},${y}`);
    const last = report[10] === 1;
    const [number, length] = [report.readUInt16LE(11), report.readUInt16LE(13)];
    const slot = width === 200 ? `z${x / 200}` : "strip";
    this.part(slot, { number, first: 0, last }, report.subarray(16, 16 + length));
    if (slot === "strip" && last) for (const zone of [0, 1, 2, 3]) this.screen.delete(`z${zone}`);
  }

  setFeature(report: Buffer): void {
    const [id, command, value] = report;
    if (id !== 0x03) this.complain(`feature report ${id}`);
    else if (command === 0x08 && report.length === 32) this.brightness = value;
    else if (command === 0x05 || command === 0x02) this.screen.clear();
    else this.complain(`feature command ${command} of ${report.length} bytes`);
  }

  getFeature(id: number, length: number): Buffer {
    const report = Buffer.alloc(length);
    report.writeUInt8(id, 0);
    if (id === 0x05) {
      report.writeUInt8(4 + FIRMWARE.length, 1);
      report.write(FIRMWARE, 6, "ascii");
    } else if (id === 0x06) {
      report.writeUInt8(this.serial.length, 1);
      report.write(this.serial, 2, "ascii");
    } else throw new Error(`no feature report ${id}`);
    return report;
  }

  async shown(slot: string): Promise<Pixels | undefined> {
    const file = this.screen.get(slot);
    const picture = file && (await decode(file));
    return picture && turn(picture, 360 - this.#turned);
  }

  /** A short touch of the strip. */
  touch(x: number, y: number): void {
    this.#sendTouch(0x01, [x, y]);
  }

  /** A finger goes over the strip from one point to another. */
  slide(from: readonly [number, number], to: readonly [number, number]): void {
    this.#sendTouch(0x03, [...from, ...to]);
  }

  override swipe(direction: "left" | "right"): void {
    const ends = [
      [600, 50],
      [200, 55],
    ] as const;
    if (direction === "left") this.slide(ends[0], ends[1]);
    else this.slide(ends[1], ends[0]);
  }

  /** A report tells of each dial at most 127 steps either way. */
  override turn(input: string, steps: number): void {
    this.turnAll({ [input]: steps });
  }

  /** Several dials in one report. */
  turnAll(steps: Readonly<Record<string, number>>): void {
    const { dials = 0 } = this.layout;
    const values = Array.from({ length: dials }, (_, index) => (steps[`d${index}`] ?? 0) & 0xff);
    this.sendDials(DIAL_TURNS, values);
  }

  #sendTouch(kind: number, numbers: readonly number[]): void {
    const report = Buffer.alloc(512);
    report.set([0x01, 0x02, 0x0e, 0x00, kind]);
    for (const [index, value] of numbers.entries()) report.writeUInt16LE(value, 6 + 2 * index);
    this.send(report);
  }

  protected sendStates(): void {
    const states = this.states();
    const report = Buffer.alloc(512);
    report.set([0x01, 0x00, states.length, 0x00, ...states]);
    this.send(report);
  }
}

/** Mini: 80×80 BMP in packets of 1,024 bytes, mirrored along the diagonal. */
export class FakeMini extends FakeStreamDeck {
  constructor(serial = "BL19H1A00001") {
    super({ product: 0x0063, columns: 3, rows: 2, serial });
  }

  output(report: Buffer): void {
    if (report.length !== 1024 || report.readUInt16BE(0) !== 0x0201) {
      this.complain(`output report of ${report.length} bytes`);
      return;
    }
    const slot = `k${report.readUInt8(5) - 1}`;
    const part = { number: report.readUInt8(2), first: 0, last: report[4] === 1 };
    this.part(slot, part, report.subarray(16));
  }

  setFeature(report: Buffer): void {
    if (report.length !== 17) this.complain(`feature report of ${report.length} bytes`);
    else if (report.toString("hex", 0, 5) === "0555aad101") this.brightness = report[5];
    else if (report.toString("hex", 0, 2) === "0b63") this.screen.clear();
    else this.complain(`feature report ${report[0]}`);
  }

  getFeature(id: number, length: number): Buffer {
    if (id !== 0x03 && id !== 0x04) throw new Error(`no feature report ${id}`);
    const report = Buffer.alloc(length);
    report.writeUInt8(id, 0);
    report.write(id === 0x03 ? this.serial : FIRMWARE, 5, "ascii");
    return report;
  }

  async shown(slot: string): Promise<Pixels | undefined> {
    const file = this.screen.get(slot);
    const picture = file && decodeBmp(file);
    return picture && transpose(picture);
  }

  protected sendStates(): void {
    this.send(Buffer.from([0x01, ...this.states(), ...Array(10).fill(0)]));
  }
}

/** The first Stream Deck: 72×72 BMP in two packets of 8,191 bytes, keys from right to left. */
export class FakeOriginal extends FakeStreamDeck {
  constructor(serial = "AL01H1A00001") {
    super({ product: 0x0060, columns: 5, rows: 3, serial });
  }

  output(report: Buffer): void {
    if (report.length !== 8191 || report.readUInt16BE(0) !== 0x0201) {
      this.complain(`output report of ${report.length} bytes`);
      return;
    }
    const slot = `k${this.hidIndex(report.readUInt8(5) - 1)}`;
    const part = { number: report.readUInt8(2), first: 1, last: report[4] === 1 };
    const half = (54 + 72 * 72 * 3) / 2;
    this.part(slot, part, report.subarray(16, 16 + half));
  }

  setFeature(report: Buffer): void {
    if (report.toString("hex", 0, 5) === "0555aad101") this.brightness = report[5];
    else this.complain(`feature report ${report[0]}`);
  }

  getFeature(id: number, length: number): Buffer {
    if (id !== 0x03) throw new Error(`no feature report ${id}`);
    const report = Buffer.alloc(length);
    report.write(this.serial, 5, "ascii");
    return report;
  }

  async shown(slot: string): Promise<Pixels | undefined> {
    const file = this.screen.get(slot);
    const picture = file && decodeBmp(file);
    return picture && turn(picture, 180);
  }

  protected override hidIndex(key: number): number {
    return key - (key % 5) + (4 - (key % 5));
  }

  protected sendStates(): void {
    this.send(Buffer.from([0x01, ...this.states(), 0]));
  }
}

export function mk2(serial = "CL21K1A00001"): FakeJpegStreamDeck {
  return new FakeJpegStreamDeck({ product: 0x0080, columns: 5, rows: 3, serial });
}

/** The other JPEG models: dials and touch points. */
const PLUS = { product: 0x0084, columns: 4, rows: 2, turned: 0, serial: "A00P1", dials: 4 };
const PLUS_XL = { product: 0x00c6, columns: 9, rows: 4, serial: "A00X1", dials: 6 };
const NEO = { product: 0x009a, columns: 4, rows: 2, serial: "A00N1", touchPoints: 2 };
const STUDIO = { product: 0x00aa, columns: 16, rows: 2, turned: 0, serial: "A00S1", dials: 2 };
export const plus = () => new FakeJpegStreamDeck(PLUS);
export const plusXl = () => new FakeJpegStreamDeck(PLUS_XL);
export const neo = () => new FakeJpegStreamDeck(NEO);
export const studio = () => new FakeJpegStreamDeck(STUDIO);

/** Three pedals and nothing to show. */
export class FakePedal extends FakeStreamDeck {
  constructor(serial = "A00E1A00001X") {
    super({ product: 0x0086, columns: 3, rows: 1, serial });
  }

  output(report: Buffer): void {
    this.complain(`output report of ${report.length} bytes`);
  }

  setFeature(report: Buffer): void {
    this.complain(`feature report ${report[0]}`);
  }

  getFeature(id: number, length: number): Buffer {
    if (id !== 0x06) throw new Error(`no feature report ${id}`);
    const report = Buffer.alloc(length);
    report.write(this.serial, 2, "ascii");
    return report;
  }

  async shown(): Promise<undefined> {}

  protected sendStates(): void {
    this.send(Buffer.from([0x01, 0x00, 0x03, 0x00, ...this.states()]));
  }
}
