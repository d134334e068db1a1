import assert from "node:assert/strict";
import {
  breakdownsOf,
  filtered,
  inColumns,
  leftOutText,
  type Row,
  shownRows,
} from "../../../../web/dashboard/traffic/breakdown-model.ts";
import { day, historyOf } from "../history-of.ts";

const paths = Object.fromEntries(
  Array.from({ length: 12 }, (_, i): [string, number[]] => [`/page-${i}`, [0, 20 - i, 1, 1]]),
);
const history = historyOf("2026-03-03", [{ pv: 1 }, { pv: 1 }], {
  pv: { _: [0, 1, 1, 1] },
  bot_kind: { googlebot: [0, 3] },
  dowhour: { "3-09": [0, 1] },
  country: { DE: [1, 3], "<b>": [1, 1] },
  path: paths,
  browser: { Firefox: [0, 5] },
  left_out: { host: [0, 8, 1, 1], path: [0, 4] },
  brand_new: { x: [1, 1] },
});
const today = { from: day("2026-03-04"), to: day("2026-03-04") };
const both = { from: day("2026-03-03"), to: day("2026-03-04") };

describe("breakdowns", () => {
  it("are of every dimension counted in the range, in the order of the page", () => {
    const names = breakdownsOf(history, today).map(({ name }) => name);
    assert.deepEqual(names, ["path", "country", "brand_new"]);
  });

  it("name a dimension this page does not know", () => {
    assert.equal(breakdownsOf(history, today).at(-1)?.title, "Brand new");
  });

  it("give each value its count and share, the most frequent first", () => {
    const country = breakdownsOf(history, today).find(({ name }) => name === "country");
    assert.deepEqual(
      country?.rows.map(({ value, name, count, share }) => [value, name, count, share]),
      [
        ["DE", "Germany", 3, 0.75],
        ["<b>", null, 1, 0.25],
      ],
    );
  });

  it("hold all values, not only the first ten", () => {
    assert.equal(breakdownsOf(history, both)[0]?.rows.length, 12);
  });
});

describe("what is left out", () => {
  it("is one line with its reasons, the most frequent first, and no list", () => {
    assert.equal(leftOutText(history, both), "13 left out: 9 from other hosts, 4 by page");
    assert.equal(leftOutText(history, today), "1 left out: 1 from other hosts");
    assert.ok(breakdownsOf(history, both).every(({ name }) => name !== "left_out"));
  });

  it("is no line where nothing was", () => {
    const before = { from: day("2026-03-05"), to: day("2026-03-05") };
    assert.equal(leftOutText(history, before), null);
    assert.equal(leftOutText(historyOf("2026-03-03", [{ pv: 1 }], {}), today), null);
  });
});

describe("the filter", () => {
  const names = (text: string) =>
    filtered(breakdownsOf(history, both), text).map(({ name, rows }) => [name, rows.length]);

  it("searches every value and leaves out dimensions without a match", () => {
    assert.deepEqual(names("page-11"), [["path", 1]]);
    assert.deepEqual(names("FIREF"), [["browser", 1]]);
    assert.deepEqual(names("nowhere"), []);
  });

  it("finds a value by its name and by its code", () => {
    assert.deepEqual(names("germ"), [["country", 1]]);
    assert.deepEqual(names("de"), [["country", 1]]);
  });

  it("keeps the share of the whole dimension", () => {
    const [path] = filtered(breakdownsOf(history, today), "page-3");
    assert.equal(path?.rows[0]?.share, 1 / 12);
  });
});

describe("the cards", () => {
  const groups = ["a", "b", "c", "d"].map((name, i) => {
    const rows = Array.from({ length: [10, 2, 3, 10][i] ?? 0 }, () => ({}) as Row);
    const facts = { name, title: name, tab: name, group: name };
    return {
      name,
      breakdowns: [{ ...facts, counts: "Visitors", total: 1, rows, inside: 0, room: rows.length }],
    };
  });
  const columns = (count: number) =>
    inColumns(groups, count).map((column) => column.map(({ name }) => name).join(""));

  it("go where there is most room", () => {
    assert.deepEqual(columns(1), ["abcd"]);
    assert.deepEqual(columns(2), ["a", "bcd"]);
    assert.deepEqual(columns(4), ["a", "b", "c", "d"]);
  });

  it("show the ten most frequent rows, hours in the order of the day", () => {
    const hour = Object.fromEntries(
      Array.from({ length: 12 }, (_, i): [string, number[]] => [`${10 + i}`, [0, i + 1]]),
    );
    const [hours] = breakdownsOf(historyOf("2026-03-03", [{ pv: 1 }], { hour }), {
      from: day("2026-03-03"),
      to: day("2026-03-03"),
    });
    assert.ok(hours);
    const values = (isOpen: boolean) => shownRows(hours, isOpen).map(({ value }) => value);
    assert.deepEqual([values(false).length, values(false)[0], values(false)[9]], [10, "12", "21"]);
    assert.deepEqual([values(true).length, values(true)[0]], [12, "10"]);
  });
});
