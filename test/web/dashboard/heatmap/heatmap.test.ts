import assert from "node:assert/strict";
import { heatmapOf } from "../../../../web/dashboard/heatmap/heatmap-model.ts";
import { day, historyOf } from "../history-of.ts";

// 2026-03-04 is a Wednesday.
const NOW = Date.parse("2026-03-04T12:30:00Z");
const history = historyOf("2026-02-25", new Array(8).fill({}), {
  dowhour: { "3-09": [0, 4, 7, 8], "0-23": [4, 3] },
});
const cellAt = (from: string, weekday: number, hour: number) =>
  heatmapOf(history, {
    range: { from: day(from), to: day("2026-03-04") },
    key: "pv",
    now: NOW,
  })
    .flat()
    .find((cell) => cell.weekday === weekday && cell.hour === hour);

describe("the heatmap", () => {
  it("has a row per day from Monday on and a column per hour", () => {
    const rows = heatmapOf(history, {
      range: { from: day("2026-02-25"), to: day("2026-03-04") },
      key: "pv",
      now: NOW,
    });
    assert.deepEqual(
      rows.map((row) => [row[0]?.weekday, row.length]),
      [1, 2, 3, 4, 5, 6, 0].map((weekday) => [weekday, 24]),
    );
  });

  it("adds up the range and is hottest at the busiest hour", () => {
    const cell = cellAt("2026-02-25", 3, 9);
    assert.deepEqual([cell?.count, cell?.times, cell?.heat], [12, 2, 1]);
    assert.equal(cellAt("2026-02-25", 0, 23)?.heat, 0.5);
  });

  it("counts other figures on the days whose hours are known", () => {
    const hours = new Array<number>(24).fill(0).with(9, 5);
    const visitors = historyOf(
      "2026-02-25",
      [{ uv: 7 }, ...new Array(7).fill({ uv: 5 })],
      {},
      {
        uv: [[7, ...hours]],
      },
    );
    const cells = heatmapOf(visitors, {
      range: { from: day("2026-02-25"), to: day("2026-03-04") },
      key: "uv",
      now: NOW,
    }).flat();
    const at = (weekday: number) =>
      cells.find((cell) => cell.weekday === weekday && cell.hour === 9);
    assert.deepEqual([at(3)?.count, at(3)?.times], [5, 1]);
    assert.equal(at(1)?.times, 0);
  });

  it("takes no imported day whose hours are not known for one without views", () => {
    const gaps = [{ from: "2026-02-26", to: "2026-03-03", lacks: ["hours"] as const }];
    const imported = historyOf(
      "2026-02-25",
      new Array(8).fill({ pv: 16 }),
      { dowhour: { "3-09": [7, 16] } },
      {},
      { gaps },
    );
    const range = { from: day("2026-02-25"), to: day("2026-03-04") };
    const cells = heatmapOf(imported, { range, key: "pv", now: NOW }).flat();
    assert.deepEqual(
      [3, 4].map(
        (weekday) => cells.find((one) => one.weekday === weekday && one.hour === 9)?.times,
      ),
      [2, 0],
    );
  });

  it("shows nothing for days outside the range or hours after now", () => {
    assert.equal(cellAt("2026-03-04", 2, 9)?.times, 0);
    assert.equal(cellAt("2026-03-04", 3, 12)?.times, 1);
    assert.equal(cellAt("2026-03-04", 3, 13)?.times, 0);
  });
});
