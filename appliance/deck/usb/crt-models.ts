import type { CrtModel, CrtWire, Evidence } from "./model.ts";
import { columns, inputs, keys, panel, strip } from "./places.ts";

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

const UNSETTLED = {
  evidence: "untested",
  note: "sources contradict each other about this unit",
} as const;

type Make = Pick<CrtModel, "slots" | "wire">;

/** @param ids the vendor, then its products */
function mirabox(
  id: string,
  name: string,
  [vendor, ...products]: readonly [number, ...number[]],
  evidence: Evidence | typeof UNSETTLED,
  make: Make,
): CrtModel {
  const told = typeof evidence === "string" ? { evidence } : evidence;
  const usb = products.map((product) => ({ vendor, product }));
  return { family: "mirabox", id, name, usb, ...told, inputs: [], hasStrip: false, ...make };
}

const V3: Make = { slots: keys({ columns: 5, rows: 3, width: 112 }), wire: CRT_V3 };
const SMALL_V3: Make = { slots: keys({ columns: 5, rows: 3, width: 95 }), wire: AKP153_V3 };
const K1: Make = { slots: keys({ columns: 3, rows: 2, width: 64 }), wire: K1_PRO };
const V1: Make = {
  slots: [
    ...keys({ columns: 5, rows: 3, width: 85, hasRelease: false }),
    ...panel([0, 1, 2].map((row) => ({ column: 5, row, width: 85, height: 85 }))),
  ],
  wire: CRT_V1,
};
const D6_REV1: Make = {
  slots: keys({ columns: 5, rows: 3, width: 112, hasRelease: false }),
  wire: { ...CRT_V3, packetBytes: 512, commitsClear: false },
};

// The v1 units of other brands are untested: no trial of them is known.
export const MIRABOX_MODELS: readonly CrtModel[] = [
  mirabox("mirabox-293", "Mirabox 293V3", [0x6603, 0x1005], "HW", V3),
  mirabox("mirabox-293-variant", "Mirabox 293V3 (variant)", [0x6603, 0x1006, 0x1010], "SRC", V3),
  mirabox("mirabox-293s", "Mirabox 293S", [0x5548, 0x6670], "HW", V1),
  mirabox("mirabox-293s-v3", "Mirabox 293S V3", [0x6603, 0x1014], UNSETTLED, SMALL_V3),
  mirabox("mirabox-k1pro", "Mirabox K1 Pro", [0x6603, 0x1015, 0x1019], "HW", K1),
  mirabox("akp153e-rev2", "AJAZZ AKP153E (rev. 2)", [0x0300, 0x3010], "HW", SMALL_V3),
  mirabox("akp153r-rev2", "AJAZZ AKP153R (rev. 2)", [0x0300, 0x3011], UNSETTLED, SMALL_V3),
  mirabox("fifine-d6-rev2", "Fifine D6 (rev. 2)", [0x3142, 0x0060], "HW", V3),
  mirabox("fifine-d6-rev1", "Fifine D6 (rev. 1)", [0x3142, 0x0007], UNSETTLED, D6_REV1),
  mirabox("akp153", "AJAZZ AKP153", [0x5548, 0x6674], "untested", V1),
  mirabox("akp153e-rev1", "AJAZZ AKP153E (rev. 1)", [0x0300, 0x1010], "untested", V1),
  mirabox("akp153r-rev1", "AJAZZ AKP153R (rev. 1)", [0x0300, 0x1020], "untested", V1),
  mirabox("mars-msd-one", "Mars MSD-ONE", [0x0b00, 0x1000], "untested", V1),
  mirabox("mad-dog-gk150k", "Mad Dog GK150K", [0x0c00, 0x1000], "untested", V1),
  mirabox("risemode-vision-01", "Risemode Vision 01", [0x0a00, 0x1001], "untested", V1),
  mirabox("tmice", "TMICE", [0x0500, 0x1001], "untested", V1),
];

function akp05(id: string, name: string, product: number, evidence: Evidence): CrtModel {
  return {
    family: "akp05",
    id,
    name,
    usb: [{ vendor: 0x0300, product }],
    evidence,
    slots: [...keys({ columns: 5, rows: 2, width: 112 }), ...strip(4, 2, 176, 112)],
    inputs: inputs("dial", { row: 3, columns: columns(4), hasRelease: false }),
    hasStrip: true,
    wire: AKP05_WIRE,
  };
}

export const AKP05_MODELS: readonly CrtModel[] = [
  akp05("akp05e", "AJAZZ AKP05E", 0x3004, "HW"),
  akp05("akp05", "AJAZZ AKP05", 0x3006, "untested"),
];
