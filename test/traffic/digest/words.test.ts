import assert from "node:assert/strict";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import type { DigestFigures } from "../../../appliance/traffic/digest/figures.ts";
import { digestText, keyText, subjectOf } from "../../../appliance/traffic/digest/words.ts";

const ZONE = new DayZone({ zone: "Europe/Zurich", before: null });
const WEEK: DigestFigures = {
  site: "my-blog",
  every: "week",
  from: "2026-11-19",
  to: "2026-11-25",
  zone: "Europe/Zurich",
  isFirst: false,
  visitors: { now: 1234, before: 1102 },
  views: { now: 2000, before: 4000 },
  sessions: { now: 0, before: 0 },
  pages: [
    ["/", 1500],
    [`/a/${"long/".repeat(30)}`, 20],
  ],
  sources: [["direct", 900]],
  rose: [
    { page: "/", now: 1500, before: 300 },
    { source: "news.example", now: 120, before: 0 },
  ],
  fell: [{ page: `/a/${"long/".repeat(30)}`, now: 20, before: 3_000 }],
  goals: [{ name: "Signup", now: 12, before: 0 }],
  alarms: [
    { site: "my-blog", kind: "silence", since: Date.UTC(2026, 10, 24, 13, 5), until: null },
    {
      site: "my-blog",
      kind: "rush",
      since: Date.UTC(2026, 10, 22, 23, 30),
      until: Date.UTC(2026, 10, 23, 1, 0),
    },
  ],
};

describe("a digest in words", () => {
  it("is one screen of plain text", () => {
    assert.equal(
      digestText(WEEK, ZONE),
      `my-blog, 2026-11-19 to 2026-11-25 (Europe/Zurich)

Visitors  1,234  +12% (1,102 the week before)
Views     2,000  −50% (4,000 the week before)
Sessions      0  as the week before

Pages
  /                                                        1,500
  /a/long/long/long/long/long/long/long/long/long/long/l…     20

Sources
  direct  900

Rose most against the week before
  /                  1,500  +1,200
  from news.example    120  +120

Fell most against the week before
  /a/long/long/long/long/long/long/long/long/long/l…  20  −2,980

Goals
  Signup  12  new (0 the week before)

Alarms
  Silent from 2026-11-24 14:05, still
  Rush from 2026-11-23 00:30, until 2026-11-23 02:00`,
    );
  });

  it("says the day where it is of one", () => {
    const day = { ...WEEK, every: "day", from: "2026-11-25" } as const;
    assert.match(digestText(day, ZONE), /^my-blog, 2026-11-25 \(Europe\/Zurich\)\n/);
    assert.match(digestText(day, ZONE), /\(1,102 the Wednesday before\)/);
  });

  it("leaves out what there is nothing of", () => {
    const none = { ...WEEK, pages: [], sources: [], rose: [], fell: [], goals: [], alarms: [] };
    assert.equal(digestText(none, ZONE).split("\n").length, 5);
  });

  it("names five alarms, and says how many more there were", () => {
    const [alarm] = WEEK.alarms;
    const many = { ...WEEK, alarms: Array.from({ length: 40 }, () => alarm as never) };
    assert.match(digestText(many, ZONE), /still\n {2}and 35 more$/);
  });

  it("lets no name speak to a terminal", () => {
    const name = "/\u001b[31m\u0007";
    const hostile = {
      ...WEEK,
      pages: [[name, 1]] as const,
      rose: [{ source: name, now: 90, before: 0 }],
    };
    assert.match(digestText(hostile, ZONE), / {2}\/\?\[31m\? {2}1$/m);
    assert.match(digestText(hostile, ZONE), / {2}from \/\?\[31m\? {2}90 {2}\+90$/m);
  });

  it("says what is not known, and compares nothing with it", () => {
    const unknown: DigestFigures = {
      ...WEEK,
      visitors: { now: 1234, before: null },
      views: { now: null, before: 4000 },
    };
    const text = digestText(unknown, ZONE);
    assert.match(text, /Visitors +1,234 +not known of the week before$/m);
    assert.match(text, /Views +– +not known of these days$/m);
    assert.equal(subjectOf(unknown), "my-blog: 1,234 visitors");
    assert.equal(keyText(unknown), "1,234 visitors\n7 days");
    const none = { ...unknown, visitors: { now: null, before: null } };
    assert.equal(subjectOf(none), "my-blog: visitors not known");
  });

  it("has a subject, and a text for a key", () => {
    assert.equal(subjectOf(WEEK), "my-blog: 1,234 visitors, +12%");
    assert.equal(subjectOf({ ...WEEK, visitors: { now: 1, before: 1 } }), "my-blog: 1 visitor");
    assert.equal(keyText(WEEK), "1,234 visitors\n7 days +12%");
  });
});
