import assert from "node:assert/strict";
import {
  COLLECTOR_LIMITS,
  CONTROL_LIMITS,
  descriptorLimit,
  fitting,
} from "../../../appliance/base/http/limits.ts";

describe("the number of connections", () => {
  it("fits what the process may open, with a reserve for files", () => {
    const all = (descriptors: number) =>
      fitting(COLLECTOR_LIMITS, descriptors).total + fitting(CONTROL_LIMITS, descriptors).total;
    assert.equal(all(Number.POSITIVE_INFINITY), COLLECTOR_LIMITS.total + CONTROL_LIMITS.total);
    for (const descriptors of [256, 512, 700]) assert.ok(all(descriptors) <= descriptors - 80);
    assert.ok(all(128) <= 48);
    assert.ok(fitting(CONTROL_LIMITS, 0).total > 0);
  });

  it("is never less in all than of one address", () => {
    const { total, perAddress, perLoopback } = fitting(COLLECTOR_LIMITS, 128);
    assert.ok(perAddress <= total && perLoopback <= total);
  });

  it("knows what the process may open from the system", () => {
    const limits =
      "Limit  Soft  Hard\nMax open files            1024                 4096    files\n";
    const found = descriptorLimit(() => limits);
    assert.equal(found, 1_024);
    assert.ok(descriptorLimit() > 0);
    const unlimited = () => "Max open files   unlimited  unlimited  files\n";
    assert.equal(descriptorLimit(unlimited), Number.POSITIVE_INFINITY);
    const nothing = () => {
      throw new Error("no such file");
    };
    assert.equal(descriptorLimit(nothing), Number.POSITIVE_INFINITY);
  });
});
