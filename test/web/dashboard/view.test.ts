import assert from "node:assert/strict";
import { formatView, parseView, type View } from "../../../web/dashboard/view.ts";
import { day } from "./history-of.ts";

const plain = parseView("");

describe("the view in the address", () => {
  it("comes back whole", () => {
    const view: View = {
      site: "blog",
      source: "3",
      tab: "surveys",
      choice: { period: "custom", from: day("2026-01-01"), to: day("2026-01-31") },
      compare: "year",
      metric: "bounceRate",
      unit: "week",
      where: [
        { dimension: "path", test: "begins", value: "/a:b,c&d=e" },
        { dimension: "ref", test: "not", value: "direct" },
      ],
      filter: "a & b=c",
      layout: "bars",
      open: ["path", "ref"],
      front: ["lang"],
      sv: 3,
      cross: "dv",
      question: "found-by",
    };
    assert.deepEqual(parseView(formatView(view)), view);
  });

  it("is short where nothing was chosen", () => {
    assert.equal(formatView({ ...plain, site: "blog" }), "?site=blog");
    assert.equal(formatView(plain), "");
  });

  it("keeps a period that was moved, and lets one that was not roll on", () => {
    const moved: View = { ...plain, choice: { period: "7d", end: day("2026-02-25") } };
    assert.equal(formatView(moved), "?period=7d&to=2026-02-25");
    assert.deepEqual(parseView("?period=7d&to=2026-02-25").choice, moved.choice);
    assert.deepEqual(parseView("?period=7d").choice, { period: "7d", end: null });
  });

  it("is the usual one where the address is off shape", () => {
    const odd =
      "?period=x&from=2026-02-30&to=no&metric=evil&view=3d&sv=-1&cross=ip&tab=x&compare=y&where=path&where=:is:x&where=path:is:&where=app_os:is:x&where=path:ends:x&by=second";
    assert.deepEqual(parseView(odd), plain);
  });

  it("of the last 24 hours ends now, whatever day the address names", () => {
    const choice = { period: "24h", end: null };
    assert.deepEqual(parseView("?period=24h&to=2026-02-25").choice, choice);
    assert.equal(formatView(parseView("?period=24h&to=2026-02-25")), "?period=24h");
  });

  it("has no place for a token", () => {
    assert.equal(formatView(parseView("?site=blog&token=secret")), "?site=blog");
  });
});
