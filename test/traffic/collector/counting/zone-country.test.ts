import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countryOfZone } from "../../../../appliance/traffic/collector/counting/zone-country.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const TABLE = "appliance/traffic/collector/counting/zone-table.ts";
const SYSTEM = "/usr/share/zoneinfo";

describe("the country of a time zone", () => {
  it("is that of zone.tab, of which scripts/make-zone-countries makes a table", function () {
    if (!existsSync(`${SYSTEM}/tzdata.zi`)) this.skip();
    const kept = readFileSync(join(ROOT, TABLE), "utf8");
    const made = execFileSync(join(ROOT, "scripts/make-zone-countries"), { encoding: "utf8" });
    const [ours, theirs] = [kept, made].map((text) => /release (\w+)/.exec(text)?.[1]);
    if (ours !== theirs) this.skip();
    assert.equal(kept, made, `Run: scripts/make-zone-countries >${TABLE}`);
  });

  it("is known of all zones that Node names", () => {
    const names = Intl.supportedValuesOf("timeZone");
    assert.deepEqual(
      names.filter((name) => !/^[A-Z]{2}$/.test(countryOfZone(name))),
      [],
    );
  });

  it("is by an old name that of the place, not of where the clock is the same", () => {
    const countries = Object.entries({
      ...{ "Africa/Asmera": "ER", "America/Coral_Harbour": "CA", "Pacific/Truk": "FM" },
      ...{ "Pacific/Ponape": "FM", "Asia/Calcutta": "IN", "Europe/Kiev": "UA" },
    });
    for (const [name, country] of countries) assert.equal(countryOfZone(name), country, name);
  });

  for (const text of [
    ...["UTC", "Etc/UTC", "Etc/GMT-1", "CET", "unknown", "", "/", "Europe", "Europe/"],
    ...[
      "europe/berlin",
      "Europe/Berlin ",
      "Europe/Berlin|",
      "Europe/DE",
      "__proto__",
      "Africa/__proto__",
    ],
    ...["constructor", "Mars/Base", "A".repeat(128)],
  ])
    it(`is none for ${JSON.stringify(text)}`, () => assert.equal(countryOfZone(text), ""));
});
