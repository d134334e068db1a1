import assert from "node:assert/strict";
import { rangeName } from "../../../web/shared/dates.ts";
import { day } from "../dashboard/history-of.ts";

describe("days", () => {
  it("are named without saying the same month twice", () => {
    assert.equal(rangeName(day("2026-03-04"), day("2026-03-04")), "4 Mar 2026");
    assert.match(rangeName(day("2026-03-04"), day("2026-03-06")), /^4\s?–\s?6 Mar 2026$/);
  });
});
