import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { daysOfMonth } from "../../../appliance/store/desk.ts";
import { type Inspected, inspect } from "../../../appliance/traffic/imports/inspect.ts";
import type { LogOptions } from "../../../appliance/traffic/imports/logs/access-log.ts";
import { ImportRefused } from "../../../appliance/traffic/imports/refused.ts";
import {
  type Asked,
  CHROME,
  CLOUDFRONT_HEAD,
  FIREFOX,
  GOOGLEBOT,
  LOGS,
  someVisits,
  WRITERS,
} from "../../helpers/access-logs.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { writeGzip } from "../../helpers/foreign-exports.ts";
import { lasting } from "../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

const TODAY = parseDay("2026-03-01") as number;
const EXAMPLES = join(import.meta.dirname, "../../../scripts/examples");
const RECORDED = join(import.meta.dirname, "../../fixtures/logs");

describe("an import of access logs", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  const read = (
    paths: readonly string[],
    logs: Partial<LogOptions> = {},
    { zone = "UTC", today = TODAY } = {},
  ) =>
    inspect(paths, {
      zone: new DayZone({ zone, before: null }),
      fileZone: undefined,
      today,
      detailFrom: today - 399,
      logs: { ...LOGS, ...logs },
      onShare: () => {},
      signal: new AbortController().signal,
    });
  const daysIn = ({ days }: Inspected) =>
    Object.fromEntries([...days].map(([day, sums]) => [formatDay(day), sums]));
  /** All counts that would be written, by day, counter and value. */
  const contentOf = ({ counts }: Inspected) =>
    [...counts.months(() => true)].flatMap(({ month, pieces }) =>
      [...daysOfMonth(month, pieces)].map(([day, { counters, values }]) => {
        const rows = Object.entries(values).map(([name, its]) => [name, [...its].sort()] as const);
        return { day, counters, values: Object.fromEntries(rows) };
      }),
    );
  const at = (text: string) => Date.parse(`${text}Z`);
  const writer = (kind: string) => WRITERS[kind] as (asked: Asked) => string;
  const text = (kind: string, all: readonly Asked[]) =>
    `${kind === "cloudfront" ? CLOUDFRONT_HEAD : ""}${all.map((one) => `${writer(kind)(one)}\n`).join("")}`;
  const log = (all: readonly Asked[], kind = "combined", name = "access.log") => {
    writeFileSync(file(name), text(kind, all));
    return file(name);
  };
  const ask = (time: string, target: string, more: Partial<Asked> = {}): Asked => ({
    at: at(`2026-01-01T${time}`),
    ip: "192.0.2.1",
    target,
    agent: CHROME,
    ...more,
  });

  for (const kind of Object.keys(WRITERS))
    it(`counts views, visitors, visits and those that went on: ${kind}`, async () => {
      const found = await read([
        log(
          [
            ask("10:00:00", "/", { referrer: "https://www.google.com/" }),
            ask("10:00:01", "/style.css"),
            ask("10:05:00", "/about/?utm_source=x"),
            ask("10:35:00", "/about"),
            ask("11:00:00", "/", { ip: "192.0.2.2" }),
            ask("11:00:01", "/logo.png", { ip: "192.0.2.2", status: 304 }),
            ask("12:00:00", "/", { agent: GOOGLEBOT }),
            ask("12:00:01", "/", { agent: "" }),
            ask("12:00:02", "/", { method: "POST" }),
            ask("12:00:03", "/gone", { status: 404 }),
            ask("12:00:04", "/wp-login.php"),
            ask("12:00:05", "/.well-known/security.txt"),
            ask("12:00:06", "/feed/"),
            ask("12:00:07", "/healthz"),
            ask("12:00:08", "/about", { status: 304 }),
            ask("12:00:09", "/feed/", { status: 304 }),
          ],
          kind,
        ),
      ]);
      assert.deepEqual(daysIn(found), {
        "2026-01-01": { pv: 4, uv: 2, sessions: 3, engaged: 1 },
      });
      assert.deepEqual(Object.fromEntries(found.left), {
        "requests of images, styles, scripts and other files": 2,
        "views of crawlers": 1,
        "requests without a user agent": 1,
        "requests other than GET": 1,
        "answers other than 200, as errors and redirects": 1,
        "requests of WordPress's own addresses": 1,
        "checks by machines": 2,
        "requests of feeds": 2,
        "views of pages that the browser had already (304)": 1,
      });
      assert.equal(found.about.format, "access log");
    });

  describe("tells programs, which fetch pages alone,", () => {
    const person = (n: number) => ({ ip: `192.0.2.${n}` });
    /** The views of people, the first of which fetch a file, too, and those that count. */
    const counted = async (people: number, fetching: number, more: readonly Asked[] = []) => {
      const all = Array.from({ length: people }, (_, n) => [
        ask("10:00:00", "/", person(n)),
        ...(n < fetching ? [ask("10:00:01", "/favicon.ico", person(n))] : []),
      ]).flat();
      const { days, left } = await read([log([...more, ...all])]);
      const [views = 0] = [...days.values()].slice(-1).map(({ pv }) => pv ?? 0);
      const programs = left.get(
        "views of clients that fetched no image, style or script on that day, probably programs",
      );
      return [views, programs ?? 0];
    };

    it("on days on which most who view pages fetch files", async () => {
      assert.deepEqual(await counted(23, 20), [20, 3]);
      assert.deepEqual(await counted(5, 4), [4, 1]);
    });

    it("not where one, or some, fetch a file", async () => {
      assert.deepEqual(await counted(20, 0), [20, 0]);
      assert.deepEqual(await counted(20, 1), [20, 0]);
      assert.deepEqual(await counted(20, 10), [20, 0]);
      assert.deepEqual(await counted(20, 12), [20, 0]);
      assert.deepEqual(await counted(1, 0, [ask("09:00:00", "/x.png", person(7))]), [1, 0]);
    });

    it("not by the files that crawlers, or nobody who views a page, fetch", async () => {
      const fetched = ["DuckDuckGo-Favicons-Bot/1.0", "curl/8.4.0", GOOGLEBOT, "", CHROME].flatMap(
        (agent) =>
          [..."abcdefghijklmnopqrstuvwxy"].map((name, n) =>
            ask("09:00:00", `/${name}.png`, { ip: `198.51.100.${n}`, agent }),
          ),
      );
      assert.deepEqual(await counted(20, 0, fetched), [20, 0]);
    });

    it("by the days before, where few view a page on one", async () => {
      assert.deepEqual(await counted(3, 2), [3, 0]);
      const eve = (fetches: boolean) =>
        Array.from({ length: 20 }, (_, n) => [
          ask("10:00:00", "/", { ...person(n), at: at("2025-12-31T10:00:00") }),
          ...(fetches ? [ask("", "/a.css", { ...person(n), at: at("2025-12-31T10:00:01") })] : []),
        ]).flat();
      assert.deepEqual(await counted(3, 2, eve(true)), [2, 1]);
      assert.deepEqual(await counted(3, 2, eve(false)), [3, 0]);
      assert.deepEqual(await counted(20, 1, eve(true)), [20, 0]);
    });
  });

  it("lets a visit go on over midnight, in the owner's zone", async () => {
    const path = log([
      ask("22:50:00", "/"),
      ask("22:50:01", "/a.css"),
      ask("23:10:00", "/b"),
      ask("23:30:00", "/b"),
    ]);
    assert.deepEqual(daysIn(await read([path], {}, { zone: "Europe/Zurich" })), {
      "2026-01-01": { pv: 1, uv: 1, sessions: 1 },
      "2026-01-02": { pv: 2, uv: 1, engaged: 1 },
    });
    assert.deepEqual(daysIn(await read([path])), {
      "2026-01-01": { pv: 3, uv: 1, sessions: 1, engaged: 1 },
    });
  });

  it("counts the same however a log is split, ordered, packed or repeated", async () => {
    const { below } = seeded(TEST_SEED);
    const all = someVisits(TEST_SEED, { from: at("2026-01-01T00:00:00"), days: 4, n: 300 });
    for (const kind of Object.keys(WRITERS)) {
      const whole = await read([log(all, kind, `${kind}.log`)]);
      for (let round = 0; round < lasting(8); round++) {
        const paths: string[] = [];
        for (let start = 0; start < all.length; ) {
          const end = start + 1 + below(Math.ceil(all.length / 3));
          // The next file begins where this one ends, or some lines before.
          const part = all.slice(Math.max(0, start - below(100)), end);
          const path = file(`${kind}.${round}.${paths.length}`);
          const content = text(kind, part);
          if (below(3) === 0) writeGzip(path, content);
          else writeFileSync(path, below(2) === 0 ? content : zstdCompressSync(content));
          paths.splice(below(paths.length + 1), 0, path);
          start = end;
        }
        assert.deepEqual(
          contentOf(await read(paths)),
          contentOf(whole),
          `seed ${TEST_SEED}, ${kind}, round ${round}`,
        );
      }
    }
  });

  it("counts lines that two servers wrote into two files, of different kinds, as one log", async () => {
    const { below } = seeded(TEST_SEED);
    const all = someVisits(TEST_SEED, { from: at("2026-01-01T00:00:00"), days: 3, n: 200 });
    const kinds = ["combined", "vhost", "caddy", "nginx"];
    const parts = kinds.map((): Asked[] => []);
    for (const one of all) parts[below(kinds.length)]?.push(one);
    const paths = kinds.map((kind, n) => log(parts[n] ?? [], kind, `${kind}.log`));
    const together = daysIn(await read(paths));
    assert.deepEqual(together, daysIn(await read([log(all)])), `seed ${TEST_SEED}`);
  });

  it("reads lines by a pattern of one's own", async () => {
    const pattern =
      '[$time_iso8601] $status "$request" ua="$http_user_agent" x=$upstream_time for "$http_x_forwarded_for" ref="$http_referer"';
    writeFileSync(
      file("own.log"),
      `[2026-01-01T10:00:00+01:00] 200 "GET /a HTTP/1.1" ua="${FIREFOX}" x=0.1 for "10.0.0.1, 198.51.100.7, 10.0.0.2" ref="-"\n` +
        `[2026-01-01T10:01:00+01:00] 200 "GET /b HTTP/1.1" ua="${FIREFOX}" x=0.1 for "198.51.100.7" ref="-"\nnoise\n`,
    );
    const found = await read([file("own.log")], { pattern });
    assert.deepEqual(daysIn(found), { "2026-01-01": { pv: 2, uv: 1, sessions: 1, engaged: 1 } });
    assert.deepEqual(Object.fromEntries(found.left), { "lines that cannot be read": 1 });
    await assert.rejects(
      read([file("own.log")], { pattern: "$remote_addr $status" }),
      /needs \$time_local or/,
    );
    await assert.rejects(
      read([file("own.log")], { pattern: "$remote_addr$time_local $request $status" }),
      /where \$remote_addr ends/,
    );
  });

  it("takes the site's host alone, and tells the others by name", async () => {
    const path = log(
      [
        ask("10:00:00", "/", { host: "www.example.com" }),
        ask("10:00:01", "/", { host: "other.example" }),
        ask("10:00:02", "/", { host: "example.com", referrer: "https://www.example.com/x" }),
      ],
      "vhost",
    );
    await assert.rejects(read([path]), /of several hosts.*--host example\.com, other\.example/);
    const found = await read([path], { hosts: ["example.com"] });
    assert.deepEqual(daysIn(found), { "2026-01-01": { pv: 2, uv: 1, sessions: 1, engaged: 1 } });
    assert.deepEqual(Object.fromEntries(found.left), { "requests of the host other.example": 1 });
  });

  it("reads what servers escape, and requests that are none", async () => {
    writeFileSync(
      file("odd.log"),
      [
        String.raw`192.0.2.1 - a user [01/Jan/2026:10:00:00 +0100] "GET /caf%C3%A9 HTTP/1.1" 200 5 "-" "say \"hi\" Firefox/128.0"`,
        String.raw`2001:db8::1 - - [01/Jan/2026:10:00:00 +0100] "\x16\x03\x01" 400 0 "-" "-"`,
        String.raw`host.example - - [01/Jan/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0 \x22Firefox/128.0\x22"`,
        `192.0.2.1 - - [31/Foo/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 5 "-" "-"`,
      ].join("\r\n"),
    );
    const found = await read([file("odd.log")]);
    assert.deepEqual(daysIn(found), { "2026-01-01": { pv: 2, uv: 2, sessions: 2 } });
    assert.deepEqual(Object.fromEntries(found.left), { "lines that cannot be read": 2 });
  });

  it("reads JSON with the escapes of nginx and Apache", async () => {
    const line = (ip: string, path: string, agent: string) =>
      `{"ip": "192.0.2.${ip}","host": "example.org","path": "${path}","status": "200","referrer": "-","user_agent": "${agent}","date": "2026-01-01T10:00:00-03:00"}`;
    writeFileSync(
      file("escapes.log"),
      [
        line("1", String.raw`/caf\xC3\xA9/`, CHROME),
        line("2", "/", String.raw`F\xFAtbol/1.0 (iPhone; iOS 18.1)`),
        line("3", "/", String.raw`${CHROME} \x22x\x22 \x5Cx41 \x5C\x5C`),
        line("4", "/", String.raw`${CHROME} \"x\" \\ \v \xe9`),
        line("5", "/plain", String.raw`${CHROME} \\x41 \u00e9`),
        line("6", "/", String.raw`${CHROME} \x2`),
        `{"status":${"[".repeat(40)}${"]".repeat(40)},"a":"\\x22"}`,
      ].join("\n"),
    );
    const found = await read([file("escapes.log")]);
    assert.deepEqual(daysIn(found), { "2026-01-01": { pv: 6, uv: 6, sessions: 6 } });
    assert.deepEqual(Object.fromEntries(found.left), { "lines that cannot be read": 1 });
    const paths = contentOf(found).flatMap(
      ({ values }) => values.path?.map(([path]) => path) ?? [],
    );
    assert.deepEqual(paths.sort(), ["/", "/café", "/plain"]);
  });

  describe("of a shape that is not known", () => {
    const agent = CHROME.replaceAll(" ", "+");
    const SHAPES: Readonly<Record<string, readonly string[]>> = {
      "Nginx Proxy Manager": [
        `[01/Jan/2026:10:00:00 +0000] - 200 200 - GET https blog.example "/a" [Client 192.0.2.1] [Length 27] [Gzip -] [Sent-to 10.8.0.1] "${CHROME}" "-"`,
        `[01/Jan/2026:10:00:01 +0000] - - 301 - GET http blog.example "/a" [Client 192.0.2.1] [Length 27] [Gzip 3.1] [Sent-to 10.8.0.1] "${CHROME}" "-"`,
      ],
      Docker: [
        String.raw`{"log":"192.0.2.1 - - [01/Jan/2026:10:00:00 +0000] \"GET /a HTTP/2.0\" 200 844 \"-\" \"${CHROME}\"\n","stream":"stdout","time":"2026-01-01T10:00:00.7Z"}`,
      ],
      Traefik: [
        `{"ClientAddr":"192.0.2.1:51364","ClientHost":"192.0.2.1","DownstreamStatus":200,"Duration":1000,"RequestHost":"blog.example","RequestMethod":"GET","RequestPath":"/a","RequestProtocol":"HTTP/2.0","StartLocal":"2026-01-01T10:00:00Z","StartUTC":"2026-01-01T10:00:00.1Z","level":"info","request_User-Agent":"${CHROME}"}`,
      ],
      IIS: [
        "#Software: Microsoft Internet Information Services 10.0",
        "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken",
        `2026-01-01 10:00:00 2001:db8::1 GET /a - 443 - 192.0.2.1 ${agent} - 200 0 0 96`,
      ],
      "more brackets": [
        `192.0.2.1 - - [01/Jan/2026:10:00:00 +0000] [0.003] [PORT 80] "GET /a HTTP/1.1" 200 82695 "-" "${CHROME}" "-"`,
      ],
    };
    for (const [name, lines] of Object.entries(SHAPES))
      it(`is refused with a pattern that fits: ${name}`, async () => {
        writeFileSync(file("own.log"), lines.join("\n"));
        let pattern = "";
        await assert.rejects(read([file("own.log")]), ({ message }: ImportRefused) => {
          pattern = /--log-format '(.*)'/.exec(message)?.[1] ?? "";
          return /^own\.log looks like an access log/.test(message);
        });
        const found = await read([file("own.log")], { pattern });
        assert.deepEqual(daysIn(found), { "2026-01-01": { pv: 1, uv: 1, sessions: 1 } });
        assert.match(JSON.stringify(contentOf(found)), /"Chrome".*"Windows"/);
        assert.equal(found.left.get("lines that cannot be read"), undefined);
      });

    it("is refused with an example where nothing fits, also a pattern that was given", async () => {
      writeFileSync(file("own.log"), "at 2026-01-01 10:00:00 from 192.0.2.1: GET /a gave 200\n");
      const sentence = /as here the combined format: --log-format '\$remote_addr/;
      await assert.rejects(read([file("own.log")]), sentence);
      const pattern = "$remote_addr [$time_local] $request_uri $status";
      const given = read([file("own.log")], { pattern });
      await assert.rejects(given, /^ImportRefused: No line fits the pattern that was given\./);
    });

    it("is not what has no requests", async () => {
      writeFileSync(file("notes.txt"), "2026-01-01 10:00:00 we GET there\nsee /a\n");
      await assert.rejects(read([file("notes.txt")]), /nothing that can be imported/);
    });
  });

  it("leaves files that are no log, and tells which", async () => {
    const good = log([ask("10:00:00", "/")]);
    writeFileSync(file("error.log"), "2026/01/01 10:00:00 [error] 1#1: something\n");
    writeFileSync(file("empty.log"), "");
    const found = await read([file("error.log"), file("empty.log"), good]);
    assert.deepEqual(Object.fromEntries(found.left), {
      "files that are no access log (error.log)": 1,
    });
  });

  describe("bent at random,", () => {
    for (const kind of Object.keys(WRITERS))
      it(`is read, or refused with a sentence: ${kind}`, async () => {
        const { below } = seeded(TEST_SEED);
        const all = someVisits(TEST_SEED, { from: at("2026-01-01T00:00:00"), days: 2, n: 20 });
        const whole = Buffer.from(text(kind, all));
        for (let round = 0; round < 60; round++) {
          const bent = Buffer.from(whole);
          for (let flips = 1 + below(20); flips > 0; flips--) bent[below(bent.length)] = below(256);
          writeFileSync(file("it"), below(4) === 0 ? bent.subarray(0, below(bent.length)) : bent);
          await read([file("it")]).catch((error: unknown) => {
            if (!(error instanceof ImportRefused))
              throw new Error(`seed ${TEST_SEED}, round ${round}`, { cause: error });
            assert.match(error.message, /^.{10,800}$/s);
          });
        }
      });
  });

  describe("that real servers wrote", () => {
    for (const name of readdirSync(RECORDED).filter((one) => one.endsWith(".log")))
      it(name, async () => {
        const today = parseDay("2026-11-27") as number;
        const { days, left } = await read([join(RECORDED, name)], {}, { today });
        assert.deepEqual([...days.values()], [{ pv: 3, uv: 1, sessions: 1, engaged: 1 }], name);
        assert.equal(left.get("lines that cannot be read"), undefined);
        assert.equal(left.get("views of crawlers"), 1);
      });

    it("says the same by syslog", async () => {
      const today = parseDay("2026-11-27") as number;
      const of = async (name: string) =>
        contentOf(await read([join(RECORDED, name)], {}, { today }));
      const direct = await of("haproxy.log");
      assert.deepEqual(await of("haproxy-syslog.log"), direct);
      assert.deepEqual(await of("haproxy-syslog-iso.log"), direct);
    });

    it("refuses those of HAProxy without user agents, with the lines that mend it", async () => {
      const bare = join(RECORDED, "haproxy-httplog.txt");
      const example = readFileSync(join(EXAMPLES, "haproxy-log.cfg"), "utf8");
      await assert.rejects(read([bare]), ({ message }: ImportRefused) => {
        const [, settings = ""] = /from then on: (.*)/.exec(message) ?? [];
        assert.ok(example.endsWith(`:\n${settings.replaceAll("; ", "\n")}\n`), message);
        return true;
      });
      const mended = file("haproxy.log");
      const log = readFileSync(join(RECORDED, "haproxy-syslog.log"), "utf8");
      writeFileSync(mended, readFileSync(bare, "utf8") + log);
      const { days, left } = await read([mended], {}, { today: parseDay("2026-11-27") as number });
      assert.deepEqual([...days.values()], [{ pv: 3, uv: 1, sessions: 1, engaged: 1 }]);
      assert.equal(left.get("lines of HAProxy's httplog, which has no user agent"), 10);
    });
  });
});
