import assert from "node:assert/strict";
import type { Condition } from "../../../../appliance/base/text/condition.ts";
import { exportName, toCsv } from "../../../../web/dashboard/traffic/csv.ts";
import { day, historyOf } from "../history-of.ts";

const history = historyOf("2026-03-03", [{ pv: 2, bot: 4 }, { pv: 3 }], {
  path: { "=1+1": [0, 1], 'a "b", c': [1, 2], "/x\ny": [1, 1], "/old": [0, 7] },
  bot: { ua: [0, 3], synthetic: [1, 1] },
  bot_kind: { googlebot: [1, 3] },
});
const range = { from: day("2026-03-04"), to: day("2026-03-04") };
const whole = { from: day("2026-03-03"), to: day("2026-03-04") };

describe("the CSV export", () => {
  it("has a row per value of the range", () => {
    const csv = toCsv(history, range);
    assert.ok(csv.startsWith("dimension,value,count,of\r\n"));
    assert.ok(csv.includes("pv_by_day,2026-03-04,3,\r\n"));
    assert.ok(!csv.includes("/old"));
  });

  it("says what each value is counted by", () => {
    const daily = { path: { "/a": [0, 1] }, entry: { "/a": [0, 2] }, event: { go: [0, 3] } };
    const of = historyOf("2026-03-04", [{}], daily, {}, {}, { of: "visitors" });
    const csv = toCsv(of, range);
    for (const row of ["path,/a,1,visitors", "entry,/a,2,sessions", "event,go,3,views"])
      assert.ok(csv.includes(`${row}\r\n`), row);
  });

  it("always has the bots", () => {
    const csv = toCsv(history, range);
    for (const row of ["bot,synthetic,1", "bot_kind,googlebot,3"])
      assert.ok(csv.includes(row), row);
  });

  it("quotes what holds separators, quotes or line breaks", () => {
    const csv = toCsv(history, range);
    assert.ok(csv.includes('path,"a ""b"", c",2,views\r\n'));
    assert.ok(csv.includes('path,"/x\ny",1,views\r\n'));
  });

  it("never lets a spreadsheet run a value", () => {
    assert.ok(toCsv(history, whole).includes("path,'=1+1,1,views\r\n"));
    for (const start of ["+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"]) {
      const hostile = historyOf("2026-03-04", [{}], { ref: { [`${start}x`]: [0, 1] } });
      assert.match(toCsv(hostile, range), /ref,"?'/, JSON.stringify(start));
    }
  });

  it("is named after the site and the days", () => {
    assert.equal(exportName(history, whole), "blog_2026-03-03_2026-03-04");
  });

  it("says in its name and in each row which source it is of alone", () => {
    const sources = [
      { number: 0, kind: "now", name: "here" },
      { number: 2, kind: "copy", name: "=old, box" },
      { number: 3, kind: "copy" },
    ] as const;
    const of = (only: number) =>
      historyOf(
        "2026-03-04",
        [{ pv: 3 }],
        { path: { "/a": [0, 3] } },
        {},
        { only, sources: [...sources] },
      );
    assert.equal(exportName(of(2), range), "blog_source-2_2026-03-04_2026-03-04");
    assert.ok(toCsv(of(2), range).startsWith("dimension,value,count,of,source\r\n"));
    assert.ok(toCsv(of(2), range).includes('path,/a,3,views,"copied from =old, box"\r\n'));
    assert.ok(toCsv(of(0), range).includes("pv_by_day,2026-03-04,3,,counted here\r\n"));
    assert.ok(toCsv(of(3), range).includes("path,/a,3,views,copied (source 3)\r\n"));
  });
});

describe("the CSV export of what is filtered", () => {
  const where: Condition[] = [
    { dimension: "path", test: "begins", value: "/a b/" },
    { dimension: "utm_campaign", test: "not", value: "=x" },
  ];
  const of = historyOf("2026-03-04", [{ pv: 3 }], { path: { "/a": [0, 3] } }, {}, {}, { where });

  it("says so in its name, without what file systems know as their own", () => {
    const days = "2026-03-04_2026-03-04";
    assert.equal(exportName(of, range), `blog_path-begins-a-b-_utm_campaign-not-x_${days}`);
    const long = { ...of, where: [{ ...where[0], value: "/x".repeat(200) } as Condition] };
    assert.ok(exportName(long, range).length < 120);
  });

  it("says so in each row", () => {
    const csv = toCsv(of, range);
    assert.ok(csv.startsWith("dimension,value,count,of,where\r\n"));
    assert.ok(csv.includes("path,/a,3,views,path:begins:/a b/ & utm_campaign:not:=x\r\n"));
  });
});

describe("a history", () => {
  it("keeps a value that is called like a part of JavaScript", () => {
    const answer = JSON.parse('{"__proto__":[0,5],"constructor":[0,2]}');
    const odd = historyOf("2026-03-04", [{}], { path: answer });
    const csv = toCsv(odd, range);
    assert.ok(csv.includes("path,__proto__,5,views\r\n"));
    assert.ok(csv.includes("path,constructor,2,views\r\n"));
  });
});
