import assert from "node:assert/strict";
import type { Condition } from "../../../../appliance/base/text/condition.ts";
import { alike, isAsked, toggled, withoutNewest } from "../../../../web/dashboard/filters/where.ts";
import { spellingsOf, valueByDay } from "../../../../web/dashboard/history.ts";
import { breakdownsOf } from "../../../../web/dashboard/traffic/breakdown-model.ts";
import { hostName } from "../../../../web/dashboard/traffic/hosts.ts";
import { day, historyOf } from "../history-of.ts";

const range = { from: day("2026-03-03"), to: day("2026-03-05") };
const history = historyOf("2026-03-03", [{}, {}, {}], {
  host: { "https://www.blog.example": [0, 9] },
  ref: {
    "www.news.example": [0, 2, 2, 3],
    "other.example": [0, 4],
    "news.example": [0, 1, 1, 5],
    "blog.example": [1, 7],
    direct: [0, 6],
  },
});
const [, ref] = breakdownsOf(history, range);

describe("hosts that visitors came from", () => {
  it("are the same with and without www", () => {
    assert.deepEqual(
      ref?.rows.map(({ value, count }) => [value, count]),
      [
        ["news.example", 11],
        ["direct", 6],
        ["other.example", 4],
      ],
    );
    const news = { dimension: "ref", value: "news.example" };
    assert.deepEqual([...valueByDay(history, news, range)], [3, 5, 3]);
  });

  it("are not those of the site itself, which are counted beside", () => {
    assert.equal(ref?.inside, 7);
    assert.equal(ref?.total, 21);
  });

  it("are filtered by all of their spellings, on one chip", () => {
    const spellings = spellingsOf(history, "ref", "news.example");
    const browser: Condition = { dimension: "browser", test: "is", value: "Firefox" };
    const where = toggled([browser], "ref", "news.example", spellings);
    const values = where.map(({ value }) => value);
    assert.deepEqual(values, ["Firefox", "www.news.example", "news.example"]);
    assert.ok(where.slice(1).every((one) => isAsked(one, "ref", "news.example")));
    const found = alike(where).map((group) => group.length);
    assert.deepEqual(found, [1, 2]);
    assert.deepEqual(withoutNewest(where), [browser]);
    assert.deepEqual(toggled(where, "ref", "news.example", spellings), [browser]);
  });

  it("have the names that people know, wherever these are below", () => {
    for (const [host, name] of [
      ["google.com", "Google"],
      ["google.co.uk", "Google"],
      ["l.facebook.com", "Facebook"],
      ["news.ycombinator.com", "Hacker News"],
      ["chatgpt.com", "ChatGPT"],
      ["chat.mistral.ai", "Mistral"],
      ["t.co", "X"],
      ["search.yahoo.co.jp", "Yahoo"],
      ["notgoogle.com", null],
      ["google.com.evil.example", null],
      ["direct", null],
      ["", null],
    ] as const)
      assert.equal(hostName(host), name, host);
  });
});
