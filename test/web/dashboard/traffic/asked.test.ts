import assert from "node:assert/strict";
import { toggleAsked } from "../../../../web/dashboard/traffic/asked.ts";
import { askedTrend } from "../../../../web/dashboard/traffic/trend-asked.ts";
import { day, historyOf } from "../history-of.ts";

const paths = ["/a", "/b", "/c", "/d", "/e"];
const all = paths
  .slice(0, 4)
  .reduce(
    (asked, value) => toggleAsked(asked, "path", value),
    [] as ReturnType<typeof toggleAsked>,
  );
const slots = (asked: typeof all) => asked.map(({ slot, value }) => `${slot}${value}`);

describe("asking for values", () => {
  it("gives each a colour of its own, and the last one to the fifth", () => {
    assert.deepEqual(slots(all), ["1/a", "2/b", "3/c", "4/d"]);
    assert.deepEqual(slots(toggleAsked(all, "path", "/e")), ["1/a", "2/b", "3/c", "4/e"]);
  });

  it("leaves the others their colours when one is taken out", () => {
    const without = toggleAsked(all, "path", "/b");
    assert.deepEqual(slots(without), ["1/a", "3/c", "4/d"]);
    assert.deepEqual(slots(toggleAsked(without, "path", "/e")), ["1/a", "2/e", "3/c", "4/d"]);
  });
});

describe("the chart of a value", () => {
  const history = historyOf("2026-03-03", [{ pv: 100 }, { pv: 40, app: 7 }], {
    path: { "/a": [0, 5, 1, 4] },
    app_os: { linux: [1, 3] },
  });
  const both = { from: day("2026-03-03"), to: day("2026-03-04") };
  const now = Date.parse("2026-03-04T12:00:00Z");
  const asked = toggleAsked([], "path", "/a");

  it("has its days, and the whole behind, made small enough to be seen with it", () => {
    const { lines, before } = askedTrend(history, { range: both, asked, now });
    assert.deepEqual(lines, [{ key: "ask-1", name: "/a", values: [5, 4] }]);
    assert.deepEqual(before?.values, [100, 40]);
    assert.equal(before?.scale, 1 / 20);
    assert.equal(before?.name, "All pageviews, drawn at 1/20");
  });

  it("has the whole that the value is a part of", () => {
    const app = toggleAsked([], "app_os", "linux");
    const { before } = askedTrend(history, { range: both, asked: app, now });
    assert.deepEqual(before?.values, [0, 7]);
  });

  it("goes back two weeks from a single day, for values have no hours", () => {
    const today = { from: both.to, to: both.to };
    const { buckets, lines } = askedTrend(history, { range: today, asked, now });
    assert.equal(buckets.length, 14);
    assert.deepEqual(lines[0]?.values.slice(-2), [5, 4]);
  });

  it("is flat at zero for a value that was never counted", () => {
    const none = toggleAsked([], "none", "x");
    assert.deepEqual(
      askedTrend(history, { range: both, asked: none, now }).lines[0]?.values,
      [0, 0],
    );
  });
});
