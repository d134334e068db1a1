import assert from "node:assert/strict";
import { isChannelName, isLabel, isSiteId, siteTokenKey } from "../../appliance/base/names.ts";

const LONGEST = "a".repeat(32);

describe("a name of a site", () => {
  it("is short, begins with a letter or digit, and is not admin", () => {
    for (const id of ["blog", "7", "a-b_c", LONGEST]) assert.ok(isSiteId(id), id);
    for (const id of ["", "-a", "_a", "a.b", "Blog", `${LONGEST}a`, "admin"])
      assert.ok(!isSiteId(id), id);
  });

  it("gives that of its token's setting", () => {
    assert.equal(siteTokenKey("my-site"), "STATS_TOKEN_MY_SITE");
  });
});

describe("a name of a channel", () => {
  it("may have dots, in any case", () => {
    for (const name of ["build", "Front-Door.1", "7_a", LONGEST])
      assert.ok(isChannelName(name), name);
    for (const name of ["", ".a", "a b", "a/b", `${LONGEST}a`, "ä"])
      assert.ok(!isChannelName(name), name);
  });
});

describe("a name of a machine", () => {
  it("is one label", () => {
    for (const name of ["attic", "Attic-2", "a".repeat(63)]) assert.ok(isLabel(name), name);
    for (const name of ["", "-a", "a-", "a.b", "a_b", "a".repeat(64)])
      assert.ok(!isLabel(name), name);
  });
});
