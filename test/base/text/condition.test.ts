import assert from "node:assert/strict";
import { conditionsOf } from "../../../appliance/base/input/conditions.ts";
import { conditionText, within } from "../../../appliance/base/text/condition.ts";

const read = (texts: readonly string[]) => conditionsOf(texts, (sentence) => new Error(sentence));
const texts = (bound: readonly string[], asked: readonly string[]) =>
  within(read(bound), read(asked)).map(conditionText);

describe("conditions within others", () => {
  it("hold together", () => {
    assert.deepEqual(texts(["path:begins:/blog"], ["path:is:/a", "country:not:DE"]), [
      ...["path:begins:/blog", "path:is:/a", "country:not:DE"],
    ]);
    assert.deepEqual(texts([], ["path:is:/a", "path:is:/b"]), ["path:is:/a", "path:is:/b"]);
    assert.deepEqual(texts(["path:is:/a"], []), ["path:is:/a"]);
  });

  it("add no alternative", () => {
    assert.deepEqual(texts(["path:is:/a", "path:is:/b"], ["path:is:/b", "path:is:/c"]), [
      ...["path:is:/a", "path:is:/b", "path:not:/a"],
    ]);
    assert.deepEqual(texts(["path:is:/a"], ["path:is:/c"]), ["path:is:/a", "path:not:/a"]);
  });
});
