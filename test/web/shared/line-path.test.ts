import assert from "node:assert/strict";
import { linePath } from "../../../web/shared/line-path.ts";

describe("the line of a week", () => {
  it("reaches from zero at the lower edge to the highest day below the upper one", () => {
    assert.equal(linePath([0, 5, 10]), "M0,30L50,15.5L100,1");
  });

  it("lies on the lower edge where nothing was counted", () => {
    assert.equal(linePath([0, 0]), "M0,30L100,30");
  });
});
