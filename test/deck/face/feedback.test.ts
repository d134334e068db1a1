import assert from "node:assert/strict";
import type { Feedback } from "../../../appliance/deck/face/feedback.ts";
import { paint } from "../../../appliance/deck/face/paint.ts";
import type { Pixels } from "../../../appliance/deck/pixels.ts";
import { SIZES } from "./gallery.ts";

const STATES: readonly Feedback[] = [
  { state: "running" },
  { state: "done" },
  { state: "failed", word: "404" },
  { state: "failed", word: "not allowed" },
];
const FACE = { kind: "text", text: "21.5", color: "#ffffff", background: "#000000" } as const;

/** The number of equal rows from the top. */
function sameRows(a: Pixels, b: Pixels): number {
  const off = a.data.findIndex((value, at) => value !== b.data[at]);
  return off === -1 ? a.height : Math.floor(off / (4 * a.width));
}

describe("what came of a press", () => {
  for (const [width, height] of SIZES)
    it(`leaves more than half of what shows, at ${width} × ${height}`, () => {
      const plain = paint(FACE, { width, height });
      for (const state of STATES) {
        const rows = sameRows(plain, paint(FACE, { width, height }, state));
        assert.ok(rows >= height / 2 && rows < height, `${rows} of ${height} rows are left`);
      }
    });

  it("differs in more than its colour", () => {
    const signs = STATES.map((state) => {
      const { data } = paint(FACE, { width: 72, height: 72 }, state);
      return [...data].filter((value, at) => at % 4 === 0 && value > 200).length;
    });
    assert.equal(new Set(signs).size, STATES.length);
  });
});
