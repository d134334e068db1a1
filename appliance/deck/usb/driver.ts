import type { EncodeJpeg, Pixels } from "../pixels.ts";
import type { DriverInput, Model } from "./model.ts";

/** The part of node-hid's `HIDAsync` that is used here. */
export interface HidHandle {
  on(event: "data", listener: (report: Buffer) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  /** Sends one output report, report id first; resolves with the bytes taken. */
  write(report: Buffer): Promise<number>;
  sendFeatureReport(report: Buffer): Promise<number>;
  getFeatureReport(reportId: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** One picture for one slot. A driver has read its pixels before it waits for anything: they may go. */
export interface SlotPixels {
  readonly slot: string;
  readonly pixels: Pixels;
}

/** A message that keeps a panel from dropping its host. */
interface Heartbeat {
  readonly everyMs: number;
  /** The silence after which the panel has dropped its host and must be initialised again. */
  readonly patienceMs: number | undefined;
  beat(brightness: number): Promise<void>;
}

/**
 * One opened deck. Calls are made one after the other, never two at a time. Each rejects when the device is gone. The
 * opener of the handle closes it.
 */
export interface DeckDriver {
  /** The serial number the unit reports; empty when it reports none. */
  readonly serial: string;
  /** The version of the unit's firmware in its own words; empty when it tells none. */
  firmware(): Promise<string>;
  readonly heartbeat: Heartbeat | undefined;
  /** The interval after which every picture is sent again, for panels on which a lost byte leaves its mark. */
  readonly repaintMs: number | undefined;
  /** Wakes the panel and sets its brightness (percent); also after the host was suspended. */
  initialise(brightness: number): Promise<void>;
  setBrightness(percent: number): Promise<void>;
  /** Sends the pictures of `next` until there are no more, and then makes all of them visible. */
  paint(next: () => SlotPixels | undefined): Promise<void>;
  /** Leaves the panel dark, where the firmware takes that well. */
  farewell(): Promise<void>;
}

/** The parts that every driver is made from. */
export interface DriverContext<M extends Model = Model> {
  readonly model: M;
  readonly hid: HidHandle;
  /** Bytes of an output report without its id, as the device's descriptor says, if readable. */
  readonly outputBytes: number | undefined;
  /** The serial number of the USB descriptor; empty when there is none. */
  readonly usbSerial: string;
  readonly encodeJpeg: EncodeJpeg;
  /** Takes what hands do, in the order in which it happened. */
  onInput(input: DriverInput): void;
}

/** JPEG quality before a byte cap lowers it: text on a key shows ringing below about 90. */
export const JPEG_QUALITY = 92;

/** Sends one report and makes a short write the error it is. */
export async function writeReport(hid: HidHandle, report: Buffer): Promise<void> {
  const taken = await hid.write(report);
  if (taken < report.length) {
    throw new Error(`the deck took only ${taken} of ${report.length} bytes of a report`);
  }
}

/** The printable beginning of a text that a unit tells of itself. */
export function wordOf(told: string): string {
  return (/^[\x20-\x7e]{0,64}/.exec(told)?.[0] ?? "").trim();
}
