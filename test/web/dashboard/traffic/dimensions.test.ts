import assert from "node:assert/strict";
import { DIMENSIONS } from "../../../../appliance/store/log/record.ts";
import { breakdownDimensions } from "../../../../web/dashboard/traffic/dimensions.ts";

describe("the dashboard", () => {
  it("has a title and a card for each dimension that is counted", () => {
    const unknown = breakdownDimensions(DIMENSIONS).filter(({ group }) => group === "More");
    assert.deepEqual(unknown, []);
  });

  it("shows one that a newer collector sends, too", () => {
    const [facts] = breakdownDimensions(["new_thing"]);
    assert.deepEqual([facts?.title, facts?.group], ["New thing", "More"]);
  });
});
