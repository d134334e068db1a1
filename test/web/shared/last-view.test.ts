import assert from "node:assert/strict";
import { lastViewName } from "../../../web/shared/last-view.ts";

describe("the newest view of a site", () => {
  const now = Date.parse("2026-03-04T12:00:00Z");

  for (const [last, name] of [
    ["2026-03-04T12", "this hour"],
    ["2026-03-04T11", "1 hour ago"],
    ["2026-03-03T13", "23 hours ago"],
    ["2026-03-03T12", "yesterday"],
    ["2026-03-03", "yesterday"],
    ["2026-03-04", "today"],
    ["2026-03-02T23", "on 2 Mar"],
    ["2025-11-03T10", "on 3 Nov"],
    ["2025-03-04T12", "on 4 Mar 2025"],
  ] as const)
    it(`of ${last} was ${name}`, () => {
      assert.equal(lastViewName(last, now), name);
    });
});
