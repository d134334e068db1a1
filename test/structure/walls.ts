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

const BASE = "appliance/base/";
/** Code that uses Node itself: files, programs, secrets and the clock of this machine. */
const SYSTEM = "appliance/system/";
/** Pictures between what draws and what shows them, and their memory. */
const PIXELS = ["appliance/deck/pixels.ts", "appliance/deck/pixel-memory.ts"];
/** The door of the store for what collects, shows, watches and runs, and the one to the data itself. */
const STORE_DOOR = "appliance/store/store.ts";
const DESK = "appliance/store/desk.ts";
/** Pure names: what a hit is, and which format the data has. */
const RECORD = "appliance/store/log/record.ts";
const FORMAT = "appliance/store/format.ts";
/** The types of answers. */
const REPORTS = "appliance/store/reports.ts";
/** The modules that put all together. */
const ABOVE: Omit<Wall, "of"> = {
  may: ["appliance/", STORE_DOOR, DESK, FORMAT],
  not: ["appliance/store/"],
  types: [REPORTS],
};
const ENGINES = ["appliance/store/sqlite/", "appliance/store/postgres/"];
/** The types of the two listeners. */
const WIRES = ["appliance/collector/wire.ts", "appliance/control/wire.ts"];

export const WALLS: readonly Wall[] = [
  { of: "appliance/main.ts", ...ABOVE },
  { of: "appliance/service/", ...ABOVE },
  { of: "appliance/commands/", ...ABOVE },
  // Which models there are, what an address block is, and what names a broker or a public address.
  {
    of: "appliance/config",
    may: [
      "appliance/deck/usb/models.ts",
      "appliance/http/client.ts",
      "appliance/mqtt/settings.ts",
      "appliance/public/dns/services.ts",
      "appliance/public/settings.ts",
      "appliance/release/",
      "appliance/updates/settings.ts",
      SYSTEM,
      BASE,
    ],
  },
  { of: "appliance/follow/", may: [BASE] },
  { of: "appliance/exports/", may: [DESK, BASE], types: [REPORTS] },
  {
    of: "appliance/imports/",
    may: ["appliance/collector/counting/", DESK, RECORD, BASE],
    types: [REPORTS],
  },
  { of: BASE },
  { of: SYSTEM, may: [BASE] },
  {
    of: "appliance/collector/",
    may: ["appliance/http/", STORE_DOOR, RECORD, "appliance/release/health.ts", SYSTEM, BASE],
    // Whether the box is reached from outside.
    types: [REPORTS, "appliance/public/"],
  },
  {
    of: "appliance/control/",
    may: [
      "appliance/http/",
      "appliance/push/",
      "appliance/alarms/",
      "appliance/digest/digests.ts",
      // Lines of access logs, which senders bring.
      "appliance/imports/logs/feed.ts",
      "appliance/imports/refused.ts",
      STORE_DOOR,
      SYSTEM,
      BASE,
      "appliance/deck/decks.ts",
      "appliance/backups/",
      "appliance/box/setup-code.ts",
      "appliance/box/view.ts",
      "appliance/mail/",
      "appliance/mqtt/home-automation.ts",
      "appliance/public/public-address.ts",
      "appliance/public/settings.ts",
      "appliance/public/view.ts",
      "appliance/release/",
      "appliance/updates/updates.ts",
      "appliance/updates/view.ts",
      // Settings, ids, widgets and models, for checking input.
      "appliance/deck/settings/",
      "appliance/deck/deck-view.ts",
      "appliance/deck/display/drawing.ts",
      "appliance/deck/identity.ts",
      "appliance/deck/usb/model.ts",
      "appliance/deck/usb/models.ts",
      "appliance/deck/face/widget.ts",
      "appliance/deck/face/image-file.ts",
      "appliance/actions/origins.ts",
    ],
    types: [REPORTS],
  },
  {
    of: "appliance/actions/",
    may: [
      "appliance/push/",
      "appliance/http/exchange.ts",
      BASE,
      "appliance/deck/decks.ts",
      "appliance/deck/settings/action.ts",
      "appliance/deck/face/widget.ts",
    ],
    // Gestures, and their feedback.
    types: ["appliance/deck/hands/gestures.ts", "appliance/deck/face/feedback.ts"],
  },
  { of: "appliance/alarms/", may: [STORE_DOOR, BASE], types: [REPORTS] },
  { of: "appliance/mail/", may: [SYSTEM, BASE] },
  { of: "appliance/backups/", may: ["appliance/http/exchange.ts", SYSTEM, BASE] },
  {
    of: "appliance/digest/",
    may: [STORE_DOOR, BASE],
    types: [REPORTS, "appliance/alarms/"],
  },
  { of: "appliance/deck/face/", may: [...PIXELS, "appliance/push/", BASE] },
  { of: "appliance/deck/usb/", may: [...PIXELS, BASE] },
  { of: "appliance/deck/", may: ["appliance/push/channels.ts", BASE] },
  // Settings do not know displays, and hands know neither.
  {
    of: "appliance/deck/settings/",
    may: ["appliance/deck/", BASE],
    not: ["appliance/deck/display/", "appliance/deck/hands/"],
  },
  {
    of: "appliance/deck/display/",
    may: ["appliance/deck/", "appliance/push/channels.ts", BASE],
    not: ["appliance/deck/hands/"],
  },
  { of: "appliance/deck/hands/", may: [BASE], types: ["appliance/deck/usb/model.ts"] },
  { of: "appliance/hardware/", may: [...PIXELS, "appliance/deck/usb/", BASE] },
  { of: "appliance/push/", may: [SYSTEM, BASE] },
  { of: "appliance/http/", may: [BASE] },
  { of: "appliance/metrics/", may: ["appliance/http/", BASE] },
  { of: "appliance/mqtt/", may: ["appliance/push/", SYSTEM, BASE], types: ["appliance/deck/"] },
  // It asks the outside as others do; who is served through it stands elsewhere.
  { of: "appliance/public/", may: ["appliance/http/", SYSTEM, BASE] },
  { of: "appliance/demo/", may: [RECORD, BASE] },
  {
    of: "appliance/box/",
    may: [
      "appliance/deck/face/qr.ts",
      "appliance/deck/face/text-fit.ts",
      "appliance/http/client.ts",
      SYSTEM,
      BASE,
    ],
    // Its content: notices for decks, visitors, and the machine.
    types: [
      "appliance/deck/face/notices.ts",
      "appliance/public/view.ts",
      "appliance/updates/view.ts",
    ],
  },
  // Releases, for making, downloading and installing them.
  { of: "appliance/release/", may: [SYSTEM, BASE] },
  // Root's programs that install one: nothing of the service is run there.
  {
    of: "appliance/updater/",
    may: ["appliance/release/", FORMAT, SYSTEM, BASE],
  },
  { of: "appliance/updates/", may: ["appliance/http/", "appliance/release/", SYSTEM, BASE] },
  // A start reads the settings by the rules of the service.
  { of: "appliance/provision/", may: ["appliance/config.ts", "appliance/release/", SYSTEM, BASE] },
  // A network that was joined is kept as if a file had named it.
  { of: "appliance/wifi/", may: ["appliance/provision/", SYSTEM, BASE] },
  // A user without rights shows the pages: nothing of root's programs runs there.
  {
    of: "appliance/wifi/portal/",
    types: ["appliance/wifi/radio.ts"],
    may: ["appliance/system/uncaught.ts", "appliance/http/form-server.ts", BASE],
  },
  // The program that answers where the service cannot start: test/emergency/modules holds that it needs no package.
  {
    of: "appliance/emergency/",
    may: [
      "appliance/box/",
      // Which models there are.
      "appliance/deck/usb/elgato-models.ts",
      "appliance/http/form-server.ts",
      "appliance/http/own-host.ts",
      "appliance/release/",
      SYSTEM,
      BASE,
    ],
  },
  { of: "appliance/store/", may: [SYSTEM, BASE], not: ENGINES },
  // Which engine it is to be, and which program its thread runs.
  { of: "appliance/store/engines.ts", may: ["appliance/store/", BASE] },
  { of: "appliance/store/copy/end.ts", may: ["appliance/store/", BASE] },
  { of: "appliance/store/threads/kinds.ts", may: ["appliance/store/"] },
  { of: DESK, may: ["appliance/store/"] },
  // Code of both engines is in the rooms beside them.
  {
    of: "appliance/store/sqlite/",
    may: ["appliance/store/", SYSTEM, BASE],
    not: ["appliance/store/postgres/"],
  },
  {
    of: "appliance/store/postgres/",
    may: ["appliance/store/", SYSTEM, BASE],
    not: ["appliance/store/sqlite/"],
  },
  { of: "web/shared/", may: [BASE], types: WIRES },
  { of: "web/beacon/", may: ["web/shared/", BASE], types: WIRES },
  { of: "web/dashboard/", may: ["web/shared/", BASE], types: WIRES },
  { of: "web/control/", may: ["web/shared/", BASE], types: WIRES },
  { of: "web/help/", may: ["web/shared/", BASE], types: WIRES },
  {
    of: "image/",
    may: ["scripts/licenses/", "appliance/release/", FORMAT, BASE],
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
  mqtt: ["appliance/mqtt/client.ts", "test/"],
  nodemailer: ["appliance/mail/client.ts", "test/"],
  // These start programs, and keep values of others behind the options.
  "node:child_process": [
    "appliance/system/program.ts",
    "appliance/system/bounded-process.ts",
    "appliance/store/sqlite/copies/chore-process.ts",
    "scripts/",
    "image/",
    "test/",
  ],
  koa: ["appliance/http/", "appliance/collector/", "appliance/control/", "test/"],
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
  koa: ["appliance/service/"],
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
  "appliance/emergency/main.ts",
  "appliance/provision/main.ts",
  "appliance/updater/main.ts",
  "appliance/wifi/main.ts",
  "appliance/wifi/portal/main.ts",
  "appliance/service/start-trial.ts",
  "appliance/store/postgres/reader.ts",
  "appliance/store/sqlite/committer.ts",
  "appliance/store/sqlite/copies/chores.ts",
  "appliance/store/sqlite/reader.ts",
  "image/test/main.ts",
  "image/test/package.ts",
  "test/service/sealed-hours.ts",
  "test/structure/changed.ts",
];

/** Used by programs that import nothing: mocha's configuration, and esbuild, for JSX. */
export const USED_OTHERWISE: readonly string[] = [
  "test/helpers/hooks.ts",
  "web/shared/da-common.ts",
];

/** Folders that have no rooms yet. */
export const CROWDED: readonly string[] = ["appliance/service"];
