import assert from "node:assert/strict";
import { inOrder, linkOf, valueName } from "../../../../web/dashboard/traffic/values.ts";

const ORIGIN = "https://blog.example";

describe("a value's name", () => {
  for (const [dimension, value, name] of [
    ["country", "DE", "Germany"],
    ["country", "<b>", null],
    ["lang", "fr", "French"],
    ["viewport", "<640", "under 640 pixels"],
    ["viewport", "640-1024", "640 to 1,024 pixels"],
    ["viewport", ">1024", "over 1,024 pixels"],
    ["hi", "150-2000", "150 to 2,000 ms"],
    ["hi", "unknown", null],
    ["hour", "09", "09:00–09:59"],
    ["path", "/caf%C3%A9/%FF", "/café/%FF"],
    ["path", "/100%", null],
    ["ref", "a%20b", null],
  ] as const) {
    it(`of ${dimension} ${value} is ${name ?? "the value itself"}`, () => {
      assert.equal(valueName(dimension, value), name);
    });
  }
});

describe("values in their order", () => {
  const sorted = (dimension: string, values: string[]) =>
    inOrder(
      dimension,
      values.map((value) => ({ value })),
    ).map(({ value }) => value);

  it("are hours, widths and times, with what is no number at the end", () => {
    assert.deepEqual(sorted("hour", ["13", "09", "00"]), ["00", "09", "13"]);
    assert.deepEqual(sorted("viewport", [">1024", "<640", "640-1024"]), [
      "<640",
      "640-1024",
      ">1024",
    ]);
    assert.deepEqual(sorted("hi", ["unknown", ">2000", "150-2000", "<150"]), [
      "<150",
      "150-2000",
      ">2000",
      "unknown",
    ]);
  });

  it("are nothing else", () => {
    assert.deepEqual(sorted("path", ["/b", "/a"]), ["/b", "/a"]);
  });
});

describe("a value's page", () => {
  for (const [dimension, value, link] of [
    ["ref", "news.example", "https://news.example/"],
    ["ref", "direct", null],
    ["ref", "evil.example@other.example", null],
    ["path", "/about", `${ORIGIN}/about`],
    ["path", "//evil.example/x", `${ORIGIN}//evil.example/x`],
    ["path", "/caf\u00e9?#", `${ORIGIN}/caf%C3%A9%3F%23`],
    ["path", `/${"w".repeat(127)}`, null],
    ["path", "javascript:alert(1)", null],
    ["event", "/about", null],
    ["host", "https://example.com", "https://example.com"],
    ["host", "https://", null],
    ["host", "data:text/html,x", null],
  ] as const) {
    it(`of ${dimension} ${value.slice(0, 30)} is ${link ?? "none"}`, () => {
      assert.equal(linkOf(dimension, value, ORIGIN), link);
    });
  }

  it("of a path is none where nobody knows the site's address", () => {
    assert.equal(linkOf("path", "/about", null), null);
  });
});
