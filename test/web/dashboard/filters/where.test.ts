import assert from "node:assert/strict";
import {
  type Condition,
  filterable,
  readConditions,
} from "../../../../appliance/base/text/condition.ts";
import { DIMENSIONS, ONE_OF } from "../../../../appliance/base/text/dimensions.ts";
import { toggled, whereKey } from "../../../../web/dashboard/filters/where.ts";

const about: Condition = { dimension: "path", test: "is", value: "/about" };

describe("what a page is filtered by", () => {
  it("gets a value that is pressed, and loses one that is pressed again", () => {
    const both = toggled([about], "country", "DE");
    assert.deepEqual(both, [about, { dimension: "country", test: "is", value: "DE" }]);
    assert.deepEqual(toggled(both, "country", "DE"), [about]);
  });

  it("keeps what is not, or begins, with the value that is pressed", () => {
    const others: Condition[] = [
      { ...about, test: "not" },
      { ...about, test: "begins" },
    ];
    assert.deepEqual(toggled(others, "path", "/about"), [...others, about]);
  });

  it("is left as it is by a dimension that filters do not know", () => {
    assert.deepEqual(toggled([about], "app_os", "linux"), [about]);
  });

  it("is read with whatever colons a value has", () => {
    const where = readConditions(["path:begins:/a:b", "os:not:Linux"]);
    assert.equal(whereKey(where), '["path:begins:/a:b","os:not:Linux"]');
  });

  it("has a name for each dimension that filters know", () => {
    for (const name of DIMENSIONS)
      assert.equal(ONE_OF[name] === null, filterable(name) === undefined, name);
  });
});
