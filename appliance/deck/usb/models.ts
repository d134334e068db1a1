import type { Rotation } from "../pixels.ts";

/**
 * Every deck this project knows: its USB ids, slots and wire details, and how sure we are of them.
 * Nothing here was run on hardware by this project; each model carries the evidence others gave.
 */

/** HW: verified on a real unit by some project; SRC: read in a driver's source; OFF: the vendor's
 * own documentation; INF: inferred; untested: nobody is known to have tried. */
export type Evidence = "HW" | "SRC" | "OFF" | "INF" | "untested";

export const EVIDENCE_TEXT: Readonly<Record<Evidence, string>> = {
  HW: "verified on hardware by another project",
  SRC: "taken from another driver's source, not verified on hardware",
  OFF: "taken from the vendor's documentation, not verified on hardware",
  INF: "inferred from similar models, not verified on hardware",
  untested: "untested",
};

interface UsbId {
  readonly vendor: number;
  readonly product: number;
}

/** A place that shows a picture. Zones lie on a touch strip or on a panel without switches. */
export interface Slot {
  /** `k0`, `k1`, … for keys row by row; `z0`, `z1`, … for zones from the left or the top. */
  readonly slot: string;
  readonly kind: "key" | "zone";
  readonly column: number;
  readonly row: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
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
  /** False: the firmware reports key-down only. */
  readonly keyUp: boolean;
  /** The firmware shows a cleared panel only after a commit (v2 and v3 do, v1 does not). */
  readonly commitsClear: boolean;
  /** The firmware drops the last byte of every full packet of an image. */
  readonly dropsLastByte: boolean;
  readonly heartbeat: { readonly everyMs: number; readonly patienceMs?: number } | undefined;
  /** All pictures are sent again this often, since a lost byte leaves a broken one standing. */
  readonly repaintMs: number;
}

interface ModelBase {
  readonly id: string;
  readonly name: string;
  readonly usb: readonly UsbId[];
  readonly evidence: Evidence;
  readonly slots: readonly Slot[];
  /** What a user should know about the evidence. */
  readonly note?: string;
}

export interface ElgatoModel extends ModelBase {
  readonly family: "elgato";
}
export interface MiraboxModel extends ModelBase {
  readonly family: "mirabox";
  readonly wire: CrtWire;
}
export interface Akp05Model extends ModelBase {
  readonly family: "akp05";
  readonly wire: CrtWire;
}
export type Model = ElgatoModel | MiraboxModel | Akp05Model;

function keys(columns: number, rows: number, width: number, height = width): Slot[] {
  return Array.from({ length: columns * rows }, (_, index) => ({
    slot: `k${index}`,
    kind: "key",
    column: index % columns,
    row: Math.floor(index / columns),
    width,
    height,
  }));
}

type ZonePlace = Pick<Slot, "column" | "row" | "width" | "height">;

function zones(places: readonly ZonePlace[]): Slot[] {
  return places.map((place, index) => ({ slot: `z${index}`, kind: "zone", ...place }));
}

/** A strip below the keys, cut into equal zones. */
function strip(count: number, row: number, width: number, height: number): Slot[] {
  return zones(Array.from({ length: count }, (_, column) => ({ column, row, width, height })));
}

function usb(vendor: number, ...products: readonly number[]): UsbId[] {
  return products.map((product) => ({ vendor, product }));
}

const ELGATO = 0x0fd9;

/** Ids and sizes follow @elgato-stream-deck/core, which drives them; a test holds them together. */
function elgato(
  id: string,
  name: string,
  products: readonly number[],
  slots: readonly Slot[],
): ElgatoModel {
  return {
    family: "elgato",
    id,
    name: `Elgato Stream Deck ${name}`,
    usb: usb(ELGATO, ...products),
    evidence: "SRC",
    slots,
  };
}

const ELGATO_MODELS: readonly ElgatoModel[] = [
  elgato("original", "Original", [0x0060], keys(5, 3, 72)),
  elgato("original-v2", "Original V2", [0x006d], keys(5, 3, 72)),
  elgato("mk2", "MK.2", [0x0080], keys(5, 3, 72)),
  elgato("mk2-scissor", "MK.2 (scissor keys)", [0x00a5], keys(5, 3, 72)),
  elgato("module-15", "15-key module", [0x00b9], keys(5, 3, 72)),
  elgato("mini", "Mini", [0x0063, 0x0090, 0x00b3], keys(3, 2, 80)),
  elgato("module-6", "6-key module", [0x00b8], keys(3, 2, 80)),
  elgato("xl", "XL", [0x006c, 0x008f], keys(8, 4, 96)),
  elgato("module-32", "32-key module", [0x00ba], keys(8, 4, 96)),
  elgato("plus", "+", [0x0084], [...keys(4, 2, 120), ...strip(4, 2, 200, 100)]),
  elgato("plus-xl", "+ XL", [0x00c6], [...keys(9, 4, 112), ...strip(6, 4, 200, 100)]),
  elgato(
    "neo",
    "Neo",
    [0x009a],
    [...keys(4, 2, 96), ...zones([{ column: 1, row: 2, width: 248, height: 58 }])],
  ),
  elgato("studio", "Studio", [0x00aa], keys(16, 2, 144, 112)),
  elgato("pedal", "Pedal", [0x0086], []),
];

// Wire ids of the pictures on an upright grid, row by row.
const MAP_A = [11, 12, 13, 14, 15, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5];
const MAP_B = [13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];
const SIDE_COLUMN = [16, 17, 18];

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** The wire of a v3 unit; older and odder ones say where they differ. */
const CRT_V3: CrtWire = {
  reportId: 0x00,
  packetBytes: 1024,
  rotate: 180,
  maxImageBytes: 10_240,
  imageIds: MAP_A,
  inputCodes: upTo(15),
  keyUp: true,
  commitsClear: true,
  dropsLastByte: false,
  heartbeat: undefined,
  repaintMs: 10 * 60_000,
};

const AKP153_V3: CrtWire = { ...CRT_V3, rotate: 270, imageIds: MAP_B, inputCodes: MAP_B };

const CRT_V1: CrtWire = {
  ...CRT_V3,
  packetBytes: 512,
  rotate: 270,
  maxImageBytes: 5_120,
  imageIds: [...MAP_B, ...SIDE_COLUMN],
  inputCodes: MAP_B,
  keyUp: false,
  commitsClear: false,
};

const K1_PRO: CrtWire = {
  ...CRT_V3,
  reportId: 0x04,
  rotate: 90,
  // 4,096 with the filler byte that follows every 1,023.
  maxImageBytes: 4_092,
  imageIds: [5, 3, 1, 6, 4, 2],
  inputCodes: [5, 3, 1, 6, 4, 2],
  dropsLastByte: true,
  heartbeat: { everyMs: 2_000 },
};

const AKP05_WIRE: CrtWire = {
  ...CRT_V3,
  // The firmware decodes about 10,100 bytes and drops the rest.
  maxImageBytes: 10_000,
  imageIds: [...MAP_A.slice(0, 10), 1, 2, 3, 4],
  inputCodes: [...upTo(10), 0x40, 0x41, 0x42, 0x43],
  // The host is dropped after about 15 s of silence.
  heartbeat: { everyMs: 10_000, patienceMs: 14_000 },
};

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly usb: readonly UsbId[];
  readonly evidence: Evidence;
  readonly note?: string;
}

function mirabox(identity: Identity, slots: readonly Slot[], wire: CrtWire): MiraboxModel {
  return { family: "mirabox", ...identity, slots, wire };
}

const SIDE_ZONES = zones([0, 1, 2].map((row) => ({ column: 5, row, width: 85, height: 85 })));

function crtV1(identity: Identity): MiraboxModel {
  return mirabox(identity, [...keys(5, 3, 85), ...SIDE_ZONES], CRT_V1);
}

/** A v1 unit under another brand, which nobody is known to have tried. */
function rebadge(id: string, name: string, vendor: number, product: number): MiraboxModel {
  return crtV1({ id, name, usb: usb(vendor, product), evidence: "untested" });
}

const UNSETTLED = {
  evidence: "untested",
  note: "sources contradict each other about this unit",
} as const;

const MIRABOX_MODELS: readonly MiraboxModel[] = [
  mirabox(
    { id: "mirabox-293", name: "Mirabox 293V3", usb: usb(0x6603, 0x1005), evidence: "HW" },
    keys(5, 3, 112),
    CRT_V3,
  ),
  mirabox(
    {
      id: "mirabox-293-variant",
      name: "Mirabox 293V3 (variant)",
      usb: usb(0x6603, 0x1006, 0x1010),
      evidence: "SRC",
    },
    keys(5, 3, 112),
    CRT_V3,
  ),
  crtV1({
    id: "mirabox-293s",
    name: "Mirabox 293S",
    usb: usb(0x5548, 0x6670),
    evidence: "HW",
  }),
  mirabox(
    { id: "mirabox-293s-v3", name: "Mirabox 293S V3", usb: usb(0x6603, 0x1014), ...UNSETTLED },
    keys(5, 3, 95),
    AKP153_V3,
  ),
  mirabox(
    {
      id: "mirabox-k1pro",
      name: "Mirabox K1 Pro",
      usb: usb(0x6603, 0x1015, 0x1019),
      evidence: "HW",
    },
    keys(3, 2, 64),
    K1_PRO,
  ),
  mirabox(
    {
      id: "akp153e-rev2",
      name: "AJAZZ AKP153E (rev. 2)",
      usb: usb(0x0300, 0x3010),
      evidence: "HW",
    },
    keys(5, 3, 95),
    AKP153_V3,
  ),
  mirabox(
    { id: "akp153r-rev2", name: "AJAZZ AKP153R (rev. 2)", usb: usb(0x0300, 0x3011), ...UNSETTLED },
    keys(5, 3, 95),
    AKP153_V3,
  ),
  mirabox(
    {
      id: "fifine-d6-rev2",
      name: "Fifine D6 (rev. 2)",
      usb: usb(0x3142, 0x0060),
      evidence: "HW",
    },
    keys(5, 3, 112),
    CRT_V3,
  ),
  mirabox(
    { id: "fifine-d6-rev1", name: "Fifine D6 (rev. 1)", usb: usb(0x3142, 0x0007), ...UNSETTLED },
    keys(5, 3, 112),
    { ...CRT_V3, packetBytes: 512, keyUp: false, commitsClear: false },
  ),
  rebadge("akp153", "AJAZZ AKP153", 0x5548, 0x6674),
  rebadge("akp153e-rev1", "AJAZZ AKP153E (rev. 1)", 0x0300, 0x1010),
  rebadge("akp153r-rev1", "AJAZZ AKP153R (rev. 1)", 0x0300, 0x1020),
  rebadge("mars-msd-one", "Mars MSD-ONE", 0x0b00, 0x1000),
  rebadge("mad-dog-gk150k", "Mad Dog GK150K", 0x0c00, 0x1000),
  rebadge("risemode-vision-01", "Risemode Vision 01", 0x0a00, 0x1001),
  rebadge("tmice", "TMICE", 0x0500, 0x1001),
];

function akp05(identity: Identity): Akp05Model {
  const slots = [...keys(5, 2, 112), ...strip(4, 2, 176, 112)];
  return { family: "akp05", ...identity, slots, wire: AKP05_WIRE };
}

/** Every model, as `tallydeck devices --models` lists them. */
export const MODELS: readonly Model[] = [
  ...ELGATO_MODELS,
  ...MIRABOX_MODELS,
  akp05({ id: "akp05e", name: "AJAZZ AKP05E", usb: usb(0x0300, 0x3004), evidence: "HW" }),
  akp05({ id: "akp05", name: "AJAZZ AKP05", usb: usb(0x0300, 0x3006), evidence: "untested" }),
];

/** The model with this id, as `--virtual-deck` names it. */
export function modelById(id: string): Model | undefined {
  return MODELS.find((model) => model.id === id);
}

/** The model behind a pair of USB ids. */
export function modelByUsb(vendor: number, product: number): Model | undefined {
  return MODELS.find(({ usb }) =>
    usb.some((known) => known.vendor === vendor && known.product === product),
  );
}
