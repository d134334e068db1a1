import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
/** The rooms through which texts of a file go. `visitor` reads 512 characters at most. */
const FILES = globSync(
  [
    "appliance/traffic/imports/**/*.ts",
    "appliance/traffic/collector/counting/*.ts",
    "appliance/control/moving/*.ts",
    "appliance/base/calendar.ts",
    "appliance/base/text/{storable,known-hosts}.ts",
  ],
  { cwd: ROOT },
).filter((file) => !file.endsWith("/visitor.ts"));

/** A regular expression as it is written where a value may stand. */
const LITERAL =
  /(?<=(?:[=(,:?&|![]|=>|\breturn)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)(?=[.,;)\s:\]])/g;

/** So many characters: in a cell of a table a megabyte may stand. */
const LENGTH = 65_536;

describe("a regular expression that reads imported text", () => {
  const found = FILES.flatMap((file) => {
    const code = readFileSync(join(ROOT, file), "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    return [...code.matchAll(LITERAL)].map(([, source = "", flags = ""]) => ({
      file,
      source,
      flags,
    }));
  });

  it("is found wherever there is one", () => {
    const names = found.map(({ file }) => file);
    for (const file of [
      "files/csv",
      "values",
      "moment",
      "goatcounter",
      "ga4",
      "logs/page-rule",
      "logs/reader",
    ])
      assert.ok(names.includes(`appliance/traffic/imports/${file}.ts`), file);
    assert.ok(found.length > 70, `${found.length}`);
  });

  for (const { file, source, flags } of found)
    it(`goes over a long text once: /${source}/${flags} of ${file}`, () => {
      // One that goes over it again from each place takes minutes, and runs into the time limit.
      for (const text of textsFor(source)) text.replace(new RegExp(source, flags), "");
    }).timeout(20_000);
});

/** Texts in which a part of an expression comes again and again, and then something else. */
function* textsFor(source: string): Generator<string> {
  const plain = source.replaceAll(
    /\\[sSdDwWbB]|\\[pP]\{\w+\}|\[(?:\\.|[^\]\\])*\]|\(\?[:=!<]+/g,
    "\n",
  );
  const words = plain.replaceAll(/\\(.)/g, "$1").match(/[^()|?*+{}^$\n]+/g) ?? [];
  const single = new Set([..." \t0a:.-_/\\\"'%[]@", ...words.join("")]);
  const units = new Set([...single, ...words]);
  const some = [...units].slice(0, 24);
  for (const a of some) for (const b of words.slice(0, 4)) units.add(a + b);
  for (const unit of units)
    for (const before of new Set(["", words[0] ?? ""]))
      yield `${before}${unit.repeat(Math.ceil(LENGTH / unit.length))}\u0000`;
}
