import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fitLine,
  fitText,
  type Metrics,
  SOFT_BREAK,
} from "../../../appliance/deck/face/text-fit.ts";

/** A typewriter: every character is half an em wide, every line one em high. */
const typewriter: Metrics = {
  width: (text) => [...text].length * 0.5,
  capHeight: 1,
  overhang: 0,
  lineHeight: 1,
};

/** At size 10, five pixels a character: a box of `columns` × `rows`, and no other size. */
const set = (text: string, columns: number, rows: number, sizes = { min: 10, max: 10 }) =>
  fitText(text, { width: columns * 5, height: rows * 10 }, sizes, typewriter);

const linesOf = (text: string, columns: number, rows: number) => set(text, columns, rows).lines;

describe("text that is fitted", () => {
  it("takes the largest size that fits", () => {
    assert.deepEqual(set("OK", 20, 4, { min: 10, max: 30 }), { size: 30, lines: ["OK"] });
    assert.equal(set("OKOKOKOKOK", 20, 4, { min: 10, max: 30 }).size, 20);
  });

  it("tries no size at which a word would not fit", () => {
    let measured = 0;
    const width = (text: string) => {
      measured += 1;
      return typewriter.width(text);
    };
    const box = { width: 100, height: 400 };
    fitText("a deployment", box, { min: 5, max: 100 }, { ...typewriter, width });
    assert.ok(measured < 50, `${measured} texts measured`);
  });

  it("keeps the lines it was given", () => {
    assert.deepEqual(linesOf("a\nb\n\nc", 10, 4), ["a", "b", "", "c"]);
  });

  it("wraps at spaces", () => {
    assert.deepEqual(linesOf("stand up again", 8, 4), ["stand up", "again"]);
  });

  it("makes lines of like length", () => {
    assert.deepEqual(linesOf("one two three four", 15, 2), ["one two", "three four"]);
  });

  it("shrinks rather than breaks a word", () => {
    assert.deepEqual(set("deployment", 5, 4, { min: 5, max: 10 }), {
      size: 5,
      lines: ["deployment"],
    });
  });

  it("breaks a word that is too long at the smallest size", () => {
    assert.deepEqual(linesOf("abcdefghij", 4, 4), ["abcd", "efgh", "ij"]);
  });

  it("breaks no more often for being larger", () => {
    const { size, lines } = set("abcdefghij", 8, 4, { min: 10, max: 30 });
    assert.deepEqual([size, lines.length], [16, 2]);
  });

  it("ends in an ellipsis when there is no room left", () => {
    assert.deepEqual(linesOf("aaaa bbbb cccc dddd eeee", 4, 2), ["aaaa", "bbb…"]);
  });

  it("draws four lines at most", () => {
    assert.deepEqual(linesOf("a\nb\nc\nd\ne", 10, 9), ["a", "b", "c", "d…"]);
  });

  it("leaves out what trails behind it", () => {
    assert.deepEqual(linesOf("a\n\n  \n", 10, 4), ["a"]);
  });

  it("is nothing when there is nothing to see", () => {
    assert.deepEqual(linesOf(" \n ", 10, 4), []);
  });

  it("breaks softly where it may, without a trace", () => {
    assert.deepEqual(linesOf(`name${SOFT_BREAK}.local`, 6, 2), ["name", ".local"]);
    assert.deepEqual(linesOf(`name${SOFT_BREAK}.local`, 12, 2), ["name.local"]);
  });

  it("never leaves its box", () => {
    const words = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", SOFT_BREAK),
      maxLength: 256,
    });
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (text, columns, rows) => {
          const { size, lines } = set(text, columns, rows, { min: 10, max: 40 });
          assert.ok(lines.length <= 4 && lines.length * size <= Math.max(rows * 10, size));
          for (const line of lines) assert.ok(typewriter.width(line) * size <= columns * 5);
        },
      ),
    );
  });

  it("loses no character while it fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 40 }), (text) => {
        const { lines } = set(text, 14, 4);
        assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
      }),
    );
  });
});

describe("one line that is fitted", () => {
  it("stays whole while it fits", () => {
    assert.equal(fitLine("abcd", 2, typewriter), "abcd");
  });

  it("is shortened to an ellipsis", () => {
    assert.equal(fitLine("abcde", 2, typewriter), "abc…");
    assert.equal(fitLine("ab cde", 2, typewriter), "ab…");
  });
});
