/**
 * The rules of imports: files whose path begins with `of` (the longest that fits counts) know their own
 * kind and what begins with one of `may`; of `types`, only types. The longest that fits counts here, too.
 */
export interface Wall {
  readonly of: string;
  readonly may?: readonly string[];
  readonly types?: readonly string[];
  /** Exceptions, although they begin with one of the others. */
  readonly not?: readonly string[];
}

/** The wings of the house: each knows only those before it. */
const WINGS = ["base", "store", "deck", "traffic", "links", "config", "box", "control", "app"];

/** The wings that a wing does not know, although they come before it. */
const STRANGERS: Readonly<Record<string, readonly string[]>> = {
  deck: ["store"],
  traffic: ["deck"],
  links: ["store", "deck", "traffic"],
  config: ["store", "traffic"],
  box: ["traffic", "links"],
  control: ["config"],
};

const BASE = "appliance/base/";
/** Code of `base` that uses Node itself; the rest of it is pure, for everybody and for browsers. */
export const OF_NODE = ["system", "http", "metrics", "release"].map((room) => `${BASE}${room}/`);
const STORE = "appliance/store/";
/** The door of the store for whoever counts, shows, watches and runs, and the one to the data itself. */
const STORE_DOOR = `${STORE}store.ts`;
const DESK = `${STORE}desk.ts`;
/** Pure names: what a hit is, and which format the data has. */
const RECORD = `${STORE}log/record.ts`;
const FORMAT = `${STORE}format.ts`;
/** The types of answers. */
const REPORTS = `${STORE}reports.ts`;
const ENGINES = [`${STORE}sqlite/`, `${STORE}postgres/`];
/** Pictures between their painter and the devices that show them, and their memory. */
const PIXELS = ["appliance/deck/pixels.ts", "appliance/deck/pixel-memory.ts"];
const IPC = "appliance/box/ipc/";
/** The types of the two listeners. */
const WIRES = ["appliance/traffic/collector/wire.ts", "appliance/control/wire.ts"];

/** A wing as a whole: what it knows of others, and of the store, whose doors are named. */
function wingWall(wing: string, { may = [], not = [], types = [] }: Omit<Wall, "of"> = {}): Wall {
  const known = WINGS.slice(0, WINGS.indexOf(wing)).filter(
    (before) => !STRANGERS[wing]?.includes(before),
  );
  return {
    of: `appliance/${wing}/`,
    may: [...known.map((before) => `appliance/${before}/`), ...may],
    not: [STORE, ...not],
    types: [REPORTS, ...types],
  };
}

const ABOVE = wingWall("app", { may: ["appliance/main.ts", STORE_DOOR, DESK, FORMAT] });

export const WALLS: readonly Wall[] = [
  { of: "appliance/main.ts", may: ["appliance/", ...(ABOVE.may ?? [])], not: [STORE] },
  { of: BASE, not: OF_NODE },
  ...OF_NODE.map((of) => ({ of, may: [BASE] })),

  { of: STORE, may: [BASE], not: ENGINES },
  // Which engine it is to be, and which program its thread runs.
  ...["engines.ts", "copy/end.ts", "threads/kinds.ts", "desk.ts"].map((file) => ({
    of: `${STORE}${file}`,
    may: [STORE, BASE],
  })),
  { of: `${STORE}sqlite/`, may: [STORE, BASE], not: [`${STORE}postgres/`] },
  { of: `${STORE}postgres/`, may: [STORE, BASE], not: [`${STORE}sqlite/`] },

  wingWall("deck"),
  { of: "appliance/deck/face/", may: [...PIXELS, "appliance/deck/push/", BASE] },
  { of: "appliance/deck/usb/", may: [...PIXELS, BASE] },
  { of: "appliance/deck/hands/", may: [BASE], types: ["appliance/deck/usb/model.ts"] },
  // Settings do not know displays, and neither knows hands.
  {
    of: "appliance/deck/settings/",
    may: ["appliance/deck/", BASE],
    not: ["appliance/deck/display/", "appliance/deck/hands/"],
  },
  {
    of: "appliance/deck/display/",
    may: ["appliance/deck/", BASE],
    not: ["appliance/deck/hands/"],
  },
  { of: "appliance/deck/push/", may: [BASE] },

  wingWall("traffic", { may: [STORE_DOOR, RECORD] }),
  ...["imports", "exports"].map((room) => ({
    of: `appliance/traffic/${room}/`,
    may: ["appliance/traffic/", DESK, RECORD, BASE],
    types: [REPORTS],
  })),

  // A home automation is handed decks, and holds none.
  wingWall("links", { may: ["appliance/deck/push/"], types: ["appliance/deck/"] }),
  wingWall("config"),

  wingWall("box", { may: [FORMAT] }),
  // Root's programs: nothing of the service is run there.
  ...["provision", "wifi", "updater"].map((room) => ({
    of: `appliance/box/${room}/`,
    may: [IPC, "appliance/box/provision/", "appliance/config/", FORMAT, BASE],
  })),
  // A user without rights shows the pages: nothing of root's programs runs there.
  {
    of: "appliance/box/wifi/portal/",
    may: [IPC, BASE],
    types: ["appliance/box/wifi/radio.ts"],
  },
  // It answers where the service cannot start: test/box/emergency/modules holds that it needs no package.
  {
    of: "appliance/box/emergency/",
    may: ["appliance/box/", "appliance/deck/usb/elgato-models.ts", BASE],
    not: ["appliance/box/provision/", "appliance/box/updater/", "appliance/box/wifi/"],
  },

  // Settings, ids, widgets and models, for checking input; how they are shown is not its concern.
  wingWall("control", {
    may: [
      STORE_DOOR,
      "appliance/deck/display/drawing.ts",
      "appliance/deck/face/widget.ts",
      "appliance/deck/face/image-file.ts",
      "appliance/deck/usb/model.ts",
      "appliance/deck/usb/models.ts",
    ],
    types: [
      "appliance/config/config.ts",
      "appliance/deck/display/live-numbers.ts",
      "appliance/deck/face/notices.ts",
    ],
    not: ["display", "face", "hands", "usb"].map((room) => `appliance/deck/${room}/`),
  }),
  ABOVE,

  { of: "web/shared/", may: [BASE], not: OF_NODE, types: WIRES },
  ...["beacon", "dashboard", "control", "help"].map((page) => ({
    of: `web/${page}/`,
    may: ["web/shared/", BASE],
    not: OF_NODE,
    types: WIRES,
  })),
  {
    of: "image/",
    may: ["scripts/licenses/", `${BASE}release/`, FORMAT, BASE],
    not: ["image/test/"],
  },
  // The boot tests use the booted image as a test of the service uses that.
  { of: "image/test/", may: ["appliance/", "image/", "scripts/", "test/"] },
  { of: "scripts/", may: ["appliance/"] },
  { of: "test/", may: [""] },
];

/** Package → its users. A package that is missing here is free. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  pg: ["appliance/store/postgres/connection/link.ts", "test/"],
  "better-sqlite3": ["appliance/store/sqlite/database.ts", "test/"],
  "node-hid": ["appliance/deck/usb/hid.ts", "test/"],
  usb: ["appliance/deck/usb/hid.ts", "test/"],
  "@napi-rs/canvas": ["appliance/deck/face/paint.ts", "image/test/", "test/"],
  mqtt: ["appliance/links/mqtt/client.ts", "test/"],
  nodemailer: ["appliance/links/mail/client.ts", "test/"],
  // These start programs, and keep values of others behind the options.
  "node:child_process": [
    "appliance/base/system/program.ts",
    "appliance/base/system/bounded-process.ts",
    "appliance/store/sqlite/copies/chore-process.ts",
    "scripts/",
    "image/",
    "test/",
  ],
  koa: ["appliance/base/http/", "appliance/traffic/collector/", "appliance/control/", "test/"],
  preact: ["web/", "test/web/"],
  mocha: ["test/"],
  "fast-check": ["test/"],
  "playwright-core": ["scripts/", "test/"],
};

/** Files that may hold what a package's own file passes on of it: what it opens, and its types. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  "better-sqlite3": ["appliance/store/sqlite/"],
  // Functions that start a program.
  "node:child_process": ["appliance/"],
  // The starts of listeners.
  koa: ["appliance/app/service/"],
};

/** @param specifier as an import has it */
export function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Whether a file may hold what is a package's, by way of another file. */
export function mayHold(file: string, name: string): boolean {
  const holders = [...(PACKAGES[name] ?? []), ...(HOLDERS[name] ?? [])];
  return holders.some((prefix) => file.startsWith(prefix));
}

/** Browsers run these: nothing that they reach may need Node. */
export const BROWSERS = "web/";

/** Started, never imported but for their types. */
export const STARTED: readonly string[] = [
  "appliance/main.ts",
  "appliance/control/routes/settings/settings-check.ts",
  "appliance/box/emergency/main.ts",
  "appliance/box/provision/main.ts",
  "appliance/box/updater/main.ts",
  "appliance/box/wifi/main.ts",
  "appliance/box/wifi/portal/main.ts",
  "appliance/app/service/start-trial.ts",
  "appliance/store/postgres/reader.ts",
  "appliance/store/sqlite/committer.ts",
  "appliance/store/sqlite/copies/chores.ts",
  "appliance/store/sqlite/reader.ts",
  "image/test/main.ts",
  "image/test/package.ts",
  "image/test/place-journey.ts",
  "test/app/service/sealed-hours.ts",
  "test/structure/changed.ts",
];

/** Used by programs that import nothing: mocha's configuration, and esbuild, for JSX. */
export const USED_OTHERWISE: readonly string[] = [
  "test/helpers/hooks.ts",
  "web/shared/da-common.ts",
];

/** Folders that have no rooms yet. */
export const CROWDED: readonly string[] = ["appliance/app/service"];
