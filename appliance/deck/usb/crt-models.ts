import type { Akp05Model, CrtWire, Evidence, MiraboxModel, ModelSlot } from "./model.ts";
import { columns, inputs, keys, panel, strip } from "./places.ts";

function usb(vendor: number, ...products: readonly number[]): MiraboxModel["usb"] {
  return products.map((product) => ({ vendor, product }));
}

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
  dialCodes: [],
  swipeCodes: undefined,
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
  dialCodes: [
    { press: 0x37, left: 0xa0, right: 0xa1 },
    { press: 0x35, left: 0x50, right: 0x51 },
    { press: 0x33, left: 0x90, right: 0x91 },
    { press: 0x36, left: 0x70, right: 0x71 },
  ],
  swipeCodes: { left: 0x38, right: 0x39 },
  // The host is dropped after about 15 s of silence.
  heartbeat: { everyMs: 10_000, patienceMs: 14_000 },
};

interface Identity {
  readonly id: string;
  readonly name: string;
  readonly usb: MiraboxModel["usb"];
  readonly evidence: Evidence;
  readonly note?: string;
}

function mirabox(identity: Identity, slots: readonly ModelSlot[], wire: CrtWire): MiraboxModel {
  return { family: "mirabox", ...identity, slots, inputs: [], hasStrip: false, wire };
}

const SIDE_ZONES = panel([0, 1, 2].map((row) => ({ column: 5, row, width: 85, height: 85 })));

function crtV1(identity: Identity): MiraboxModel {
  return mirabox(
    identity,
    [...keys({ columns: 5, rows: 3, width: 85, hasRelease: false }), ...SIDE_ZONES],
    CRT_V1,
  );
}

/** A v1 unit under another brand; no trial of it is known. */
function rebadge(id: string, name: string, vendor: number, product: number): MiraboxModel {
  return crtV1({ id, name, usb: usb(vendor, product), evidence: "untested" });
}

const UNSETTLED = {
  evidence: "untested",
  note: "sources contradict each other about this unit",
} as const;

export const MIRABOX_MODELS: readonly MiraboxModel[] = [
  mirabox(
    { id: "mirabox-293", name: "Mirabox 293V3", usb: usb(0x6603, 0x1005), evidence: "HW" },
    keys({ columns: 5, rows: 3, width: 112 }),
    CRT_V3,
  ),
  mirabox(
    {
      id: "mirabox-293-variant",
      name: "Mirabox 293V3 (variant)",
      usb: usb(0x6603, 0x1006, 0x1010),
      evidence: "SRC",
    },
    keys({ columns: 5, rows: 3, width: 112 }),
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
    keys({ columns: 5, rows: 3, width: 95 }),
    AKP153_V3,
  ),
  mirabox(
    {
      id: "mirabox-k1pro",
      name: "Mirabox K1 Pro",
      usb: usb(0x6603, 0x1015, 0x1019),
      evidence: "HW",
    },
    keys({ columns: 3, rows: 2, width: 64 }),
    K1_PRO,
  ),
  mirabox(
    {
      id: "akp153e-rev2",
      name: "AJAZZ AKP153E (rev. 2)",
      usb: usb(0x0300, 0x3010),
      evidence: "HW",
    },
    keys({ columns: 5, rows: 3, width: 95 }),
    AKP153_V3,
  ),
  mirabox(
    { id: "akp153r-rev2", name: "AJAZZ AKP153R (rev. 2)", usb: usb(0x0300, 0x3011), ...UNSETTLED },
    keys({ columns: 5, rows: 3, width: 95 }),
    AKP153_V3,
  ),
  mirabox(
    {
      id: "fifine-d6-rev2",
      name: "Fifine D6 (rev. 2)",
      usb: usb(0x3142, 0x0060),
      evidence: "HW",
    },
    keys({ columns: 5, rows: 3, width: 112 }),
    CRT_V3,
  ),
  mirabox(
    { id: "fifine-d6-rev1", name: "Fifine D6 (rev. 1)", usb: usb(0x3142, 0x0007), ...UNSETTLED },
    keys({ columns: 5, rows: 3, width: 112, hasRelease: false }),
    { ...CRT_V3, packetBytes: 512, commitsClear: false },
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
  return {
    family: "akp05",
    ...identity,
    slots: [...keys({ columns: 5, rows: 2, width: 112 }), ...strip(4, 2, 176, 112)],
    inputs: inputs("dial", { row: 3, columns: columns(4), hasRelease: false }),
    hasStrip: true,
    wire: AKP05_WIRE,
  };
}

export const AKP05_MODELS: readonly Akp05Model[] = [
  akp05({ id: "akp05e", name: "AJAZZ AKP05E", usb: usb(0x0300, 0x3004), evidence: "HW" }),
  akp05({ id: "akp05", name: "AJAZZ AKP05", usb: usb(0x0300, 0x3006), evidence: "untested" }),
];
