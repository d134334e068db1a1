import type { Clock } from "../../appliance/base/clock.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import { FakeUnit } from "./fake-hid.ts";
import { decode, turn } from "./pictures.ts";

/** A 1,024-byte unit, as captured from a real one; other sizes differ in two bytes. */
const CAPTURED =
  "06a0ff0901a1010902a10006a1ff090309041580257f350045ff75089600028102090509061580257f350045ff75089600049102c0c0";
const KEYBOARD = Buffer.from(
  "05010906a101050719e029e7150025017501950881027508950181019103c0",
  "hex",
);

interface CrtFirmware {
  vendor: number;
  product: number;
  serial: string;
  reportId: number;
  packetBytes: 512 | 1024;
  width: number;
  height: number;
  /** Degrees clockwise from upright to what the panel wants. */
  turned: number;
  /** Bytes of a picture that the firmware decodes; it drops the rest. */
  cap: number;
  /** Wire ids of the pictures and codes of the switches, on the upright grid. */
  images: readonly (readonly number[])[];
  switches: readonly (readonly number[])[];
  /** Wire ids of zones. */
  zones: readonly number[];
  reportsUp: boolean;
  clearsOnCommit: boolean;
  dropsLastByte: boolean;
}

const MAP_A = [
  [11, 12, 13, 14, 15],
  [6, 7, 8, 9, 10],
  [1, 2, 3, 4, 5],
];
const MAP_B = [
  [13, 10, 7, 4, 1],
  [14, 11, 8, 5, 2],
  [15, 12, 9, 6, 3],
];
const ROW_BY_ROW = [
  [1, 2, 3, 4, 5],
  [6, 7, 8, 9, 10],
  [11, 12, 13, 14, 15],
];

export const MIRABOX_293V3: CrtFirmware = {
  vendor: 0x6603,
  product: 0x1005,
  serial: "0300D0784E01",
  reportId: 0,
  packetBytes: 1024,
  width: 112,
  height: 112,
  turned: 180,
  cap: 10_240,
  images: MAP_A,
  switches: ROW_BY_ROW,
  zones: [],
  reportsUp: true,
  clearsOnCommit: true,
  dropsLastByte: false,
};

export const MIRABOX_293S: CrtFirmware = {
  ...MIRABOX_293V3,
  vendor: 0x5548,
  product: 0x6670,
  serial: "355499441494",
  packetBytes: 512,
  width: 85,
  height: 85,
  turned: 270,
  cap: 5_120,
  images: MAP_B,
  switches: MAP_B,
  zones: [16, 17, 18],
  reportsUp: false,
  clearsOnCommit: false,
};

export const MIRABOX_K1_PRO: CrtFirmware = {
  ...MIRABOX_293V3,
  product: 0x1015,
  serial: "K1PRO0001",
  reportId: 4,
  width: 64,
  height: 64,
  turned: 90,
  cap: 4_096,
  images: [
    [5, 3, 1],
    [6, 4, 2],
  ],
  switches: [
    [5, 3, 1],
    [6, 4, 2],
  ],
  dropsLastByte: true,
};

const AKP05E: CrtFirmware = {
  ...MIRABOX_293V3,
  vendor: 0x0300,
  product: 0x3004,
  serial: "AKP05E0001",
  cap: 10_100,
  images: MAP_A.slice(0, 2),
  switches: ROW_BY_ROW.slice(0, 2),
  zones: [1, 2, 3, 4],
};

const FIRMWARE = "V3.CRT.01.004";
const WRITE_ACKNOWLEDGED = 0xff;

/** Firmware of the Mirabox CRT family. */
export class FakeCrt extends FakeUnit {
  readonly vendor: number;
  readonly product: number;
  readonly deckInterface = 1;
  readonly firmware: CrtFirmware;
  /** Reports of a wrong size or id, which vanish without a word. */
  discarded = 0;
  commits = 0;
  readonly commands: string[] = [];
  readonly #slots: ReadonlyMap<number, string>;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #staged = new Map<number, Buffer>();
  readonly #screen = new Map<number, Buffer>();
  #clearing = false;
  #upload: { id: number; left: number; chunks: Buffer[] } | undefined;

  constructor(firmware: CrtFirmware) {
    super();
    this.firmware = firmware;
    this.vendor = firmware.vendor;
    this.product = firmware.product;
    this.usbSerial = firmware.serial;
    const keys = firmware.images.flat().map((id, index) => [id, `k${index}`] as const);
    const zones = firmware.zones.map((id, index) => [id, `z${index}`] as const);
    this.#slots = new Map([...keys, ...zones]);
    this.#codes = new Map(firmware.switches.flat().map((code, index) => [`k${index}`, code]));
  }

  get descriptors(): readonly Buffer[] {
    const size = this.firmware.packetBytes === 512 ? "0002" : "0004";
    const id = this.firmware.reportId === 0 ? "" : `85${byte(this.firmware.reportId)}`;
    const own = CAPTURED.replace("96000491", `96${size}91`).replace("0902a100", `0902a100${id}`);
    return [KEYBOARD, Buffer.from(own, "hex")];
  }

  powerOff(): void {
    this.#staged.clear();
    this.#screen.clear();
    this.#upload = undefined;
    this.#clearing = false;
    this.commands.length = 0;
  }

  output(report: Buffer): void {
    const { reportId, packetBytes } = this.firmware;
    if (report.length !== packetBytes + 1 || report[0] !== reportId) {
      this.discarded += 1;
      return;
    }
    const packet = report.subarray(1);
    // A command ends an upload that its host gave up.
    if (packet.toString("latin1", 0, 5) === "CRT\0\0") this.#command(packet);
    else if (this.#upload !== undefined) this.#collect(packet);
    else this.complain(`a packet that is no command: ${packet.toString("hex", 0, 12)}`);
    this.sendInput(WRITE_ACKNOWLEDGED, 0);
  }

  setFeature(report: Buffer): void {
    this.complain(`feature report ${report[0]}`);
  }

  getFeature(id: number, length: number): Buffer {
    if (id !== 0x01) throw new Error(`no feature report ${id}`);
    const report = Buffer.alloc(length);
    report.write(FIRMWARE, "ascii");
    return report;
  }

  /** The picture file a slot shows. */
  file(slot: string): Buffer | undefined {
    const [id] = [...this.#slots].find(([, known]) => known === slot) ?? [];
    return id === undefined ? undefined : this.#screen.get(id);
  }

  async shown(slot: string): Promise<Pixels | undefined> {
    const file = this.file(slot);
    const picture = file && (await decode(file));
    return picture && turn(picture, 360 - this.firmware.turned);
  }

  down(slot: string): void {
    this.sendInput(this.#code(slot), 1);
  }

  up(slot: string): void {
    if (this.firmware.reportsUp) this.sendInput(this.#code(slot), 0);
  }

  sendInput(code: number, state: number): void {
    const report = Buffer.alloc(512);
    report.set([0x41, 0x43, 0x4b, 0, 0, 0x4f, 0x4b, 0, 0, code, state]);
    const { reportId } = this.firmware;
    this.send(reportId === 0 ? report : Buffer.concat([Buffer.of(reportId), report]));
  }

  /** Whether the panel takes pictures now. */
  protected accepts(): boolean {
    return true;
  }

  protected obey(command: string, packet: Buffer): void {
    switch (command) {
      case "DIS":
      case "CONNECT":
        return;
      case "LIG":
        this.brightness = packet[10];
        return;
      case "CLE":
        if (packet[11] !== 0xff) this.complain(`clear of key ${packet[11]}`);
        this.#clearing = true;
        if (!this.firmware.clearsOnCommit) this.#clear();
        return;
      case "BAT":
        this.#upload = { id: packet.readUInt8(12), left: packet.readUInt16BE(10), chunks: [] };
        return;
      case "STP":
        this.commits += 1;
        this.show();
        return;
      default:
        this.complain(`command "${command}"`);
    }
  }

  /** Makes visible what came in since. */
  protected show(): void {
    if (this.#clearing) this.#clear();
    for (const [id, file] of this.#staged) this.#screen.set(id, file);
    this.#staged.clear();
  }

  #command(packet: Buffer): void {
    this.#upload = undefined;
    const end = packet.indexOf(0, 5);
    const command = packet.toString("ascii", 5, end);
    this.commands.push(command);
    this.obey(command, packet);
  }

  #clear(): void {
    this.#screen.clear();
    this.#clearing = false;
  }

  #collect(packet: Buffer): void {
    const upload = this.#upload;
    if (upload === undefined) return;
    const { dropsLastByte, packetBytes } = this.firmware;
    const chunk = packet.subarray(0, upload.left);
    upload.left -= chunk.length;
    const full = chunk.length === packetBytes;
    upload.chunks.push(dropsLastByte && full ? chunk.subarray(0, -1) : chunk);
    if (upload.left > 0) return;
    this.#upload = undefined;
    this.#store(upload.id, Buffer.concat(upload.chunks));
  }

  #store(id: number, sent: Buffer): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) {
      this.complain(`picture for wire id ${id}`);
      return;
    }
    if (!this.accepts()) return;
    const kept = sent.subarray(0, this.firmware.cap);
    if (kept.length < sent.length) this.complain(`${slot}: ${sent.length} bytes are too many`);
    const reason = unfit(kept);
    if (reason !== undefined) this.complain(`${slot}: ${reason}`);
    const half = Math.floor(kept.length / 2);
    const { faults } = this;
    const broken = Buffer.concat([kept.subarray(0, half), kept.subarray(half + 1)]);
    this.#staged.set(id, faults.loseByte ? broken : kept);
    faults.loseByte = false;
    this.received.push(slot);
  }

  #code(slot: string): number {
    const code = this.#codes.get(slot);
    if (code === undefined) throw new Error(`${slot} has no switch`);
    return code;
  }
}

/** Codes of the dials of an AKP05, from the left. */
const DIALS = [
  { press: 0x37, left: 0xa0, right: 0xa1 },
  { press: 0x35, left: 0x50, right: 0x51 },
  { press: 0x33, left: 0x90, right: 0x91 },
  { press: 0x36, left: 0x70, right: 0x71 },
];

function dialOf(input: string): (typeof DIALS)[number] {
  const dial = DIALS[Number(input.slice(1))];
  if (dial === undefined) throw new Error(`there is no dial ${input}`);
  return dial;
}

/** The time that the AKP05 firmware waits for a packet before it shows its own picture again. */
const DROPS_HOST_MS = 15_000;

/** AKP05 firmware: mute until opened, deaf to a silent host, its strip apart from its keys. */
export class FakeAkp05 extends FakeCrt {
  readonly #clock: Clock;
  readonly #opening: string[] = [];
  #heard: number;
  #refusing = false;

  constructor(clock: Clock, firmware = AKP05E) {
    super(firmware);
    this.#clock = clock;
    this.#heard = clock.now();
  }

  override powerOff(): void {
    super.powerOff();
    this.#opening.length = 0;
    this.#refusing = false;
  }

  override output(report: Buffer): void {
    if (this.#hasDroppedHost()) this.powerOff();
    this.#heard = this.#clock.now();
    super.output(report);
  }

  /** One report for a touch of the strip. */
  touch(zone: number): void {
    this.sendInput(0x40 + zone, 1);
  }

  override swipe(direction: "left" | "right"): void {
    this.sendInput(direction === "left" ? 0x38 : 0x39, 1);
  }

  /** One report for each step. */
  override turn(input: string, steps: number): void {
    const { left, right } = dialOf(input);
    for (let step = 0; step < Math.abs(steps); step += 1)
      this.sendInput(steps < 0 ? left : right, 1);
  }

  override down(slot: string): void {
    if (slot.startsWith("d")) this.sendInput(dialOf(slot).press, 1);
    else super.down(slot);
  }

  /** It does not tell when a dial goes up. */
  override up(slot: string): void {
    if (!slot.startsWith("d")) super.up(slot);
  }

  override sendInput(code: number, state: number): void {
    if (code === WRITE_ACKNOWLEDGED || this.#isOpen()) super.sendInput(code, state);
  }

  protected override accepts(): boolean {
    return !this.#refusing;
  }

  protected override obey(command: string, packet: Buffer): void {
    const before = this.commands.slice(-3, -1).join(" ");
    if (command === "DIS") this.#refusing = false;
    if (command === "CONNECT" && before !== "DIS LIG") this.#refusing = true;
    if (["DIS", "LIG", "CLE"].includes(command)) this.#opening.push(command);
    if (command === "ULEND") this.show();
    else super.obey(command, packet);
  }

  #isOpen(): boolean {
    return !this.#hasDroppedHost() && this.#opening.join(" ").includes("DIS LIG CLE");
  }

  #hasDroppedHost(): boolean {
    return this.#clock.now() - this.#heard > DROPS_HOST_MS;
  }
}

/** The reason that a small firmware decoder would refuse a file; undefined when it would not. */
function unfit(file: Buffer): string | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return "no JPEG";
  let at = 2;
  while (file[at] === 0xff) {
    const marker = file.readUInt8(at + 1);
    if (marker >= 0xc1 && marker <= 0xcf && marker !== 0xc4) return "not a baseline JPEG";
    if (marker === 0xda) {
      return at > 1_023 ? "headers too long" : file[at + 4] === 3 ? undefined : "not one scan";
    }
    at += 2 + file.readUInt16BE(at + 2);
  }
  return "a JPEG without a picture";
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}
