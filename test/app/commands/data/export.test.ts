import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { DEMO_DAYS, demoDays } from "../../../../appliance/traffic/demo/demo.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { change } from "../../../helpers/copying.ts";
import { addDays } from "../../../helpers/counted-days.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { jsonl } from "../../../helpers/foreign-exports.ts";
import { isLong } from "../../../helpers/long.ts";
import { addSite } from "../../../helpers/stored-sites.ts";
import { untilTold } from "../../../helpers/until.ts";
import { serviceOn } from "../../../helpers/world.ts";

const ago = (days: number) => formatDay(dayOf(Date.now()) - days);
/** More days than have detail. */
const FILLED = isLong ? DEMO_DAYS : 100;

/** The questions that an owner asks, of days that are over. */
const QUESTIONS = [
  ...[1, 7, 30, 90, 365].flatMap((days) => [
    `/stats?site=blog&from=${ago(days)}&to=${ago(1)}`,
    `/stats?site=blog&from=${ago(days)}&to=${ago(1)}&series=1`,
    `/stats?site=blog&from=${ago(days)}&to=${ago(1)}&series=1&daily=1`,
  ]),
  ...["views", "visitors", "sessions"].map(
    (of) => `/stats?site=blog&from=${ago(30)}&to=${ago(1)}&of=${of}&entry=1`,
  ),
  ...[
    "path:is:/",
    "path:begins:/blog",
    "country:is:DE",
    "country:not:US",
    "browser:is:Firefox",
    "device:is:mobile",
    "source:is:direct",
    "ref_group:is:search",
    "lang:is:de",
    "event:is:outbound",
  ].map(
    (where) => `/stats?site=blog&from=${ago(30)}&to=${ago(1)}&where=${encodeURIComponent(where)}`,
  ),
  `/stats?site=blog&from=${ago(30)}&to=${ago(1)}&where=path:is:/&where=country:is:DE&series=1`,
  `/goals?site=blog&from=${ago(30)}&to=${ago(1)}`,
  `/marks?site=blog`,
  `/surveys/versions?site=blog`,
];

describe("tallydeck export", () => {
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);
  const run = (name: string, ...args: string[]) => tallydeck([...args, "--data-dir", at(name)]);

  /** A site with everything: many days, those of the last three months with detail, events, surveys, a goal and a mark. */
  const whole = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  before(async () => {
    const today = dayOf(Date.now());
    change(whole, (db) => {
      addSite(db, "blog");
      const days = [...demoDays(Date.now())]
        .filter(({ day }) => day < today && day >= today - FILLED)
        .map((each) => ({ ...each, site: "blog" }));
      addDays(db, days, today - 89);
    });
    const mark = ["mark", "blog", "Released", "--day", ago(9), "--data-dir", whole];
    assert.equal((await tallydeck(mark)).code, 0);
  });
  after(() => rmSync(whole, { recursive: true }));

  const fillWhole = (name: string) => cpSync(whole, at(name), { recursive: true });

  it("writes everything, from which another box has the same answers", async () => {
    fillWhole("box");
    await run("box", "leave-out", "blog", "--hosts", "blog.example", "--paths", "/draft/*");
    await run("box", "values", "merge", "blog", "path", "/about", "/");
    const file = at("blog.jsonl.gz");
    const { code, out } = await run(
      "box",
      "export",
      "--site",
      "blog",
      "--format",
      "jsonl",
      "--to",
      file,
    );
    assert.deepEqual([code, out], [0, `Wrote ${file}.\n`]);
    await run("other", "sites", "add", "blog");
    const brought = await run("other", "import", file, "--site", "blog");
    assert.equal(brought.code, 0, brought.err);
    for (const set of [["leave-out"], ["values", "rules"]])
      assert.equal(
        (await run("other", ...set, "blog")).out,
        (await run("box", ...set, "blog")).out,
      );
    assert.match(
      (await run("other", "values", "rules", "blog")).out,
      /^path \/about counts as \/\n$/,
    );
    const env = { SITES: "", STATS_TOKEN: "t" };
    const [box, other] = await Promise.all([
      serviceOn(at("box"), env),
      serviceOn(at("other"), env),
    ]);
    // A service makes values of past days one once it runs.
    for (const service of [box, other])
      await untilTold(async () => {
        const { path } = (
          await service.ask(`/stats?site=blog&from=${ago(365)}&to=${ago(1)}&token=t`)
        ).json;
        return path["/about"] === undefined;
      });
    assert.ok(QUESTIONS.length >= 30);
    for (const question of QUESTIONS) {
      const [ours, theirs] = await Promise.all(
        [box, other].map((service) => service?.ask(`${question}&token=t`)),
      );
      assert.equal(ours?.status, 200, `${question}: ${ours?.text}`);
      assert.deepEqual(theirs?.json, ours?.json, question);
    }
    const versions = (await box.ask("/surveys/versions?site=blog&token=t")).json;
    for (const { sv } of versions.versions as { sv: number }[]) {
      const ask = `/surveys?site=blog&sv=${sv}&token=t`;
      assert.deepEqual((await other.ask(ask)).json, (await box.ask(ask)).json);
    }
    await Promise.all([box.stop(), other.stop()]);
  });

  it("keeps what is known of each day, however often that changes", async () => {
    const days = Array.from({ length: 60 }, (_, n) => ago(60 - n));
    const lacksOf = (n: number) => [["pv", "uv"], [], ["hi", "hours"]][n % 3] ?? [];
    const line = (day: string, n: number) => ({
      day,
      counters: { pv: [1], sessions: [1] },
      values: {},
      lacks: lacksOf(n),
    });
    const gaps = days.flatMap((day, n) =>
      lacksOf(n).length === 0 ? [] : [{ from: day, to: day, lacks: lacksOf(n) }],
    );
    const lines = days.map(line);
    // As it is written, and as it was before.
    const now = [{ tallydeck: 1, zone: "UTC" }, ...lines];
    const before = [
      { tallydeck: 1, zone: "UTC", gaps },
      ...lines.map(({ lacks: _, ...rest }) => rest),
    ];
    for (const [name, written] of Object.entries({ now, before })) {
      writeFileSync(at(`${name}.jsonl`), jsonl(written));
      await run(name, "sites", "add", "blog");
      await run(name, "import", at(`${name}.jsonl`), "--site", "blog");
      await run(name, "export", "--site", "blog", "--format", "jsonl", "--to", at(`${name}.gz`));
      await run(`${name}2`, "sites", "add", "blog");
      await run(`${name}2`, "import", at(`${name}.gz`), "--site", "blog");
      await run(name, "backup", at(`${name}.backup`));
      await tallydeck(["restore", at(`${name}.backup`), "--data-dir", at(`${name}3`)]);
      for (const box of [name, `${name}2`, `${name}3`]) {
        const { out } = await run(box, "stats", "blog", "--days", "90", "--json");
        assert.deepEqual(JSON.parse(out).gaps, gaps, box);
      }
    }
  });

  it("leaves the total of all time as it is, where fewer days are kept", async () => {
    fillWhole("box");
    const file = at("blog.jsonl.gz");
    await run("box", "export", "--site", "blog", "--format", "jsonl", "--to", file);
    await run("other", "sites", "add", "blog");
    const few = { RETENTION_DAYS: "30" };
    const bring = () =>
      tallydeck(["import", file, "--site", "blog", "--data-dir", at("other")], few);
    const { out, err } = await bring();
    // One fewer where midnight comes between both.
    assert.match(out, /^Imported 2[89] days /, err);
    const total = async (name: string, env = {}) => {
      const settings = { SITES: "", STATS_TOKEN: "t", BADGE_SITES: "blog", ...env };
      const service = await serviceOn(at(name), settings);
      const badge = await service.ask("/badge?site=blog&days=all");
      await service.stop();
      return /aria-label="([^"]*)"/.exec(badge.text)?.[1];
    };
    const all = await total("box");
    assert.match(all ?? "", /^views \(all\): \d/);
    assert.equal(await total("other", few), all);
    await bring();
    assert.equal(await total("other", few), all);
  });

  it("writes what Plausible imports, and reads it itself", async () => {
    fillWhole("box");
    const file = at("blog.zip");
    assert.equal(
      (await run("box", "export", "--site", "blog", "--format", "plausible", "--to", file)).code,
      0,
    );
    await run("other", "sites", "add", "blog");
    assert.equal((await run("other", "import", file, "--site", "blog")).code, 0);
    const of = async (name: string) => {
      const { out } = await run(name, "stats", "blog", "--days", "90", "--json");
      const { pv, uv, sessions, country, os, device, source, event, series, ...others } =
        JSON.parse(out);
      const { browser, browser_version, os_version } = others;
      assert.ok(browser_version["Samsung Internet 29"] > 0 && os_version["macOS 10"] > 0);
      return {
        browser,
        browser_version,
        os_version,
        pv,
        uv,
        sessions,
        country,
        os,
        device,
        source,
        event,
        series: series.slice(0, -1).map((row: unknown[]) => row.slice(0, 4)),
      };
    };
    assert.deepEqual(await of("other"), await of("box"));
  });

  it("writes one table of every value by day", async () => {
    fillWhole("box");
    const file = at("blog.csv.gz");
    assert.equal(
      (await run("box", "export", "--site", "blog", "--format", "csv", "--to", file)).code,
      0,
    );
    const [head, ...lines] = gunzipSync(readFileSync(file)).toString().split("\n");
    assert.equal(head, '"day","dimension","value","views","visitors","sessions"');
    const { out } = await run("box", "stats", "blog", "--days", "10", "--json");
    const views = lines
      .filter((line) => line.startsWith(`"${ago(3)}","country","DE",`))
      .map((line) => Number(line.split(",")[3]));
    const [all] = lines.filter((line) => line.startsWith(`"${ago(3)}","all",`));
    const row = (JSON.parse(out).series as [string, number, number, number][]).find(
      ([day]) => day === ago(3),
    );
    assert.equal(all, `"${ago(3)}","all","",${row?.slice(1, 4).join(",")}`);
    assert.equal(views.length, 1);
  });

  it("lets no spreadsheet run what a visitor chose", async () => {
    change(at("box"), (db) => {
      addSite(db, "blog");
      const counts = { pv: { _: 2 }, utm_source: { "=cmd()": 1, plain: 1 } };
      addDays(db, [{ site: "blog", day: ago(2), counts, surveys: [] }]);
    });
    const file = at("blog.csv.gz");
    await run("box", "export", "--site", "blog", "--format", "csv", "--to", file);
    const table = gunzipSync(readFileSync(file)).toString();
    assert.match(table, /"utm_source","'=cmd\(\)",1,/);
    assert.match(table, /"utm_source","plain",1,/);
  });

  it("says what is wrong, and leaves no half of a file", async () => {
    await run("box", "sites", "add", "blog");
    for (const [args, code, sentence] of [
      [["--site", "blog"], 2, /--format plausible, csv, jsonl/],
      [["--site", "shop", "--format", "csv"], 1, /There is no site shop/],
      [
        ["--site", "blog", "--format", "csv", "--to", at("none/blog.csv.gz")],
        1,
        /none\/blog\.csv\.gz cannot be written/,
      ],
    ] as const) {
      const { code: left, err } = await run("box", "export", ...args);
      assert.deepEqual([left, sentence.test(err)], [code, true], err);
    }
    assert.equal(existsSync(at("none")), false);
  });
});
