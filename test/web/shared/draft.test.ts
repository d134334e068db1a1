import assert from "node:assert/strict";
import { type Draft, draftUrl, readDraft } from "../../../web/shared/draft.ts";

const BOX = "http://tallydeck.local:3000";
const read = (query: string) => readDraft(new URLSearchParams(query));

describe("what a link of the dashboard fills in", () => {
  const drafts: Draft[] = [
    { kind: "share", where: [] },
    {
      kind: "share",
      where: [
        { dimension: "path", test: "begins", value: "/a:b&c=d #e" },
        { dimension: "country", test: "not", value: "DE" },
      ],
    },
    { kind: "mark", day: "2026-02-28" },
    { kind: "goal", of: "event", value: "a:b & c=d*e" },
    { kind: "goal", of: "page", value: "/thanks" },
    { kind: "view", query: "" },
    { kind: "view", query: "period=7d&metric=pv&where=path%3Ais%3A%2Fa%26b%3Dc" },
  ];

  it("comes back whole, below the site's own address", () => {
    for (const draft of drafts) {
      const url = new URL(draftUrl(BOX, "blog", draft));
      assert.ok(url.href.startsWith(`${BOX}/?tab=sites&site=blog&${draft.kind}=`), url.href);
      assert.deepEqual(readDraft(url.searchParams), draft);
    }
  });

  it("is nothing where the address asks for nothing", () => {
    assert.equal(read("?tab=sites&site=blog"), null);
  });

  it("is a mark on a day that there is", () => {
    for (const wrong of [
      "",
      "2026-02-30",
      "today",
      "2026-1-1",
      "2026-01-01T00:00",
      "<b>",
      "-000001-01-01",
    ])
      assert.equal(read(`mark=${wrong}`), null, wrong);
  });

  it("is a goal of an event or of a page that may have been counted", () => {
    for (const wrong of [
      "",
      "signup",
      "event:",
      ":signup",
      "view:signup",
      "constructor:signup",
      "page:thanks",
      "page:/thanks/*",
      "event:*",
      "event:a%00b",
      "event:a%0Ab",
      `event:${"a".repeat(129)}`,
    ])
      assert.equal(read(`goal=${wrong}`), null, wrong);
    assert.ok(read(`goal=event:${"a".repeat(128)}`));
  });

  it("is a view as the dashboard writes it, with all of its filters", () => {
    const right = "where=path%3Ais%3A%2Fa";
    const view = (query: string) => readDraft(new URLSearchParams({ view: query }));
    assert.ok(view(right));
    for (const wrong of [
      `${right}&where=path`,
      `${right}&site=shop`,
      "period=fortnight",
      "<b>",
      `?${right}`,
      `source=${"x".repeat(2_000)}`,
      `${right}%0A`,
    ])
      assert.equal(view(wrong), null, wrong);
  });

  it("is no share at all where one of its filters is wrong, which would show more than was meant", () => {
    const right = "share=path:is:/about";
    assert.ok(read(right));
    for (const wrong of [
      "path",
      "path:is:",
      "path:ends:x",
      ":is:x",
      "app_os:is:linux",
      "constructor:is:x",
      `path:is:/${"a".repeat(128)}`,
      "path:is:/a%00b",
      "path:is:/%0Ab",
      "path:is:/%ED%A0%80%00",
    ])
      assert.equal(read(`${right}&share=${wrong}`), null, wrong);
    assert.ok(read(Array(8).fill(right).join("&")));
    assert.equal(read(Array(9).fill(right).join("&")), null);
  });
});
