/**
 * The only module with node-hid and usb. Devices come from usb's WebUSB events, and their hidraw node and the size of
 * reports from sysfs. node-hid opens that node; its own enumeration is slow, and not used.
 */

import { readdir, readFile, readlink } from "node:fs/promises";
import { HIDAsync } from "node-hid";
import { usb } from "usb";
import { messageOf } from "../../base/message-of.ts";
import type { HidHandle } from "./driver.ts";

/** A problem that stands between a plugged-in deck and its use. */
export type OpenProblem = "not_seen" | "no_permission" | "in_use";

export class OpenError extends Error {
  readonly code: OpenProblem;

  constructor(code: OpenProblem, message: string) {
    super(message);
    this.name = "OpenError";
    this.code = code;
  }
}

/** A device on USB, from plugging it in to unplugging it. */
export interface UsbUnit {
  /** The id of this connection; a device that comes back gets another one. */
  readonly id: string;
  /** The port it hangs on, stable over boots: bus, hyphen, ports of the hubs in between. */
  readonly port: string;
  readonly vendor: number;
  readonly product: number;
  /** Empty when the device has none. */
  readonly serial: string;
}

export interface UsbListener {
  attached(unit: UsbUnit): void;
  detached(unit: UsbUnit): void;
}

interface OpenedHid {
  readonly hid: HidHandle;
  /** Whether the device is only software on an emulated bus; undefined when the system does not tell. */
  readonly isEmulated?: boolean | undefined;
  /** Bytes of an output report without its id; undefined when the descriptor is not readable. */
  readonly outputBytes: number | undefined;
}

export interface DeckBus {
  /**
   * Reports every connected device, and all that come and go. Returns a function that ends it.
   * @throws {Error} when this machine has no USB to watch
   */
  watch(listener: UsbListener): Promise<() => void>;
  /**
   * Opens the HID interface of a device; the one with `usagePage` where that is given.
   * @throws {OpenError}
   */
  open(unit: UsbUnit, usagePage: number | undefined): Promise<OpenedHid>;
  /**
   * Ids of other processes that have this interface open, as far as this user may see them. The kernel lets several write.
   * @throws {OpenError}
   */
  holders(unit: UsbUnit, usagePage: number | undefined): Promise<number[]>;
}

interface UsbDevice {
  readonly handle: string;
  readonly bus: string;
  readonly ports: number[];
  readonly vendorId: number;
  readonly productId: number;
  readonly serialNumber?: string | null | undefined;
}

type UsbEvent = "connect" | "disconnect";

/** The parts of the machine this file stands on; tests hand in their own. */
export interface HidSystem {
  readonly usb: {
    getDevices(): Promise<UsbDevice[]>;
    addEventListener(type: UsbEvent, listener: (event: Event) => void): void;
    removeEventListener(type: UsbEvent, listener: (event: Event) => void): void;
  };
  readonly openHid: (path: string) => Promise<HidHandle>;
  /** The file system, for sysfs. */
  readonly files: {
    readdir(path: string): Promise<string[]>;
    readFile(path: string): Promise<Buffer>;
    readlink(path: string): Promise<string>;
  };
}

const MACHINE: HidSystem = {
  usb,
  openHid: (path) => HIDAsync.open(path),
  files: { readdir, readFile, readlink },
};

export function createDeckBus(system: HidSystem = MACHINE): DeckBus {
  return {
    watch: (listener) => watch(system, listener),
    async open(unit, usagePage) {
      const { name, descriptor } = await findNode(system, unit, usagePage);
      try {
        const hid = await system.openHid(`/dev/${name}`);
        const isEmulated = await isOnEmulatedBus(system, unit);
        return { hid, isEmulated, outputBytes: descriptor?.outputBytes || undefined };
      } catch (error) {
        throw openError(error, name);
      }
    },
    async holders(unit, usagePage) {
      const { name } = await findNode(system, unit, usagePage);
      return holdersOf(system, `/dev/${name}`);
    },
  };
}

async function holdersOf({ files }: HidSystem, path: string): Promise<number[]> {
  const list = (folder: string) => files.readdir(folder).catch(() => []);
  const link = (name: string) => files.readlink(name).catch(() => "");
  const own = await link("/proc/self");
  const holders: number[] = [];
  for (const process of (await list("/proc")).filter((name) => /^\d+$/.test(name))) {
    if (process === own) continue;
    const opened = await list(`/proc/${process}/fd`);
    const links = await Promise.all(opened.map((fd) => link(`/proc/${process}/fd/${fd}`)));
    if (links.includes(path)) holders.push(Number(process));
  }
  return holders;
}

async function watch({ usb }: HidSystem, listener: UsbListener): Promise<() => void> {
  // First of all: without a USB bus listening throws, and nothing can catch it there.
  await usb.getDevices();

  const units = new Map<string, UsbUnit>();
  const attach = (device: UsbDevice) => {
    if (units.has(device.handle)) return;
    const unit = toUnit(device);
    units.set(unit.id, unit);
    listener.attached(unit);
  };
  const detach = ({ handle }: UsbDevice) => {
    const unit = units.get(handle);
    if (unit === undefined) return;
    units.delete(handle);
    listener.detached(unit);
  };
  const onConnect = (event: Event) => attach(deviceOf(event));
  const onDisconnect = (event: Event) => detach(deviceOf(event));
  usb.addEventListener("connect", onConnect);
  usb.addEventListener("disconnect", onDisconnect);
  for (const device of await usb.getDevices()) attach(device);
  return () => {
    usb.removeEventListener("connect", onConnect);
    usb.removeEventListener("disconnect", onDisconnect);
  };
}

function deviceOf(event: Event): UsbDevice {
  return (event as Event & { device: UsbDevice }).device;
}

function toUnit(device: UsbDevice): UsbUnit {
  return {
    id: device.handle,
    // The bus is "001" here; sysfs has names without the zeros.
    port: `${Number.parseInt(device.bus, 10)}-${device.ports.join(".")}`,
    vendor: device.vendorId,
    product: device.productId,
    serial: device.serialNumber ?? "",
  };
}

interface Descriptor {
  readonly usagePage: number;
  readonly outputBytes: number;
}

interface HidNode {
  readonly name: string;
  readonly descriptor: Descriptor | undefined;
}

async function findNode(
  { files }: HidSystem,
  { port }: UsbUnit,
  usagePage: number | undefined,
): Promise<HidNode> {
  const device = `/sys/bus/usb/devices/${port}`;
  const list = (path: string) => files.readdir(path).catch(() => []);
  const interfaces = (await list(device)).filter((name) => name.startsWith(`${port}:`)).sort();
  for (const usbInterface of interfaces) {
    // A HID device is named by bus type, vendor, product and a running number.
    const hids = (await list(`${device}/${usbInterface}`)).filter((name) =>
      /^[0-9A-F]{4}:[0-9A-F]{4}:[0-9A-F]{4}\.[0-9A-F]+$/.test(name),
    );
    for (const hid of hids) {
      const path = `${device}/${usbInterface}/${hid}`;
      const [name] = await list(`${path}/hidraw`);
      const bytes = await files.readFile(`${path}/report_descriptor`).catch(() => undefined);
      const descriptor = bytes && readDescriptor(bytes);
      const wanted = usagePage === undefined || (descriptor?.usagePage ?? usagePage) === usagePage;
      if (name !== undefined && wanted) return { name, descriptor };
    }
  }
  for (const usbInterface of interfaces) {
    const driver = await files.readlink(`${device}/${usbInterface}/driver`).catch(() => "");
    // A program that talks to the device past the kernel takes its hidraw node away.
    if (driver.endsWith("/usbfs")) throw new OpenError("in_use", "another program has claimed it");
  }
  throw new OpenError("not_seen", "the system shows no HID device for it");
}

/** Host controllers of the kernel that have no hardware: USB/IP, gadgets that are looped back. */
const EMULATED = /\/(?:vhci_hcd|dummy_hcd|usbip)\b/;

async function isOnEmulatedBus(
  { files }: HidSystem,
  { port }: UsbUnit,
): Promise<boolean | undefined> {
  const path = await files.readlink(`/sys/bus/usb/devices/${port}`).catch(() => undefined);
  return path === undefined ? undefined : EMULATED.test(path);
}

const ITEM = { usagePage: 0x04, reportSize: 0x74, reportId: 0x84, reportCount: 0x94, output: 0x90 };

/** Usage page and largest output report of a HID report descriptor (USB HID 1.11, section 6.2.2). */
function readDescriptor(bytes: Buffer): Descriptor {
  let usagePage = 0;
  let [size, count, id] = [0, 0, 0];
  const bits = new Map<number, number>();
  for (let at = 0; at < bytes.length; ) {
    const prefix = bytes.readUInt8(at);
    const length = [0, 1, 2, 4][prefix & 3] ?? 0;
    if (at + 1 + length > bytes.length) break;
    const value = length === 0 ? 0 : bytes.readUIntLE(at + 1, length);
    const item = prefix & 0xfc;
    if (item === ITEM.usagePage) usagePage ||= value;
    else if (item === ITEM.reportSize) size = value;
    else if (item === ITEM.reportCount) count = value;
    else if (item === ITEM.reportId) id = value;
    else if (item === ITEM.output) bits.set(id, (bits.get(id) ?? 0) + size * count);
    at += 1 + length;
  }
  return { usagePage, outputBytes: Math.max(0, ...bits.values()) / 8 };
}

/** hidapi hands on the system's words for the error number, not the number. */
function openError(error: unknown, name: string): OpenError {
  const reason = messageOf(error);
  if (/Permission denied|Operation not permitted/.test(reason)) {
    return new OpenError("no_permission", `the service may not open /dev/${name}`);
  }
  if (/Device or resource busy/.test(reason)) {
    return new OpenError("in_use", `another program holds /dev/${name}`);
  }
  return new OpenError("not_seen", reason);
}
