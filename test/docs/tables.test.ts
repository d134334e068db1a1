import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { choicesOf, STAT_PERIODS } from "../../appliance/base/input/deck-fields.ts";
import { SETTINGS } from "../../appliance/config/settings.ts";
import { DDNS_NAMES } from "../../appliance/links/public/dns/services.ts";
import { DIMENSIONS } from "../../appliance/store/log/record.ts";
import { madePages } from "../../scripts/make-tables.ts";
import { ACTION_WORDS } from "../../web/control/deck/fields/actions.ts";
import { WIDGET_WORDS } from "../../web/control/deck/fields/widgets.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNIT = "firmware-config/system/etc/systemd/system/tallydeck.service";
const read = (page: string) => readFileSync(join(ROOT, "docs", `${page}.md`), "utf8");

/** The rows of the table of a page whose first column has this head, cell by cell. */
function rowsOf(page: string, head: string): string[][] {
  const lines = read(page).split("\n");
  const at = lines.findIndex((line) => line.split("|")[1]?.trim() === head);
  assert.ok(at >= 0, `docs/${page}.md has no table “${head}”`);
  const rest = lines.slice(at + 2);
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The first cells of each row of a table. */
const beginnings = (page: string, head: string, cells: number) =>
  rowsOf(page, head).map((row) => row.slice(0, cells).join(" "));

describe("the tables of the docs", () => {
  for (const { page, is, made } of madePages())
    it(`say what the code declares: ${page}`, () => {
      assert.equal(is, made, `${page} is not as the code has it. Run: scripts/make-tables`);
    });

  it("have a row for each widget", () => {
    const names = rowsOf("deck", "widget").flatMap(([name = ""]) => name.split(", "));
    assert.deepEqual(
      names.sort(),
      Object.values(WIDGET_WORDS)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("have a row for each action", () => {
    const names = Object.values(ACTION_WORDS).map(({ name }) => name);
    assert.deepEqual(beginnings("deck", "action", 1), names);
  });

  it("have a row for each period of a live number", () => {
    assert.deepEqual(
      beginnings("deck", "over", 2),
      choicesOf(STAT_PERIODS).map(({ id, name }) => `${name} \`${id}\``),
    );
  });

  it("have a row for each setting, but those that the image alone sets", () => {
    const table = read("configuration");
    const image = readFileSync(join(ROOT, UNIT), "utf8");
    const missing = Object.keys(SETTINGS).filter(
      (key) =>
        !new RegExp(`^\\| \`${key}\` +\\|`, "m").test(table) &&
        !new RegExp(`^Environment=(?:.* )?${key}=`, "m").test(image),
    );
    assert.deepEqual(missing, []);
  });

  it("have a row for each provider of dynamic DNS", () => {
    const names = beginnings("public-address", "`DDNS`", 1).filter((name) => /^`\w+`$/.test(name));
    assert.deepEqual(
      names,
      DDNS_NAMES.map((name) => `\`${name}\``),
    );
  });
});

describe("docs/collector-api.md", () => {
  const page = read("collector-api");

  it("says how each dimension is counted", () => {
    const counting = page.slice(0, page.indexOf("\n## Tokens"));
    const missing = DIMENSIONS.filter((name) => !counting.includes(`\`${name}\``));
    assert.deepEqual(missing, []);
  });
});
