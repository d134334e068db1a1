import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatDay } from "../../../appliance/base/calendar.ts";
import { eachFolder } from "../../helpers/folder.ts";
import {
  goatcounterCsv,
  goatcounterJson,
  umamiEvents,
  writeZip,
} from "../../helpers/foreign-exports.ts";
import { inspected } from "../../helpers/inspecting.ts";

/** The last second of a day, and the first of the next one, as programs write them. */
const FORMS: readonly (readonly [whose: string, last: string, first: string])[] = [
  ["PostgreSQL in UTC", "2026-01-31 23:59:59.999999+00", "2026-02-01 00:00:00+00"],
  ["PostgreSQL in Berlin", "2026-02-01 00:59:59.123+01", "2026-02-01 01:00:00+01"],
  ["PostgreSQL in São Paulo", "2026-01-31 20:59:59.5-03", "2026-01-31 21:00:00-03"],
  ["PostgreSQL in Kolkata", "2026-02-01 05:29:59.9+05:30", "2026-02-01 05:30:00+05:30"],
  [
    "PostgreSQL of times long ago",
    "2026-02-01 00:19:31.9+00:19:32",
    "2026-02-01 00:19:32+00:19:32",
  ],
  ["MySQL", "2026-01-31 23:59:59", "2026-02-01 00:00:00"],
  ["MySQL with fractions", "2026-01-31 23:59:59.000000", "2026-02-01 00:00:00.000000"],
  ["ClickHouse with a T", "2026-01-31T23:59:59.999", "2026-02-01T00:00:00.000"],
  ["ISO 8601", "2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z"],
  ["ISO 8601 in small letters", "2026-01-31t23:59:59z", "2026-02-01t00:00:00z"],
  ["ISO 8601 with a comma", "2026-01-31T23:59:59,999Z", "2026-02-01T00:00:00,000Z"],
  ["ISO 8601 without seconds", "2026-01-31T23:59Z", "2026-02-01T00:00Z"],
  [
    "ISO 8601 with an offset without a colon",
    "2026-02-01T05:29:59+0530",
    "2026-02-01T05:30:00+0530",
  ],
  ["the end of a day", "2026-01-31T23:59:60Z", "2026-01-31T24:00:00Z"],
  ["a blank before the offset", "2026-02-01 00:59:59 +0100", "2026-02-01 01:00:00 +0100"],
  ["ISO 8601 without signs between", "20260131T235959Z", "20260201T000000Z"],
  ["Go", "2026-01-31 20:59:59.5 -0300 -03", "2026-01-31 21:00:00 -0300 -03"],
  ["Go in UTC", "2026-01-31 23:59:59.123456789 +0000 UTC", "2026-02-01 00:00:00 +0000 UTC"],
  ["a name for UTC", "2026-01-31 23:59:59 UTC", "2026-02-01 00:00:00 UTC"],
  ["seconds since 1970", "1769903999", "1769904000"],
  ["milliseconds since 1970", "1769903999999", "1769904000000"],
];
const NONE = [
  ..."yesterday,2026-02-30 10:00:00,2026-01-31 25:00:00,2026-01-31 10:61:00,2026-01-31 10:00:00+99".split(
    ",",
  ),
  ..."2026-01-31 10:00:00+05:75,2026-01-31 10:00:00 Mars,2026-13-01 10:00:00,infinity,31.01.2026 10:00".split(
    ",",
  ),
];

describe("a time in a file from elsewhere", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  const daysIn = async (name: string) =>
    [...(await inspected([file(name)])).days.keys()].map(formatDay);

  for (const [whose, last, first] of FORMS)
    it(`is read in the form of ${whose}`, async () => {
      const umami = (at: string) => umamiEvents([{ at, path: "/", visitor: "v", visit: "1" }]);
      const goatcounter = (at: string) => goatcounterCsv([{ at, path: "/", session: "a" }]);
      for (const [name, table] of Object.entries({ umami, goatcounter })) {
        writeFileSync(file(`${name}-last.csv`), table(last));
        writeFileSync(file(`${name}-first.csv`), table(first));
        assert.deepEqual(await daysIn(`${name}-last.csv`), ["2026-01-31"]);
        assert.deepEqual(await daysIn(`${name}-first.csv`), ["2026-02-01"]);
      }
    });

  it("is read alike in sums by the hour, whatever the zone of this machine", async () => {
    const files = goatcounterJson(["2026-01-31"]);
    const bent = String(files["hit_stats.jsonl"]).replaceAll(/T(\d\d):00:00Z/g, " $1:00:00");
    await writeZip(file("goat.zip"), {
      ...files,
      "hit_stats.jsonl": bent.replaceAll(" 11:", " 23:"),
    });
    assert.deepEqual(await daysIn("goat.zip"), ["2026-01-31"]);
  });

  it("that is none is told, and counts nothing", async () => {
    const good = { at: "2026-01-31 10:00:00", path: "/", visitor: "v", visit: "1" };
    writeFileSync(file("umami.csv"), umamiEvents([good, ...NONE.map((at) => ({ ...good, at }))]));
    const { days, left } = await inspected([file("umami.csv")]);
    const pvs = [...days.values()].map(({ pv }) => pv);
    assert.deepEqual(pvs, [1]);
    assert.deepEqual(Object.fromEntries(left), { "rows without a day": NONE.length });
  });
});
