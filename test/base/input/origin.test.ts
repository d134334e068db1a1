import assert from "node:assert/strict";
import { originOf } from "../../../appliance/base/input/origin.ts";

describe("the origin of an address", () => {
  for (const [address, origin] of [
    ["http://ha.local:8123/api/webhook/door?x=1", "http://ha.local:8123"],
    ["HTTP://HA.local:80", "http://ha.local"],
    ["https://example.org:443/", "https://example.org"],
    ["http://[FE80::1]:8080/x", "http://[fe80::1]:8080"],
    ["http://my_nas.local/", "http://my_nas.local"],
    ["http://0x7f.1/", "http://127.0.0.1"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ] as const)
    it(`of ${address} is ${origin}`, () => {
      assert.equal(originOf(address), origin);
    });

  for (const address of [
    "",
    "ha.local:8123",
    "ftp://ha.local/",
    "file:///etc/passwd",
    "http://",
    "http://me:word@ha.local/",
    "http://@ha.local/",
    "http://ha.local:99999/",
    "http://*",
    "https://*.example.org/",
    "http://a,b/",
    "http://a;b.local/",
  ])
    it(`is none of ${address || "nothing"}`, () => {
      assert.equal(originOf(address), undefined);
    });
});
