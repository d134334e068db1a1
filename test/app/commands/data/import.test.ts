import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { FIREFOX } from "../../../helpers/access-logs.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { FakeMatomo, MATOMO_TOKEN } from "../../../helpers/fake-matomo.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import {
  goatcounterJson,
  smallPlausible,
  umamiEvents,
  writePlausible,
  writeZip,
} from "../../../helpers/foreign-exports.ts";
import { Running, RunningService } from "../../../helpers/tallydeck.ts";
import { encode, serviceOn } from "../../../helpers/world.ts";

const today = () => dayOf(Date.now());
/** Days that are over, by how many days ago they were, the oldest first. */
const daysAgo = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => formatDay(today() - from + at));

describe("tallydeck import", () => {
  const folder = eachFolder();
  const run = (...args: string[]) => tallydeck([...args, "--data-dir", folder()]);
  const bring = (...args: string[]) => run("import", ...args);
  const numbers = async (query = "", site = "blog") => {
    const { out } = await run(
      "stats",
      site,
      "--days",
      "40",
      "--json",
      ...query.split(" ").filter(Boolean),
    );
    return JSON.parse(out);
  };
  const file = (name: string) => join(folder(), name);
  const plausible = async (days: readonly string[], name = "example_com.zip") => {
    await writePlausible(file(name), smallPlausible(days));
    return file(name);
  };

  let matomo: FakeMatomo | undefined;
  beforeEach(async () => {
    await run("sites", "add", "blog");
  });
  afterEach(() => matomo?.close());

  it("brings the days of another tool, and a running service shows them", async () => {
    const service = await RunningService.startHere(folder(), { STATS_TOKEN: "t" });
    const path = await plausible(daysAgo(3, 1));
    const { code, out } = await bring(path, "--site", "blog");
    assert.equal(code, 0);
    assert.match(
      out,
      /^Imported 3 days from example_com\.zip to blog, .* to .*\.\nNot imported: 3 pages on which sessions ended\.\nNot imported: 3 properties of events\.\n$/,
    );
    const from = daysAgo(3, 3)[0];
    const { json } = await service.ask(`/stats?site=blog&from=${from}&token=t`);
    assert.deepEqual(
      [json.pv, json.uv, json.sessions, json.bounce],
      [{ _: 90 }, { _: 30 }, { _: 36 }, { _: 15 }],
    );
    assert.deepEqual(json.path, { "/": 60, '/a "b", c': 30 });
    assert.deepEqual(json.source, { "google.com": 36, direct: 30, "news.ycombinator.com": 24 });
    assert.deepEqual(json.ref_group, { search: 36, direct: 30, social: 24 });
    assert.deepEqual(json.utm_campaign, { launch: 24 });
    assert.deepEqual(json.country, { DE: 90 });
    assert.deepEqual(json.device, { desktop: 54, mobile: 36 });
    assert.deepEqual(json.browser, { Edge: 54, Safari: 36 });
    assert.deepEqual(json.browser_version, { "Edge 130": 54, "Safari 17": 36 });
    assert.deepEqual(json.os, { macOS: 90 });
    assert.deepEqual(json.os_version, { "macOS 14": 90 });
    assert.deepEqual(json.event, { Signup: 9, outbound: 6, download: 3 });
    assert.deepEqual(json.event_target, { "github.com": 6, "app.zip": 3 });
    await service.end();
  });

  it("tells what it would do, and writes nothing", async () => {
    const path = await plausible(daysAgo(3, 1));
    const before = await numbers();
    const { code, out } = await bring(path, "--site", "blog", "--inspect");
    assert.equal(code, 0);
    assert.match(
      out,
      /Plausible, .* to .*, 3 days with counts\.\nDays begin by UTC in it, unless you say otherwise with --zone\.\n90 views, 30 visitors, 36 sessions\n▇|█/,
    );
    assert.match(out, /Would import 3 days into blog, .*\. Nothing was written\.\n$/);
    assert.deepEqual(await numbers(), before);
    assert.equal((await run("sources")).out.split("\n").length, 2);
  });

  it("brings nothing twice", async () => {
    const path = await plausible(daysAgo(3, 1));
    await bring(path, "--site", "blog");
    const once = await numbers();
    assert.deepEqual(await bring(path, "--site", "blog"), {
      code: 0,
      out: "All of it is here already: 3 days of blog.\n",
      err: "",
    });
    assert.deepEqual(await numbers(), once);
  });

  it("brings the views in access logs of a host, by their pattern, and tells what it left out", async () => {
    const [first = "", last = ""] = daysAgo(2, 1);
    const line = (host: string, day: string, path: string) =>
      `${host}|192.0.2.7|${day}T12:00:00Z|GET ${path} HTTP/1.1|200|https://${host}/x|${FIREFOX}\n`;
    writeFileSync(file("access.log.1"), line("example.com", first, "/a?utm_source=letter"));
    writeFileSync(
      file("access.log"),
      line("example.com", last, "/b") + line("other.example", last, "/c"),
    );
    const pattern =
      "$host|$remote_addr|$time_iso8601|$request|$status|$http_referer|$http_user_agent";
    const paths = [file("access.log"), file("access.log.1"), "--log-format", pattern];
    assert.match(
      (await bring(...paths, "--site", "blog")).err,
      /--host example\.com, other\.example/,
    );
    const { out, err } = await bring(...paths, "--site", "blog", "--host", "example.com");
    assert.match(
      out,
      /^Imported 2 days from access\.log and 1 more to blog, .*\nNot imported: 1 requests of the host other\.example\.\n$/,
      err,
    );
    const { pv, path, ref_group, source, utm_source } = await numbers();
    assert.deepEqual([pv, path], [{ _: 2 }, { "/a": 1, "/b": 1 }]);
    assert.deepEqual([ref_group, utm_source], [{ internal: 2 }, { letter: 1 }]);
    assert.deepEqual(source, { letter: 1, "example.com": 1 });
  });

  it("brings Umami's table as the COPY of the docs writes it, by its zone", async () => {
    const [day = ""] = daysAgo(2, 2);
    writeFileSync(
      file("events.csv"),
      umamiEvents([
        { at: `${day} 10:00:00.123+00`, path: "/", visitor: "v", visit: "1" },
        { at: `${day} 10:01:00+00`, path: "/about", visitor: "v", visit: "1" },
        { at: `${day} 12:00:00.5+01`, path: "/", visitor: "w", visit: "2" },
      ]),
    );
    assert.equal((await bring(file("events.csv"), "--site", "blog")).code, 0);
    const { pv, uv, sessions, hour } = await numbers();
    assert.deepEqual([pv, uv, sessions], [{ _: 3 }, { _: 2 }, { _: 2 }]);
    assert.deepEqual(hour, { "10": 2, "11": 1 });
  });

  it("asks before it replaces days of another import, and then does", async () => {
    await bring(await plausible(daysAgo(5, 2)), "--site", "blog");
    const newer = await plausible(daysAgo(3, 1), "newer.zip");
    const refused = await bring(newer, "--site", "blog");
    assert.equal(refused.code, 1);
    assert.match(refused.err, /2 days of these came with example_com\.zip before\. Give --replace/);
    assert.deepEqual((await numbers()).pv, { _: 120 });
    assert.equal((await bring(newer, "--site", "blog", "--replace")).code, 0);
    assert.deepEqual((await numbers()).pv, { _: 150 });
    assert.deepEqual((await numbers("--source newer.zip")).pv, { _: 90 });
    assert.deepEqual((await numbers("--source example_com.zip")).pv, { _: 60 });
  });

  it("is listed, and goes alone, leaving what was before", async () => {
    await bring(await plausible(daysAgo(9, 8), "first.zip"), "--site", "blog");
    const before = await numbers();
    await bring(await plausible(daysAgo(3, 1), "second.zip"), "--site", "blog");
    assert.match(
      (await run("sources")).out,
      /\n2 {2}imported from second\.zip {2}.* · 1 site · .* · last imported .*Z\n/,
    );
    await run("sources", "delete", "2", "--confirm", "2");
    assert.deepEqual(await numbers(), before);
  });

  it("never adds to days that were counted here, and fills those between them that are named", async () => {
    const service = await serviceOn(folder(), { SITES: "" });
    await service.ask(`/e?s=blog&v=${encodeURIComponent(encode({ p: "/" }))}`);
    const counted = formatDay(today());
    await service.stop();
    const all = await plausible([...daysAgo(4, 0)]);
    const { out } = await bring(all, "--site", "blog");
    assert.match(out, /Imported 4 days .*\nLeft out: 1 day that are not over\.\n/);
    const { series } = await numbers();
    assert.deepEqual(
      (series as [string, number][]).filter(([, pv]) => pv > 0).map(([day, pv]) => [day, pv]),
      [...daysAgo(4, 1).map((day) => [day, 30]), [counted, 1]],
    );
  });

  it("shows a gap where a tool does not know a figure, and never a zero", async () => {
    const days = daysAgo(3, 2);
    await writeZip(file("goat.zip"), goatcounterJson(days));
    const { out } = await bring(file("goat.zip"), "--site", "blog", "--inspect");
    assert.match(
      out,
      /GoatCounter, .*\nDays begin by UTC in it\.\n18 sessions\nGoatCounter does not tell how many views there were/,
    );
    assert.equal((await bring(file("goat.zip"), "--site", "blog")).code, 0);
    const stats = await numbers("--of sessions");
    assert.deepEqual(stats.sessions, { _: 18 });
    assert.deepEqual(stats.path, { "/": 14, "/about": 4 });
    assert.deepEqual(stats.source, { direct: 8, "google.com": 6, "example.org": 4 });
    assert.deepEqual(stats.event, { "click-banana": 10 });
    assert.deepEqual(stats.gaps, [
      {
        from: days[0],
        to: days[1],
        lacks: ["pv", "uv", "bounce", "engaged", "hi", "hours", "time"],
      },
    ]);
  });

  it("stays what it is in a backup and in a copy, with its gaps", async () => {
    await writeZip(file("goat.zip"), goatcounterJson(daysAgo(3, 2)));
    await bring(file("goat.zip"), "--site", "blog");
    const [restored, copied] = [file("restored"), file("copied")];
    await run("backup", file("all.backup"));
    await tallydeck(["restore", file("all.backup"), "--data-dir", restored]);
    await tallydeck(["copy", "--from", folder(), "--to", copied]);
    const of = async (dataDir: string) => {
      const { out } = await tallydeck(["sources", "--data-dir", dataDir]);
      const stats = ["stats", "blog", "--days", "9", "--json", "--data-dir", dataDir];
      const { gaps, sessions, path } = JSON.parse((await tallydeck(stats)).out);
      return { isListed: /imported from goat\.zip/.test(out), gaps, sessions, path };
    };
    const here = await of(folder());
    assert.equal(here.isListed, true);
    assert.deepEqual(here.sessions, { _: 18 });
    assert.deepEqual(await of(restored), here);
    assert.deepEqual(await of(copied), here);
  });

  it("asks a Matomo for its days, and brings nothing twice", async () => {
    const days = daysAgo(40, 1);
    matomo = await FakeMatomo.start(days);
    const { url } = matomo;
    const env = { MATOMO_TOKEN };
    const ask = (...args: string[]) =>
      tallydeck(["import", url, "--site", "blog", ...args, "--data-dir", folder()], env);
    const told = await ask("--inspect");
    assert.match(
      told.out,
      /: Matomo, .*, 40 days with counts\.\nDays begin by Europe\/Zurich in it\.\n480 views, 160 visitors, 200 sessions\n/,
    );
    const { out, err } = await ask();
    assert.match(out, /^Imported 40 days from 127\.0\.0\.1:\d+ to blog/, err);
    assert.deepEqual((await ask()).out, "All of it is here already: 40 days of blog.\n");
    const { pv, bounce, path, country, browser, os, device, source } = await numbers();
    // Forty days until today, which is none of them.
    assert.deepEqual([pv, bounce], [{ _: 39 * 12 }, { _: 39 * 2 }]);
    assert.deepEqual(path, { "/": 39 * 8, "/about": 39 * 4, Others: 39 });
    assert.deepEqual(
      [country, browser, os, device, source],
      [{ CH: 468 }, { Chrome: 468 }, { Linux: 468 }, { mobile: 468 }, { "google.com": 468 }],
    );
    const wrong = await tallydeck(["import", url, "--site", "blog", "--data-dir", folder()], {
      MATOMO_TOKEN: "wrong",
    });
    assert.match(wrong.err, /^Matomo at 127\.0\.0\.1:\d+ says: You can't access this resource/);
    assert.match((await bring(url, "--site", "blog")).err, /Set MATOMO_TOKEN/);
    matomo.close();
    assert.match((await ask()).err, /^Matomo at 127\.0\.0\.1:\d+ does not answer: /);
  });

  it("asks a Matomo for a day with more referrers than fit into a line", async () => {
    const rows = Array.from({ length: 40_000 }, (_, n) => ({
      label: `r${n}.example`,
      nb_visits: 1,
      nb_actions: 1,
      metadata: "x".repeat(500),
    }));
    matomo = await FakeMatomo.start(daysAgo(1, 1), { "Referrers.getWebsites": rows });
    const env = { MATOMO_TOKEN };
    const args = ["import", matomo.url, "--site", "blog", "--data-dir", folder()];
    const { err } = await tallydeck(args, env);
    assert.equal(err, "");
    const { ref_group } = await numbers();
    assert.deepEqual(ref_group, { referral: 40_000, search: 12 });
  });

  it("steps back for a service beside it with each of its threads", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    try {
      await once(server, "listening");
      const asked = once(server, "request");
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/?idSite=3`;
      const args = ["import", url, "--site", "blog", "--data-dir", folder()];
      const importing = new Running(args, { MATOMO_TOKEN, NICENESS: "2" });
      await Promise.race([asked, importing.ended]);
      const tasks = `/proc/${importing.pid}/task`;
      const niceness = readdirSync(tasks).map((thread) => {
        const stat = readFileSync(join(tasks, thread, "stat"), "latin1");
        return stat.slice(stat.lastIndexOf(")")).split(" ")[17];
      });
      await importing.end("SIGKILL");
      assert.ok(niceness.length > 1);
      assert.deepEqual(new Set(niceness), new Set(["2"]));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  describe("refuses, and changes nothing, with a sentence for", () => {
    const totals = "name,visitors\n/,3\n";
    for (const [what, [name, files, sentence]] of Object.entries({
      "a text": [
        "notes.csv",
        "a,b\n1,2\n",
        /notes\.csv is nothing that can be imported\. These are known: Tallydeck, Plausible, /,
      ],
      "an empty file": ["empty.csv", "", /empty\.csv is nothing that can be imported/],
      "a table of Plausible's dashboard": [
        "pages.csv",
        totals,
        /totals of one period, as Plausible's dashboard exports them.*Imports & Exports/,
      ],
      "totals of Umami": [
        "umami.zip",
        { "pages.csv": "x,y\n/,3\n", "os.csv": "x,y\nMac,3\n" },
        /as Umami's dashboard downloads them/,
      ],
      "a later GoatCounter": [
        "goat.zip",
        { "info.json": '{"export_version":"2.0"}', "hit_stats.jsonl": "" },
        /This export of GoatCounter is 2\.0/,
      ],
      "a damaged archive": [
        "half.zip",
        "PK\u0003\u0004half",
        /half\.zip is no archive that can be read/,
      ],
      "one without a valid row": [
        "p.zip",
        { "imported_visitors.csv": "date,visitors\nyesterday,3\n" },
        /p\.zip has no counts: 1 rows without a day/,
      ],
    } as const))
      it(what, async () => {
        if (typeof files === "string") writeFileSync(file(name), files);
        else await writeZip(file(name), files);
        const { code, err } = await bring(file(name), "--site", "blog");
        assert.deepEqual([code, sentence.test(err)], [1, true], err);
        assert.equal((await run("sources")).out.split("\n").length, 2);
      });

    it("a file that is not there, and a site that is not there", async () => {
      assert.match(
        (await bring(file("none.zip"), "--site", "blog")).err,
        /none\.zip cannot be read/,
      );
      const path = await plausible(daysAgo(2, 1));
      assert.match((await bring(path, "--site", "shop")).err, /There is no site shop/);
      assert.equal((await bring("--site", "blog")).code, 2);
      assert.equal((await bring(path, "--from", "2026-01-01")).code, 2);
      assert.equal((await bring(path, "--zone", "Mars/Base")).code, 2);
    });
  });
});
