import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LACKS } from "../../../appliance/store/reports.ts";
import { ImportRefused } from "../../../appliance/traffic/imports/refused.ts";
import { FIREFOX, WRITERS } from "../../helpers/access-logs.ts";
import { eachFolder } from "../../helpers/folder.ts";
import {
  csv,
  goatcounterCsv,
  goatcounterJson,
  jsonl,
  smallPlausible,
  umamiEvents,
  writePlausible,
  writeZip,
} from "../../helpers/foreign-exports.ts";
import { inspected } from "../../helpers/inspecting.ts";

describe("what is known of the days of an import", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  const gapsOf = async (name: string) => (await inspected([file(name)])).about.gaps;
  const days = ["2026-01-01", "2026-01-02", "2026-01-05"];
  /** From the first to the last day, with those between that have no counts. */
  const all = (...lacks: string[]) => [{ from: days[0], to: days[2], lacks }];

  it("is what its format has: never touches or how pages were read", async () => {
    await writePlausible(file("plausible.zip"), smallPlausible(days));
    assert.deepEqual(await gapsOf("plausible.zip"), all("engaged", "hi", "hours", "time"));
    await writeZip(file("goat.zip"), goatcounterJson(days));
    const noViews = all("pv", "uv", "bounce", "engaged", "hi", "hours", "time");
    assert.deepEqual(await gapsOf("goat.zip"), noViews);
    const totals = days.map((day) => ({
      report: "VisitsSummary.get",
      day,
      rows: { nb_visits: 5 },
    }));
    writeFileSync(file("matomo.jsonl"), jsonl([{ matomo: 1, zone: "UTC" }, ...totals]));
    assert.deepEqual(await gapsOf("matomo.jsonl"), all("engaged", "hi", "hours", "time"));
    const view = { path: "/", visitor: "v", visit: "1", session: "a" };
    const views = days.map((day) => ({ ...view, at: `${day}T10:00:00Z` }));
    writeFileSync(file("umami.csv"), umamiEvents(views));
    assert.deepEqual(await gapsOf("umami.csv"), all("bounce", "hi", "time"));
    writeFileSync(file("goat.csv"), goatcounterCsv(views));
    assert.deepEqual(await gapsOf("goat.csv"), all("bounce", "hi", "time"));
    const line = (day: string) => {
      const at = Date.parse(`${day}T10:00:00Z`);
      return `${WRITERS.combined?.({ at, ip: "192.0.2.1", target: "/", agent: FIREFOX })}\n`;
    };
    writeFileSync(file("access.log"), days.map(line).join(""));
    assert.deepEqual(await gapsOf("access.log"), all("hi", "time"));
  });

  it("is what its tables have", async () => {
    const pages = {
      pages: [["date", "page", "pageviews"], days.map((day) => [day, "/", 3])],
    } as const;
    await writePlausible(file("pages.zip"), pages);
    assert.deepEqual(
      await gapsOf("pages.zip"),
      all("pv", "uv", "sessions", "bounce", "engaged", "hi", "hours", "time"),
    );
    await writeZip(file("few.zip"), {
      "imported_visitors.csv": csv(
        ["date", "pageviews"],
        days.map((day) => [day, 3]),
      ),
    });
    const few = all("uv", "sessions", "bounce", "engaged", "hi", "hours", "time");
    assert.deepEqual(await gapsOf("few.zip"), few);
  });

  it("is refused where an export of ours differs from day to day in more ways than can be noted", async () => {
    const first = Date.UTC(1995, 0, 1);
    const lines = Array.from({ length: 11_000 }, (_, n) => ({
      day: new Date(first + n * 86_400_000).toISOString().slice(0, 10),
      lacks: LACKS.filter((_, bit) => (((n * 2_654_435_761) >>> 7) & (1 << bit)) !== 0),
      counters: { pv: [1] },
      values: {},
    }));
    writeFileSync(file("odd.jsonl"), jsonl([{ tallydeck: 1, zone: "UTC" }, ...lines]));
    await assert.rejects(inspected([file("odd.jsonl")]), (error: Error) => {
      assert.ok(error instanceof ImportRefused);
      return /does not know the same of its days/.test(error.message);
    });
  });
});
