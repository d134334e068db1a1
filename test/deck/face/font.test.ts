import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { paint } from "../../../appliance/deck/face/paint.ts";
import { drawableCharacters } from "../../helpers/drawable.ts";
import { colorsOf } from "../pictures.ts";

const ROOT = join(import.meta.dirname, "../../..");

const pictureOf = (text: string, size: number) => {
  const face = { kind: "text", text, color: "#ffffff", background: "#000000" } as const;
  return Buffer.from(paint(face, { width: size, height: size }).data).toString("latin1");
};

/** The hollow box that a canvas draws for what no font has, alone and in company. */
const BOXES = ["\u{10ffff}", "\u{e000}"];

describe("the fonts of the keys", () => {
  it("have what the table of drawable characters says, which scripts/make-drawable makes", () => {
    const made = execFileSync(join(ROOT, "scripts/make-drawable"), { encoding: "utf8" });
    assert.equal(readFileSync(join(ROOT, "appliance/deck/push/drawable.ts"), "utf8"), made);
  });

  it("draw the characters that a text may hold, none as the box for a missing one", () => {
    const boxes = new Set(BOXES.map((missing) => pictureOf(missing, 40)));
    const blank = pictureOf("", 40);
    // Each costs a millisecond: every seventh, the signs that are sent most, and of each font some.
    const tried = drawableCharacters().filter((one, i) => i % 7 === 0 || "✓✗↑↓→←°".includes(one));
    const bad = tried.filter((character) => {
      const picture = pictureOf(character, 40);
      return character !== " " && (picture === blank || boxes.has(picture));
    });
    assert.deepEqual(bad, []);
  });

  it("draw the arrows to the side as the arrow up, turned", () => {
    const ink = (text: string) => {
      const face = { kind: "text", text, color: "#ffffff", background: "#000000" } as const;
      return colorsOf(paint(face, { width: 72, height: 72 })).map((row) =>
        row.map((color) => Number(color !== "#000000")),
      );
    };
    const extent = (grid: number[][]) => {
      const rows = grid.flatMap((row, y) => (row.includes(1) ? [y] : []));
      const columns = [...Array(72).keys()].filter((x) => grid.some((row) => row[x] === 1));
      return [columns.length, rows.length];
    };
    const [wide = 0, high = 0] = extent(ink("→"));
    assert.ok(wide > 1.3 * high);
    const heavier = (grid: number[][]) => {
      const column = (x: number) => grid.reduce((sum, row) => sum + (row[x] ?? 0), 0);
      const widest = [...Array(72).keys()].sort((a, b) => column(b) - column(a))[0] ?? 0;
      return widest > 36 ? "right" : "left";
    };
    assert.deepEqual([heavier(ink("→")), heavier(ink("←"))], ["right", "left"]);
  });
});
