import assert from "node:assert/strict";
import { kindOfSource } from "../../../../web/dashboard/traffic/source-kind.ts";

describe("the kind of a source", () => {
  for (const [value, kind] of [
    ["direct", "direct"],
    ["www.google.co.uk", "search"],
    ["chatgpt.com", "assistant"],
    ["Perplexity", "assistant"],
    ["news.ycombinator.com", "social"],
    ["mail.google.com", "mail"],
    ["com.google.android.gm", "mail"],
    ["outlook.live.com", "mail"],
    ["newsletter", "mail"],
    ["mailchimp.example", "other"],
    ["friend.example", "other"],
    ["x".repeat(10_000), "other"],
  ] as const)
    it(`of ${value.slice(0, 30)} is ${kind}`, () => {
      assert.equal(kindOfSource(value), kind);
    });
});
