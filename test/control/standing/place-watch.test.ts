import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { PlaceWatch } from "../../../appliance/control/standing/place-watch.ts";
import { noticeFace } from "../../../appliance/deck/face/notices.ts";

describe("the key of a box with places", () => {
  const frankfurt = {
    name: "Frankfurt",
    answeredAt: 0,
    hits: 0,
    isFailing: true,
    isBelieved: true,
    silentMs: 10 * 60_000,
  };
  const silent = (silentMs: number | undefined) => ({ ...frankfurt, silentMs });

  /** The lines of the key; undefined where it shows its own widget. */
  const linesOf = (...places: (typeof frankfurt | ReturnType<typeof silent>)[]) => {
    const watch = new PlaceWatch();
    watch.follow({ figures: () => places });
    const trouble = watch.standing();
    assert.equal(watch.warnings().length, trouble === undefined ? 0 : 1);
    if (trouble === undefined) return undefined;
    const face = noticeFace({ type: "place", ...trouble });
    assert.ok(face.kind === "figure");
    return [face.top, face.main, face.bottom];
  };

  for (const [span, ms] of [
    ["10 min", 10 * 60_000],
    ["1 h", HOUR_MS + 59 * 60_000],
    ["3 d", 3 * DAY_MS],
  ] as const)
    it(`names a place from which nothing was fetched for ${span}`, () => {
      assert.deepEqual(linesOf(silent(ms)), ["Frankfurt", "silent", `for ${span}`]);
    });

  it("says that one is not believed", () => {
    assert.deepEqual(linesOf({ ...silent(undefined), isBelieved: false }), [
      "Frankfurt",
      "not believed",
      "",
    ]);
  });

  it("counts them where there are several", () => {
    assert.deepEqual(linesOf(frankfurt, frankfurt), ["2 places", "silent", ""]);
  });

  it("shows its own widget while all answer", () => {
    assert.equal(linesOf(silent(undefined)), undefined);
  });
});
