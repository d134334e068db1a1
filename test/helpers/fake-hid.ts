import { EventEmitter } from "node:events";
import type { Clock } from "../../appliance/base/clock.ts";
import type { Cancel } from "../../appliance/base/signal.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import type { HidHandle } from "../../appliance/deck/usb/driver.ts";
import type { HidSystem } from "../../appliance/deck/usb/hid.ts";

/** Faults of a unit. Each happens once, but for `open`. */
interface UnitFaults {
  /** The error of opening its hidraw node. */
  open: "permission" | "busy" | undefined;
  /** Another program took the USB interface from the kernel. */
  claimed: boolean;
  /** Only this many bytes of the next write get through, so that the firmware drops it. */
  shortWrite: number | undefined;
  /** The unit is unplugged after so many more writes. */
  unplugAfterWrites: number | undefined;
  /** The firmware loses a byte of the next picture. */
  loseByte: boolean;
}

/** Firmware of a deck: it takes reports, remembers what it shows, and is strict about both. */
export abstract class FakeUnit {
  abstract readonly vendor: number;
  abstract readonly product: number;
  /** Serial number in the USB descriptor. */
  usbSerial = "";
  readonly faults: UnitFaults = {
    open: undefined,
    claimed: false,
    shortWrite: undefined,
    unplugAfterWrites: undefined,
    loseByte: false,
  };
  /** Actions of the host that no firmware expects. */
  readonly complaints: string[] = [];
  /** Whole pictures that came in, by slot. */
  readonly received: string[] = [];
  brightness: number | undefined;
  writes = 0;
  /** Set while the unit is plugged in: sends an input report. */
  send: (report: Buffer) => void = () => {};
  readonly #stalled = new Map<string, Promise<void>>();

  /** Report descriptors of its HID interfaces, in the order of the interfaces. */
  abstract get descriptors(): readonly Buffer[];
  /** Which of them is the deck's own. */
  abstract readonly deckInterface: number;

  abstract output(report: Buffer): void;
  abstract setFeature(report: Buffer): void;
  abstract getFeature(id: number, length: number): Buffer;
  /** The picture of a slot, upright; undefined when it is dark or cannot be decoded. */
  abstract shown(slot: string): Promise<Pixels | undefined>;
  /** Forgets everything, as without power. */
  abstract powerOff(): void;
  /** Goes down, and up where the firmware tells. */
  press(slot: string): void {
    this.down(slot);
    this.up(slot);
  }
  abstract down(slot: string): void;
  abstract up(slot: string): void;

  /** Turns a dial by so many steps, clockwise being more than zero. */
  turn(input: string, _steps: number): void {
    throw new Error(`${input} cannot be turned`);
  }

  /** Lets a finger go over the touch strip. */
  swipe(direction: "left" | "right"): void {
    throw new Error(`there is no strip to go ${direction} on`);
  }

  complain(what: string): void {
    this.complaints.push(what);
  }

  /** Lets opening, or reports either way, wait until the answer is called. */
  stall(what: "open" | "reports" = "reports"): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stalled.set(what, promise);
    return () => {
      this.#stalled.delete(what);
      resolve();
    };
  }

  async ready(what: "open" | "reports"): Promise<void> {
    await this.#stalled.get(what);
  }
}

/** node-hid's `HIDAsync`, as far as it is used. */
class FakeHandle extends EventEmitter implements HidHandle {
  readonly #unit: FakeUnit;
  readonly #host: FakeUsbHost;
  #closed = false;
  #gone = false;

  constructor(unit: FakeUnit, host: FakeUsbHost) {
    super();
    this.#unit = unit;
    this.#host = host;
  }

  /** The device went away: reading fails, and nobody says that it closed. */
  vanish(): void {
    this.#gone = true;
    if (!this.#closed) this.emit("error", "could not read from HID device");
  }

  input(report: Buffer): void {
    if (!this.#closed && !this.#gone) this.emit("data", report);
  }

  async write(values: Buffer): Promise<number> {
    const report = Buffer.from(values);
    this.#check();
    await this.#unit.ready("reports");
    this.#check();
    const { faults } = this.#unit;
    if (faults.unplugAfterWrites !== undefined) {
      faults.unplugAfterWrites -= 1;
      if (faults.unplugAfterWrites < 0) this.#host.unplug(this.#unit);
      this.#check();
    }
    this.#unit.writes += 1;
    const taken = faults.shortWrite;
    faults.shortWrite = undefined;
    if (taken !== undefined) return taken;
    this.#unit.output(report);
    return report.length;
  }

  async sendFeatureReport(report: Buffer): Promise<number> {
    this.#check();
    await this.#unit.ready("reports");
    if (this.#gone) this.#check();
    this.#unit.setFeature(Buffer.from(report));
    return report.length;
  }

  async getFeatureReport(id: number, length: number): Promise<Buffer> {
    this.#check();
    await this.#unit.ready("reports");
    // Pending work still ends after a handle is closed.
    if (this.#gone) this.#check();
    return this.#unit.getFeature(id, length);
  }

  async close(): Promise<void> {
    if (this.#closed) throw new TypeError("device has been closed");
    this.#closed = true;
    this.removeAllListeners();
    this.#host.closed(this);
  }

  #check(): void {
    if (this.#closed) throw new TypeError("device has been closed");
    if (this.#gone) throw new Error("Cannot write to hid device: No such device");
  }
}

interface Plugged {
  readonly unit: FakeUnit;
  readonly port: string;
  readonly handle: string;
  readonly bus: string;
  readonly ports: number[];
  /** hidraw nodes, one for each interface; empty until the kernel made them. */
  nodes: string[];
}

class ConnectionEvent extends Event {
  readonly device: object;

  constructor(type: string, device: object) {
    super(type);
    this.device = device;
  }
}

const DEVICES = "/sys/bus/usb/devices";

/** A machine with USB: what node-hid, usb and sysfs show of the decks that are plugged in. */
export class FakeUsbHost implements HidSystem {
  readonly open = new Set<FakeHandle>();
  readonly #clock: Clock;
  readonly #hasUsb: boolean;
  readonly #plugged = new Map<string, Plugged>();
  readonly #handles = new Map<FakeHandle, FakeUnit>();
  /** The library tells of the leaving only of devices it has seen. */
  readonly #known = new Set<string>();
  readonly #listeners: Record<string, Set<(event: Event) => void>> = {
    connect: new Set(),
    disconnect: new Set(),
  };
  #address = 0;
  #node = 0;

  constructor(clock: Clock, { hasUsb = true } = {}) {
    this.#clock = clock;
    this.#hasUsb = hasUsb;
  }

  get listeners(): number {
    return Object.values(this.#listeners).reduce((sum, { size }) => sum + size, 0);
  }

  /** Plugs a unit in; its hidraw node may come a little later than its connect event. */
  plug(unit: FakeUnit, { port = "1-1", nodeAfterMs = 0 } = {}): Cancel {
    if (this.#plugged.has(port)) throw new Error(`something is plugged in at port ${port}`);
    const [bus = "1", ports = ""] = port.split("-");
    this.#address += 1;
    const plugged: Plugged = {
      unit,
      port,
      handle: `DeviceId(DeviceId { bus: ${bus}, addr: ${this.#address} })`,
      bus: bus.padStart(3, "0"),
      ports: ports.split(".").map(Number),
      nodes: [],
    };
    const makeNodes = () => {
      plugged.nodes = unit.descriptors.map(() => `hidraw${this.#node++}`);
    };
    this.#plugged.set(port, plugged);
    unit.powerOff();
    unit.send = (report) => {
      for (const [handle, owner] of this.#handles) if (owner === unit) handle.input(report);
    };
    if (nodeAfterMs === 0) makeNodes();
    this.#emit("connect", plugged);
    return nodeAfterMs === 0 ? () => {} : this.#clock.after(nodeAfterMs, makeNodes);
  }

  /** Pulls a unit out. Which of the two signs comes first is up to the machine. */
  unplug(unit: FakeUnit, { quietly = false, disconnectFirst = false } = {}): void {
    const plugged = [...this.#plugged.values()].find((known) => known.unit === unit);
    if (plugged === undefined) throw new Error("this unit is not plugged in");
    this.#plugged.delete(plugged.port);
    unit.send = () => {};
    unit.powerOff();
    if (disconnectFirst && !quietly) this.#emit("disconnect", plugged);
    this.fail(unit);
    if (!disconnectFirst && !quietly) this.#emit("disconnect", plugged);
  }

  /** Reading and writing fail from now on for whoever has a unit open, though it stays. */
  fail(unit: FakeUnit): void {
    for (const [handle, owner] of this.#handles) if (owner === unit) handle.vanish();
  }

  isPlugged(unit: FakeUnit): boolean {
    return [...this.#plugged.values()].some((known) => known.unit === unit);
  }

  closed(handle: FakeHandle): void {
    this.open.delete(handle);
    this.#handles.delete(handle);
  }

  readonly usb: HidSystem["usb"] = {
    getDevices: async () => {
      if (!this.#hasUsb) throw new Error(`getDevices error: ${DEVICES}/ not found (errno 2)`);
      const all = [...this.#plugged.values()];
      for (const { handle } of all) this.#known.add(handle);
      return all.map(deviceOf);
    },
    addEventListener: (type, listener) => {
      if (!this.#hasUsb) throw new Error("listening without USB ends the process");
      this.#listeners[type]?.add(listener);
    },
    removeEventListener: (type, listener) => this.#listeners[type]?.delete(listener),
  };

  readonly openHid: HidSystem["openHid"] = async (path) => {
    const name = path.replace("/dev/", "");
    const plugged = [...this.#plugged.values()].find(({ nodes }) => nodes.includes(name));
    const failed = (why: string) =>
      new Error(`Failed to open a device with path '${path}': ${why}`);
    if (plugged === undefined) throw failed("No such file or directory");
    const { unit, nodes } = plugged;
    if (unit.faults.open === "permission") throw failed("Permission denied");
    if (unit.faults.open === "busy") throw failed("Device or resource busy");
    await unit.ready("open");
    if (nodes.indexOf(name) !== unit.deckInterface) unit.complain("the wrong interface was opened");
    const handle = new FakeHandle(unit, this);
    this.open.add(handle);
    this.#handles.set(handle, unit);
    return handle;
  };

  readonly files: HidSystem["files"] = {
    readdir: async (path) => this.#readdir(path),
    readFile: async (path) => {
      const place = this.#place(path);
      const descriptor = place?.plugged.unit.descriptors[place.index];
      if (place?.rest !== "/report_descriptor" || !descriptor) throw missing(path);
      return descriptor;
    },
    readlink: async (path) => {
      const whole = [...this.#plugged.values()].find(({ port }) => path === `${DEVICES}/${port}`);
      if (whole !== undefined)
        return `../../../devices/platform/vhci_hcd.0/usb${Number(whole.bus)}/${whole.port}`;
      const plugged = [...this.#plugged.values()].find((known) =>
        path.startsWith(`${DEVICES}/${known.port}/${known.port}:1.`),
      );
      if (plugged === undefined || !path.endsWith("/driver")) throw missing(path);
      const driver = plugged.unit.faults.claimed ? "usbfs" : "usbhid";
      return `../../../../../../bus/usb/drivers/${driver}`;
    },
  };

  #readdir(path: string): string[] {
    for (const { unit, port, nodes } of this.#plugged.values()) {
      const interfaces = unit.descriptors.map((_, index) => `${port}:1.${index}`);
      if (path === `${DEVICES}/${port}`) return ["busnum", "descriptors", "power", ...interfaces];
      const index = interfaces.findIndex((name) => path === `${DEVICES}/${port}/${name}`);
      if (index === -1) continue;
      const made = nodes.length > 0 && !unit.faults.claimed;
      return ["bInterfaceNumber", "driver", ...(made ? [hidName(unit, index)] : [])];
    }
    const place = this.#place(path);
    const node = place?.plugged.nodes[place.index];
    if (place?.rest === "/hidraw" && node !== undefined) return [node];
    throw missing(path);
  }

  /** The HID device a path lies in. */
  #place(path: string): { plugged: Plugged; index: number; rest: string } | undefined {
    for (const plugged of this.#plugged.values()) {
      const { unit, port } = plugged;
      for (const index of unit.descriptors.keys()) {
        const base = `${DEVICES}/${port}/${port}:1.${index}/${hidName(unit, index)}`;
        if (path.startsWith(base)) return { plugged, index, rest: path.slice(base.length) };
      }
    }
    return undefined;
  }

  #emit(type: "connect" | "disconnect", plugged: Plugged): void {
    if (type === "connect" && this.listeners > 0) this.#known.add(plugged.handle);
    if (type === "disconnect" && !this.#known.delete(plugged.handle)) return;
    const event = new ConnectionEvent(type, deviceOf(plugged));
    for (const listener of this.#listeners[type] ?? []) listener(event);
  }
}

function deviceOf({ unit, handle, bus, ports }: Plugged) {
  const serialNumber = unit.usbSerial === "" ? null : unit.usbSerial;
  return { handle, bus, ports, vendorId: unit.vendor, productId: unit.product, serialNumber };
}

function hidName({ vendor, product }: FakeUnit, index: number): string {
  const hex = (id: number) => id.toString(16).toUpperCase().padStart(4, "0");
  return `0003:${hex(vendor)}:${hex(product)}.${hex(index + 1)}`;
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), {
    code: "ENOENT",
  });
}
