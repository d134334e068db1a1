import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import { breachesIn } from "./structure/check.ts";
import { riddlesIn, riddlesOf } from "./structure/comments.ts";
import { found } from "./structure/sound.ts";
import { sourcesOf } from "./structure/sources.ts";
import { imbalancesIn } from "./structure/weights.ts";

const ROOT = join(import.meta.dirname, "..");

describe("the structure", () => {
  it("keeps to its walls, without a cycle, and with nothing that nobody uses", () => {
    assert.deepEqual(breachesIn(sourcesOf(ROOT)), []);
  });

  it("is no heavier than it was, part by part", () => {
    assert.deepEqual(imbalancesIn(sourcesOf(ROOT)), []);
  });

  it("is told of what grew, and of what lost weight", () => {
    const sources = new Map([["a/b.ts", "one\ntwo\n"]]);
    const weigh = (files: number, lines: number) =>
      imbalancesIn(sources, { "a/": { files, lines } });
    assert.deepEqual(weigh(1, 2), []);
    assert.deepEqual(weigh(1, 1), [
      "a/ has 1 files and 2 lines, and may have 1 and 1: see test/structure/weights.ts",
    ]);
    assert.deepEqual(weigh(0, 2), [
      "a/ has 1 files and 2 lines, and may have 0 and 2: see test/structure/weights.ts",
    ]);
    assert.deepEqual(weigh(1, 102), ["a/ has 1 files and 2 lines: lower its 102"]);
  });
});

describe("a comment", () => {
  it("begins with its subject", () => {
    assert.deepEqual(riddlesOf(ROOT), []);
  });

  it("is looked at in each form that it has", () => {
    for (const form of ["/** ", "  // ", " * ", "/* ", "# ", "\t# "])
      for (const word of ["What", "Who", "Whoever", "Whatever", "Nobody", "How", "Of", "Those"]) {
        const riddle = `${form}${word} knows.`;
        assert.deepEqual(riddlesIn(`first\n${riddle}\nlast`), [riddle.trim()]);
      }
    for (const fine of ["/** The cost. */", "// Whether it is.", "const What = 1;"])
      assert.deepEqual(riddlesIn(fine), []);
  });
});

describe("a project that keeps to the walls", () => {
  it("has no breach", () => {
    assert.deepEqual(found({}), []);
  });

  for (const [what, text] of [
    ["a comment", '// import { Store } from "../store/store.ts";'],
    ["a comment of many lines", '/*\nimport { Store } from "../store/store.ts";\n*/'],
    ["a text", 'const said = `\nimport("./none.ts")`;'],
  ] as const)
    it(`may name in ${what} what it does not know`, () => {
      assert.deepEqual(found({ "appliance/base/names.ts": text }), []);
    });
});

describe("a breach is found", () => {
  const SQLITE = "store/sqlite/database.ts";
  const COLLECTOR = "traffic/collector/app.ts";
  const ACTIONS = "deck/actions/actions.ts";
  const ALARMS = "traffic/alarms/alarms.ts";
  const PUBLIC = "links/public/public-address.ts";
  const MQTT = "links/mqtt/link.ts";
  /** Rooms within appliance/, and what they may not know, by a value or a type. */
  const knowing: Readonly<Record<string, readonly [file: string, other: string, how?: "type"]>> = {
    "the ground floor knowing a room above": ["base/names.ts", SQLITE],
    "the collector knowing control": [COLLECTOR, "control/app.ts", "type"],
    "the collector looking behind the store's door": [COLLECTOR, SQLITE],
    "the collector using the door to the data itself": [COLLECTOR, "store/desk.ts"],
    "a command looking behind the door to the data itself": [
      "app/commands/run.ts",
      "store/sqlite/backup.ts",
    ],
    "the program itself looking there for a type": ["main.ts", "store/engines.ts", "type"],
    "the store's door taking a type of one engine": ["store/store.ts", SQLITE, "type"],
    "control looking there for a type": ["control/app.ts", SQLITE, "type"],
    "control knowing what a deck is painted with": ["control/app.ts", "deck/face/paint.ts"],
    "what a press does knowing who may come in": [ACTIONS, "control/app.ts"],
    "what a press does knowing where it is kept": [ACTIONS, "store/store.ts", "type"],
    "what watches sites looking behind the store's door": [ALARMS, SQLITE],
    "what watches sites knowing who shows it": [ALARMS, "deck/decks.ts"],
    "a face knowing a device": ["deck/face/paint.ts", "deck/usb/hid.ts"],
    "a device knowing a face": ["deck/usb/hid.ts", "deck/face/paint.ts"],
    "what is set up on a deck knowing what shows it": [
      "deck/settings/set-up.ts",
      "deck/display/surface.ts",
    ],
    "the decks knowing the store": ["deck/decks.ts", "store/store.ts", "type"],
    "the store knowing a deck": ["store/store.ts", "deck/decks.ts"],
    "the home automation knowing the store": [MQTT, "store/store.ts"],
    "the home automation holding decks itself": [MQTT, "deck/decks.ts"],
    "the public address knowing the store": [PUBLIC, "store/store.ts", "type"],
    "the public address knowing who comes in through it": [PUBLIC, COLLECTOR],
    "the collector doing something at the public address": [COLLECTOR, PUBLIC],
  };
  for (const [what, [file, other, how = ""]] of Object.entries(knowing))
    it(what, () => {
      const path = relative(dirname(file), other).replace(/^(?!\.)/, "./");
      const text = `import ${how} { one } from "${path}";`;
      assert.deepEqual(found({ [`appliance/${file}`]: text }), [
        `appliance/${file} knows appliance/${other}`,
      ]);
    });

  const NAMES = "appliance/base/names.ts";
  const breaches: Readonly<Record<string, readonly [file: string, text: string, said: string]>> = {
    "the service looking behind the store's door, though late": [
      "appliance/app/service/service.ts",
      'const { open } = await import("../../store/sqlite/database.ts");',
      "appliance/app/service/service.ts knows appliance/store/sqlite/database.ts",
    ],
    "a page knowing the service": [
      "web/dashboard/page.ts",
      'import { Decks } from "../../appliance/deck/decks.ts";',
      "web/dashboard/page.ts knows appliance/deck/decks.ts",
    ],
    "somebody knowing main.ts": [
      "scripts/build-web.ts",
      'import type {} from "../appliance/main.ts";',
      "scripts/build-web.ts knows appliance/main.ts",
    ],
    "a script known by the service": [
      "appliance/app/service/service.ts",
      'import "../../../scripts/build-web.ts";',
      "appliance/app/service/service.ts knows scripts/build-web.ts",
    ],
    "an import in the middle of a function": [
      NAMES,
      'const { open } = await import(\n  "../store/sqlite/database.ts"\n);',
      `${NAMES} knows appliance/${SQLITE}`,
    ],
    "what is passed on": [
      NAMES,
      'export * from "../store/sqlite/database.ts";',
      `${NAMES} knows appliance/${SQLITE}`,
    ],
    "an import of many lines": [
      NAMES,
      'import {\n  // The file.\n  open,\n} from "../store/sqlite/database.ts";',
      `${NAMES} knows appliance/${SQLITE}`,
    ],
    "a worker behind a wall": [
      NAMES,
      'new Worker(new URL("../store/sqlite/committer.ts", import.meta.url));',
      `${NAMES} knows appliance/store/sqlite/committer.ts`,
    ],
    "SQLite outside of its file": [
      "appliance/store/store.ts",
      'import type Sqlite from "better-sqlite3";',
      "appliance/store/store.ts knows better-sqlite3",
    ],
    "a device's library outside of its file": [
      "appliance/deck/decks.ts",
      'import { usb } from "usb";',
      "appliance/deck/decks.ts knows usb",
    ],
    "a broker's library outside of its file": [
      "appliance/links/mqtt/link.ts",
      'import mqtt from "mqtt";',
      "appliance/links/mqtt/link.ts knows mqtt",
    ],
    "the canvas outside of its file": [
      "appliance/deck/decks.ts",
      'import { Path2D } from "@napi-rs/canvas";',
      "appliance/deck/decks.ts knows @napi-rs/canvas",
    ],
    "Node in what browsers run": [
      "web/dashboard/page.ts",
      'import { isIP } from "node:net";',
      "browsers run web/dashboard/page.ts, which knows node:net",
    ],
    "Node in what is for everybody": [
      NAMES,
      'import type { Socket } from "node:net";',
      `${NAMES} takes node:net`,
    ],
    "a worker that is imported": [
      "appliance/store/engines.ts",
      'import "./sqlite/committer.ts";',
      "appliance/store/engines.ts imports appliance/store/sqlite/committer.ts",
    ],
    "a cycle": [
      "appliance/store/sqlite/database.ts",
      'import type { Store } from "../store.ts";',
      "appliance/store/store.ts → appliance/store/engines.ts → appliance/store/sqlite/database.ts → appliance/store/store.ts is a cycle",
    ],
    "a file that nobody uses": [
      "appliance/base/http/left.ts",
      "const left = 1;",
      "nobody uses appliance/base/http/left.ts",
    ],
    "a function that nobody uses": [
      NAMES,
      "export async function left() {}",
      `nobody uses left of ${NAMES}`,
    ],
    "a class that nobody uses": [
      NAMES,
      "class Left {\n  static open() {\n    return new Left();\n  }\n}",
      `nobody uses Left of ${NAMES}`,
    ],
    "an exported class that nobody uses": [
      NAMES,
      "export default class Left {}",
      `nobody uses Left of ${NAMES}`,
    ],
    "a type that nobody uses, under another name": [
      NAMES,
      "interface Left {}\nexport type { Left as Gone };",
      `nobody uses Gone of ${NAMES}`,
    ],
    "a file in a place without a wall": [
      "appliance/attic/box.test.ts",
      "",
      "appliance/attic/box.test.ts has no wall",
    ],
  };
  for (const [what, [file, text, said]] of Object.entries(breaches))
    it(what, () => {
      assert.deepEqual(found({ [file]: text }), [said]);
    });

  it("a name that two files of the store export", () => {
    const more = {
      "appliance/store/engines.ts":
        'import { size as ofFile } from "./sqlite/database.ts";\nexport const size = ofFile;',
      "appliance/store/sqlite/database.ts": "export const size = 1;",
      "appliance/store/store.ts": 'import { size } from "./engines.ts";',
    };
    assert.deepEqual(found(more), [
      "appliance/store/engines.ts and appliance/store/sqlite/database.ts export size",
    ]);
  });

  it("a room of the web that knows another", () => {
    const more = {
      "web/control/main.ts": 'import "../dashboard/page.ts";',
      "scripts/build-web.ts": '"web/control/main.ts";',
    };
    assert.deepEqual(found(more), ["web/control/main.ts knows web/dashboard/page.ts"]);
  });

  it("two exports of one name", () => {
    const more = {
      "appliance/traffic/alarms/pixels.ts": "export interface Pixels {}",
      "appliance/traffic/alarms/alarms.ts": 'import type { Pixels } from "./pixels.ts";',
    };
    assert.deepEqual(found(more), [
      "appliance/deck/pixels.ts and appliance/traffic/alarms/pixels.ts export Pixels",
    ]);
  });

  it("a folder of more than twenty files", () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const more = {
      ...Object.fromEntries(names.map((name) => [`appliance/traffic/alarms/${name}.ts`, ""])),
      "appliance/traffic/alarms/alarms.ts": names
        .map((name) => `import "./${name}.ts";`)
        .join("\n"),
    };
    assert.deepEqual(found(more), ["appliance/traffic/alarms has 21 files side by side"]);
  });

  it("a test that the service knows", () => {
    const more = {
      "test/helpers/world.ts": "",
      "appliance/app/service/service.ts": 'import "../../../test/helpers/world.ts";',
    };
    assert.deepEqual(found(more), ["appliance/app/service/service.ts knows test/helpers/world.ts"]);
  });
});
