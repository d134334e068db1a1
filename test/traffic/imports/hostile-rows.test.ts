import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ImportRefused } from "../../../appliance/traffic/imports/refused.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { goatcounterJson, jsonl, writeZip } from "../../helpers/foreign-exports.ts";
import { inspected, valuesOf } from "../../helpers/inspecting.ts";
import { isDrawn } from "../../helpers/long.ts";

/** Values that no tool writes, the first of which has no text of its own. */
const ODD = [{ toString: null, valueOf: null }, [[]], null, true, -1, 1e308, "constructor"];

/** The rows, each with one of its fields odd. */
function* bent(rows: readonly Record<string, unknown>[]): Generator<object[]> {
  for (const [at, row] of rows.entries())
    for (const field of Object.keys(row))
      for (const odd of [...ODD, "__proto__"])
        yield rows.map((each, index) => (index === at ? { ...row, [field]: odd } : each));
}

describe("rows of JSON with values that no tool writes", () => {
  const folder = eachFolder();
  const isReadOrRefused = async (path: string, what: string) => {
    try {
      await inspected([path]);
    } catch (error) {
      assert.ok(error instanceof ImportRefused, `${what}: ${String(error)}`);
    }
  };

  it("end in a sentence, or cost themselves alone, from Matomo", async () => {
    const path = join(folder(), "matomo.jsonl");
    const day = "2026-01-05";
    const totals = { day, report: "VisitsSummary.get", rows: { nb_visits: 2, nb_actions: 3 } };
    const report = (name: string, row: object) => ({ day, report: name, rows: [row] });
    const rows = [
      totals,
      report("Actions.getPageUrls", { label: "/a", url: "https://a.example/a", nb_hits: 3 }),
      report("UserCountry.getCountry", { label: "Germany", code: "de", nb_visits: 2 }),
    ];
    const write = (lines: readonly object[]) =>
      writeFileSync(path, jsonl([{ matomo: 1, zone: "UTC" }, ...lines]));
    for (const lines of bent(rows)) {
      write(lines);
      await isReadOrRefused(path, JSON.stringify(lines));
    }
    for (const {
      report: name,
      rows: [row],
    } of rows.slice(1) as ReturnType<typeof report>[])
      for (const each of bent([row as Record<string, unknown>])) {
        write([totals, { day, report: name, rows: each }]);
        await isReadOrRefused(path, JSON.stringify(each));
      }
    write([...rows, report("constructor", { label: "/b" })]);
    assert.deepEqual(valuesOf(await inspected([path]), "path"), { "/a": 3 });
  });

  it("end in a sentence, or cost themselves alone, from GoatCounter", async () => {
    const path = join(folder(), "goat.zip");
    const files = goatcounterJson(["2026-01-05"]);
    let number = 0;
    for (const [name, text] of Object.entries(files)) {
      const [first = "", ...others] = text.trim().split("\n");
      for (const [row] of bent([JSON.parse(first)])) {
        if (!isDrawn(number++)) continue;
        await writeZip(path, { ...files, [name]: [JSON.stringify(row), ...others, ""].join("\n") });
        await isReadOrRefused(path, `${name}: ${JSON.stringify(row)}`);
      }
    }
  });
});
