import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { found } from "./sound.ts";

describe("a way around the walls is found", () => {
  const ways: readonly [what: string, file: string, text: string, said: string][] = [
    [
      "an import of a template",
      "appliance/base/names.ts",
      "const { open } = await import(`../store/sqlite/database.ts`);",
      "appliance/base/names.ts hands import() what is no text in quotes",
    ],
    [
      "an import of whatever a variable says",
      "appliance/base/names.ts",
      'const there = "../store/sqlite/database.ts";\nconst { open } = await import(there);',
      "appliance/base/names.ts hands import() what is no text in quotes",
    ],
    [
      "an import of a variable within a template",
      "appliance/base/names.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
      "const said = `${await import(there)}`;",
      "appliance/base/names.ts hands import() what is no text in quotes",
    ],
    [
      "a package that is required",
      "appliance/base/names.ts",
      'createRequire(import.meta.url)("better-sqlite3");',
      "appliance/base/names.ts knows better-sqlite3",
    ],
    [
      "a room above that is required",
      "appliance/base/names.ts",
      'createRequire(import.meta.url)("../store/sqlite/database.ts");',
      "appliance/base/names.ts knows appliance/store/sqlite/database.ts",
    ],
    [
      "what requires whatever it is told",
      "appliance/base/names.ts",
      "const load = createRequire(import.meta.url);",
      "appliance/base/names.ts hands createRequire what is no text in quotes",
    ],
    [
      "what requires, under another name",
      "appliance/store/store.ts",
      'import { createRequire as made } from "node:module";\nmade(import.meta.url)("usb");',
      "appliance/store/store.ts hands createRequire what is no text in quotes",
    ],
    [
      "a package of which the place is asked",
      "appliance/base/names.ts",
      'import.meta.resolve("better-sqlite3");',
      "appliance/base/names.ts knows better-sqlite3",
    ],
    [
      "a place that a variable names",
      "appliance/base/names.ts",
      "import.meta.resolve(there);",
      "appliance/base/names.ts hands import.meta.resolve what is no text in quotes",
    ],
  ];
  for (const [what, file, text, said] of ways)
    it(what, () => {
      assert.deepEqual(found({ [file]: text }), [said]);
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
