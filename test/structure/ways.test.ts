import assert from "node:assert/strict";
import { found } from "./sound.ts";

describe("a way around the walls is found", () => {
  const ways: Readonly<Record<string, readonly [text: string, said: string, file?: string]>> = {
    "an import of a template": [
      "const { open } = await import(`../store/sqlite/database.ts`);",
      "hands import() what is no text in quotes",
    ],
    "an import of whatever a variable says": [
      'const there = "../store/sqlite/database.ts";\nconst { open } = await import(there);',
      "hands import() what is no text in quotes",
    ],
    "an import of a variable within a template": [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
      "const said = `${await import(there)}`;",
      "hands import() what is no text in quotes",
    ],
    "a package that is required": [
      'createRequire(import.meta.url)("better-sqlite3");',
      "knows better-sqlite3",
    ],
    "a room above that is required": [
      'createRequire(import.meta.url)("../store/sqlite/database.ts");',
      "knows appliance/store/sqlite/database.ts",
    ],
    "what requires whatever it is told": [
      "const load = createRequire(import.meta.url);",
      "hands createRequire what is no text in quotes",
    ],
    "what requires, under another name": [
      'import { createRequire as made } from "node:module";\nmade(import.meta.url)("usb");',
      "hands createRequire what is no text in quotes",
      "appliance/store/store.ts",
    ],
    "a package of which the place is asked": [
      'import.meta.resolve("better-sqlite3");',
      "knows better-sqlite3",
    ],
    "a place that a variable names": [
      "import.meta.resolve(there);",
      "hands import.meta.resolve what is no text in quotes",
    ],
  };
  for (const [what, [text, said, file = "appliance/base/names.ts"]] of Object.entries(ways))
    it(what, () => {
      assert.deepEqual(found({ [file]: text }), [`${file} ${said}`]);
    });

  for (const [how, given] of [
    ["name", 'export { default as Sqlite } from "better-sqlite3";'],
    ["name under another", "export { Sqlite };"],
    ["type", "export type Sqlite = Sqlite.Database;"],
    ["type within another", "export interface Sqlite {\n  readonly db: Sqlite.Database;\n}"],
    ["type in what a function gives", "export function Sqlite(): Sqlite.Database {\n}"],
    ["type in what a class gives", "export class Sqlite {\n  readonly db: Sqlite.Database;\n}"],
    ["type by way of another", "type Own = Sqlite.Database;\nexport type Sqlite = Own[];"],
  ] as const)
    it(`a package's ${how} that a door passes on`, () => {
      const more = {
        "appliance/store/sqlite/database.ts": given,
        "appliance/store/sqlite/committer.ts": 'export { Sqlite as Passed } from "./database.ts";',
        "appliance/store/engines.ts":
          'import { Sqlite } from "./sqlite/database.ts";\nimport type { Passed } from "./sqlite/committer.ts";',
      };
      assert.deepEqual(found(more), [
        "appliance/store/engines.ts takes better-sqlite3 as Sqlite of appliance/store/sqlite/database.ts",
        "appliance/store/engines.ts takes better-sqlite3 as Passed of appliance/store/sqlite/committer.ts",
      ]);
    });

  it("all of a package that a door passes on", () => {
    const more = { "appliance/store/sqlite/database.ts": 'export * from "better-sqlite3";' };
    assert.deepEqual(found(more), [
      "appliance/store/engines.ts takes better-sqlite3 as open of appliance/store/sqlite/database.ts",
    ]);
  });
});
