import { breachesIn } from "./check.ts";

/** A small project that keeps to the walls. */
const SOUND: Readonly<Record<string, string>> = {
  "appliance/main.ts": 'import { run } from "./app/commands/run.ts";\nrun();',
  "appliance/app/commands/run.ts":
    'import { serve } from "../service/service.ts";\nimport { copy } from "../../store/desk.ts";\nexport async function run() {\n  serve(copy);\n}',
  "appliance/app/service/service.ts": `import type { Alarms } from "../../traffic/alarms/alarms.ts";
import { collect } from "../../traffic/collector/app.ts";
import { control } from "../../control/app.ts";
import { Actions } from "../../deck/actions/actions.ts";
import type { Link } from "../../links/mqtt/link.ts";
import type { PublicAddress } from "../../links/public/public-address.ts";
import { openStore } from "../../store/store.ts";
const serve = () => [collect(openStore()), control(openStore()), new Actions()];`,
  "appliance/traffic/collector/app.ts": `import type { Store } from "../../store/store.ts";
function collect(store: Store): void {}`,
  "appliance/control/app.ts": `import type { Store } from "../store/store.ts";
import { Decks } from "../deck/decks.ts";
function control(store: Store): Decks {}`,
  "appliance/deck/actions/actions.ts": `import type { Decks } from "../decks.ts";
export class Actions {
  decks: Decks[] = [];
}`,
  "appliance/traffic/alarms/alarms.ts": `import type { Store } from "../../store/store.ts";
export class Alarms {
  store: Store = {};
}`,
  "appliance/store/store.ts": `import { openFile } from "./engines.ts";
type Store = object;
const openStore = (): Store => openFile();`,
  "appliance/store/desk.ts": `import { backUp } from "./sqlite/backup.ts";
export { backUp as copy };`,
  "appliance/store/engines.ts": `import { open } from "./sqlite/database.ts";
const openFile = () => open();`,
  "appliance/store/sqlite/backup.ts": `import { open } from "./database.ts";
const backUp = () => open().close();`,
  "appliance/store/sqlite/database.ts": `import Sqlite from "better-sqlite3";
const worker = new Worker(
  new URL("committer.ts", import.meta.url),
);
const open = () => new Sqlite();`,
  "appliance/store/sqlite/committer.ts": "",
  "appliance/deck/decks.ts": `import { paint } from "./face/paint.ts";
import { surface } from "./display/surface.ts";
import { setUp } from "./settings/set-up.ts";
import { hid } from "./usb/hid.ts";
export class Decks {
  all = [paint, hid, setUp, surface];
}`,
  "appliance/deck/display/surface.ts": "const surface = 1;",
  "appliance/deck/settings/set-up.ts": "const setUp = 1;",
  "appliance/deck/pixels.ts": "export interface Pixels {}",
  "appliance/deck/face/paint.ts": `import { createCanvas } from "@napi-rs/canvas";
import type { Pixels } from "../pixels.ts";
const paint = (): Pixels => createCanvas();`,
  "appliance/deck/usb/hid.ts": `import type { Pixels } from "../pixels.ts";
const hid = async (pixels: Pixels) => {
  const { HID } = await import("node-hid");
};`,
  "appliance/links/mqtt/link.ts": `import type { Decks } from "../../deck/decks.ts";
type Link = Decks;`,
  "appliance/links/public/public-address.ts": `import { NAME } from "../../base/names.ts";
export class PublicAddress {
  name = NAME;
}`,
  "appliance/base/names.ts": "export const NAME = /a/;",
  "web/dashboard/page.ts": 'import { NAME } from "../../appliance/base/names.ts";\nNAME.test("");',
  "scripts/build-web.ts": 'const PAGES = ["web/dashboard/page.ts"];',
};

/** The breaches in the sound project with these additions; a text is added to a file that exists. */
export function found(more: Readonly<Record<string, string>>): string[] {
  const files = new Map(Object.entries(SOUND));
  for (const [file, text] of Object.entries(more))
    files.set(file, `${text}\n${files.get(file) ?? ""}`);
  return breachesIn(files);
}
