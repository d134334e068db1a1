import type { Rotation } from "../pixels.ts";

/**
 * HW: verified on a real unit by some project; SRC: read in a driver's source; OFF: the vendor's
 * own documentation; INF: inferred; untested: no trial is known.
 */
export type Evidence = "HW" | "SRC" | "OFF" | "INF" | "untested";

interface UsbId {
  readonly vendor: number;
  readonly product: number;
}

/** A place of a deck, with the abilities of its hardware. */
interface ModelPlace {
  readonly column: number;
  readonly row: number;
  /** Whether it can be pressed; a panel without switches only shows a picture. */
  readonly canPress: boolean;
  /** Whether the firmware reports releases, without which there are no holds. */
  readonly hasRelease: boolean;
}

/** A place with a picture. Zones are on a touch strip, or on a panel without switches. */
export interface ModelSlot extends ModelPlace {
  /** `k0`, `k1`, … for keys row by row; `z0`, `z1`, … for zones from the left or the top. */
  readonly slot: string;
  readonly kind: "key" | "zone";
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** A place that can be pressed, a dial also turned, and that shows no picture. */
export interface ModelInput extends ModelPlace {
  /** `d0`, `d1`, … for dials, `b0`, `b1`, … for buttons, `t0`, `t1`, … for touch points; from the left. */
  readonly input: string;
  readonly kind: "dial" | "button" | "touch";
}

/** The direction of a finger over the touch strip. */
export type Direction = "left" | "right";

/** Something that a hand does, as a unit tells it. */
export type DriverInput =
  /** A key or an input, which went down or up; `tap` is a press that gives no word of its release. */
  | { readonly what: "down" | "up" | "tap"; readonly place: string; readonly by?: never }
  /** A dial and its steps, clockwise being more than zero. */
  | { readonly what: "turn"; readonly place: string; readonly by: number }
  /** A finger that went over the touch strip. */
  | { readonly what: "swipe"; readonly place: Direction; readonly by?: never };

/** The reports of a dial of a CRT deck; each report of a turn is one step. */
interface DialCodes {
  readonly press: number;
  readonly left: number;
  readonly right: number;
}

/** The wire of the Mirabox CRT family, spoken by the AKP05 family too. */
export interface CrtWire {
  /** Report id in front of every packet. */
  readonly reportId: number;
  /** Bytes of a packet behind the report id, when the device's descriptor cannot be read. */
  readonly packetBytes: 512 | 1024;
  readonly rotate: Rotation;
  /** Largest JPEG the firmware takes whole. */
  readonly maxImageBytes: number;
  /** Wire ids of the pictures, in the order of `slots`. */
  readonly imageIds: readonly number[];
  /** Codes the panel reports, in the order of `slots`; shorter where the last have no switch. */
  readonly inputCodes: readonly number[];
  /** The codes of dials, in the order of `inputs`. */
  readonly dialCodes: readonly DialCodes[];
  /** The codes of a swipe over the touch strip, where there is one. */
  readonly swipeCodes: Readonly<Record<Direction, number>> | undefined;
  /** The firmware shows a cleared panel only after a commit (v2 and v3 do, v1 does not). */
  readonly commitsClear: boolean;
  /** The firmware drops the last byte of every full packet of an image. */
  readonly dropsLastByte: boolean;
  readonly heartbeat: { readonly everyMs: number; readonly patienceMs?: number } | undefined;
  /** The interval after which all pictures are sent again, since a lost byte leaves a broken one standing. */
  readonly repaintMs: number;
}

interface ModelBase {
  readonly id: string;
  readonly name: string;
  readonly usb: readonly UsbId[];
  readonly evidence: Evidence;
  /** Places with a picture; a deck may have none. */
  readonly slots: readonly ModelSlot[];
  readonly inputs: readonly ModelInput[];
  /** Whether its zones are on a touch strip that reports swipes. */
  readonly hasStrip: boolean;
  /** A note for users about the evidence. */
  readonly note?: string;
}

export interface ElgatoModel extends ModelBase {
  readonly family: "elgato";
}
/** A deck of one of the two families that speak the protocol of CRT. */
export interface CrtModel extends ModelBase {
  readonly family: "mirabox" | "akp05";
  readonly wire: CrtWire;
}
export type Model = ElgatoModel | CrtModel;

/** Whether a text is a serial number, and not an empty memory: nothing, zeros, blanks or bytes of ones. */
export function isSerial(text: string): boolean {
  return /^[!-~]{1,126}$/.test(text) && /[^0F.-]/i.test(text);
}
