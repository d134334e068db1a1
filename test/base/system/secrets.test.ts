import assert from "node:assert/strict";
import {
  isSameSecret,
  makeReadToken,
  makeToken,
  sha256,
} from "../../../appliance/base/system/secrets.ts";

describe("a token", () => {
  it("begins with its scheme and holds the random bytes it was given", () => {
    const { token } = makeToken("tdp_", (bytes) => Buffer.alloc(bytes, 0xff));
    assert.match(token, /^tdp_[\w-]{43}$/);
    assert.equal(Buffer.from(token.slice(4), "base64url").toString("hex"), "ff".repeat(32));
  });

  it("comes with the hash that is kept of it", () => {
    const { token, hash } = makeReadToken();
    assert.match(token, /^tdr_/);
    assert.ok(isSameSecret(hash, sha256(token)));
  });

  it("is another each time", () => {
    assert.notEqual(makeReadToken().token, makeReadToken().token);
  });
});

describe("two secrets", () => {
  it("are the same only where all of them is, text or bytes", () => {
    assert.ok(isSameSecret("123456", Buffer.from("123456")));
    for (const other of ["123457", "12345", "1234567", ""])
      assert.ok(!isSameSecret("123456", other), other);
  });
});
