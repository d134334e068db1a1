import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "mocha";

const ROOT = join(import.meta.dirname, "..");

/** Who may know whom: files whose path begins with a key import only what begins with a value. */
const MAY_KNOW: Readonly<Record<string, readonly string[]>> = {
  "appliance/main.ts": ["appliance/"],
  "appliance/service/": ["appliance/"],
  "appliance/commands/": ["appliance/"],
  "appliance/config.ts": ["appliance/http/", "appliance/deck/usb/models.ts", "appliance/base/"],
  "appliance/demo/": ["appliance/demo/", "appliance/base/"],
  "appliance/box/systemd.ts": ["appliance/base/"],
  "appliance/base/": ["appliance/base/"],
  "appliance/provision/": ["appliance/provision/", "appliance/config.ts", "appliance/base/"],
  "appliance/box/time-zone.ts": ["appliance/base/"],
  "appliance/box/board.ts": [
    "appliance/control/setup-code.ts",
    "appliance/deck/face/face.ts",
    "appliance/base/",
  ],
  "appliance/box/screen.ts": [
    "appliance/deck/face/face.ts",
    "appliance/deck/face/qr.ts",
    "appliance/base/",
  ],
  "appliance/http/": ["appliance/http/", "appliance/base/"],
  "appliance/store/": ["appliance/store/", "appliance/base/"],
  "appliance/collector/": [
    "appliance/collector/",
    "appliance/http/",
    "appliance/store/",
    "appliance/base/",
  ],
  "appliance/push/": ["appliance/push/", "appliance/base/"],
  "appliance/deck/": ["appliance/deck/", "appliance/base/"],
  "appliance/deck/face/": ["appliance/deck/face/", "appliance/deck/pixels.ts", "appliance/base/"],
  "appliance/deck/usb/": ["appliance/deck/usb/", "appliance/deck/pixels.ts", "appliance/base/"],
  "appliance/deck/decks.ts": ["appliance/deck/", "appliance/push/channels.ts", "appliance/base/"],
  "appliance/control/": [
    "appliance/control/",
    "appliance/http/",
    "appliance/push/",
    "appliance/deck/decks.ts",
    // What settings, ids, widgets and models are, to check what comes in.
    "appliance/deck/deck-settings.ts",
    "appliance/deck/identity.ts",
    "appliance/deck/usb/models.ts",
    "appliance/deck/face/widget.ts",
    "appliance/store/",
    "appliance/base/",
  ],
  "image/": ["image/", "scripts/build-web.ts"],
  "scripts/": ["appliance/", "scripts/"],
  "web/": ["web/", "appliance/base/"],
  "test/": ["appliance/", "image/", "web/", "scripts/", "test/"],
};

/** What answers look like: whose types `web/` may know. */
const WIRES = ["appliance/collector/wire.ts", "appliance/control/wire.ts"];

/** Nobody may import these; they are started. */
const ENTRIES = [
  "test/image/boot/main.ts",
  "appliance/provision/main.ts",
  "appliance/main.ts",
  "appliance/store/sqlite/copies/chores.ts",
  "appliance/store/sqlite/committer.ts",
  "appliance/store/sqlite/reader.ts",
];

interface Import {
  readonly file: string;
  readonly typesOnly: boolean;
}

const sources = ["appliance", "image", "scripts", "test", "web"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .filter((file) => !file.startsWith("web/dist/") && !file.includes("node_modules/"));
const imports = new Map(sources.map((file) => [file, importsOf(file)]));

describe("the structure", () => {
  it("has a rule for every file", () => {
    assert.deepEqual(
      sources.filter((file) => ruleOf(file) === undefined),
      [],
    );
  });

  it("keeps the directions: who may know whom", () => {
    const wrong = edges().filter(
      ([from, { file, typesOnly }]) =>
        !ruleOf(from)?.some((prefix) => file.startsWith(prefix)) &&
        !(from.startsWith("web/") && WIRES.includes(file) && typesOnly),
    );
    assert.deepEqual(wrong, []);
  });

  it("keeps what needs Node out of what browsers run", () => {
    const run = edges().filter(([from, { typesOnly }]) => from.startsWith("web/") && !typesOnly);
    const shipped = new Set(run.map(([, { file }]) => file));
    for (const file of shipped)
      for (const known of imports.get(file) ?? []) if (!known.typesOnly) shipped.add(known.file);
    const needsNode = [...shipped].filter((file) =>
      /^(?:import|export)\s[^;]*?"node:/m.test(readFileSync(join(ROOT, file), "utf8")),
    );
    assert.deepEqual(needsNode, []);
  });

  it("lets nobody know what is only started", () => {
    const wrong = edges().filter(
      ([from, { file, typesOnly }]) =>
        ENTRIES.includes(file) && !typesOnly && !from.startsWith("test/"),
    );
    assert.deepEqual(wrong, []);
  });

  it("has no import cycle", () => {
    assert.deepEqual(cycles(), []);
  });

  it("has no file that nobody uses", () => {
    const builds = readFileSync(join(ROOT, "scripts/build-web.ts"), "utf8");
    const isEntry = (file: string) =>
      ENTRIES.includes(file) ||
      file.startsWith("image/") ||
      file.startsWith("scripts/") ||
      file.endsWith(".test.ts") ||
      builds.includes(`"${file}"`);
    const used = new Set(sources.filter(isEntry));
    for (const file of used) for (const known of imports.get(file) ?? []) used.add(known.file);
    assert.deepEqual(
      sources.filter((file) => !used.has(file)),
      [],
    );
  });
});

function ruleOf(file: string): readonly string[] | undefined {
  const [rule] = Object.entries(MAY_KNOW)
    .filter(([prefix]) => file.startsWith(prefix))
    .sort(([a], [b]) => b.length - a.length);
  return rule?.[1];
}

function edges(): [string, Import][] {
  return [...imports].flatMap(([from, known]) => known.map((to): [string, Import] => [from, to]));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;"']*?from\s+"(\.[^"]+)"|^import\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm,
  );
  return [...statements].map(([, type, ...paths]) => ({
    file: relative(ROOT, join(ROOT, dirname(file), paths.find((path) => path !== undefined) ?? "")),
    typesOnly: type !== undefined,
  }));
}

function cycles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file]);
      return;
    }
    if (done.has(file)) return;
    for (const known of imports.get(file) ?? []) visit(known.file, [...path, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  return found;
}
