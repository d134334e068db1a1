import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDay } from "../../../appliance/base/calendar.ts";
import { DayZone, UTC_DAYS } from "../../../appliance/base/day-zone.ts";
import { daysOfMonth } from "../../../appliance/store/desk.ts";
import { inspect } from "../../../appliance/traffic/imports/inspect.ts";
import type { LogOptions } from "../../../appliance/traffic/imports/logs/access-log.ts";
import { CHROME, FIREFOX, LOGS } from "../../helpers/access-logs.ts";
import { eachFolder } from "../../helpers/folder.ts";

const TODAY = parseDay("2026-03-01") as number;
const OF_ADDRESSES = "requests whose host is an address, or no name";

describe("who asked, and for which host, in a line of a log:", () => {
  const folder = eachFolder();
  /** @param who what stands before the time of each line, or that and what stands behind the user agent */
  const read = (
    who: readonly (string | readonly [string, string])[],
    { agents = [CHROME], ...logs }: Partial<LogOptions> & { agents?: readonly string[] } = {},
  ) => {
    const lines = who.map((each, n) => {
      const [before, behind] = typeof each === "string" ? [each, ""] : each;
      const agent = agents[n % agents.length];
      const second = `${n}`.padStart(2, "0");
      return `${before} [01/Jan/2026:10:00:${second} +0000] "GET /a HTTP/1.1" 200 5 "-" "${agent}"${behind}\n`;
    });
    const path = join(folder(), "access.log");
    writeFileSync(path, lines.join(""));
    return inspect([path], {
      zone: new DayZone(UTC_DAYS),
      fileZone: undefined,
      today: TODAY,
      detailFrom: 0,
      logs: { ...LOGS, ...logs },
      onShare: () => {},
      signal: new AbortController().signal,
    });
  };
  const sums = async (...given: Parameters<typeof read>) => {
    const { days, left } = await read(...given);
    const [{ pv = 0, uv = 0 } = {}] = [...days.values()];
    return { pv, uv, left: Object.fromEntries(left) };
  };
  const hostsOf = async (...given: Parameters<typeof read>) => {
    const { counts } = await read(...given);
    return [...counts.months(() => true)].flatMap(({ month, pieces }) =>
      [...daysOfMonth(month, pieces)].flatMap(([, { values }]) =>
        [...(values.host ?? [])].map(([host]) => host).sort(),
      ),
    );
  };

  it("a host, and then the name of a client", async () => {
    const lines = [
      "example.org:443 c-1.isp.example.net - -",
      "example.org:443 c-2.isp.example.net - -",
      "example.org c-2.isp.example.net - Jane Doe",
      "other.org:443 c-3.isp.example.net - -",
    ];
    const other = { "requests of the host other.org": 1 };
    assert.deepEqual(await sums(lines, { hosts: ["example.org"] }), { pv: 3, uv: 2, left: other });
    await assert.rejects(read(lines), /of several hosts.*--host example\.org, other\.org\.$/);
  });

  it("a host, and then a client of any kind", async () => {
    const lines = [
      "example.org:443 203.0.113.1 - -",
      "example.org:443 2001:db8::7 - -",
      "example.org:443 ::ffff:203.0.113.1 - -",
      "example.org:443 fe80::1%eth0 - -",
      "example.org:443 [2001:db8::7]:443 - -",
      "example.org:443 203.0.113.1:61234 - -",
      "example.org:443 203.0.113.1, 10.0.0.2 - -",
      "example.org:443 203.0.113.1 198.51.100.9 - -",
      "example.org - 203.0.113.1 - -",
    ];
    assert.deepEqual(await sums(lines), { pv: 9, uv: 3, left: {} });
  });

  it("a host, and nobody who has an address", async () => {
    const lines = ["example.org:443 203.0.113.1 - -"];
    for (const nobody of ["-", "unix:", "unix:/run/x.sock", "unknown"])
      lines.push(`example.org:443 ${nobody} - -`, `other.org ${nobody} - -`);
    assert.deepEqual(await sums(lines, { hosts: ["example.org"] }), {
      pv: 1,
      uv: 1,
      left: { "requests without an address": 4, "requests of the host other.org": 4 },
    });
  });

  it("a client and no host, where a user has blanks", async () => {
    const lines = [
      "c-1.isp.example.net - Jane Doe",
      "203.0.113.1 - Jane Van Doe",
      "[2001:db8::1]:443 - -",
    ];
    assert.deepEqual(await sums(lines, { hosts: ["example.org"] }), { pv: 3, uv: 3, left: {} });
  });

  it("the origin that the tag counts", async () => {
    const lines = ["example.org:443", "example.org:80", "EXAMPLE.org.:443", "example.org."].map(
      (host) => `${host} 203.0.113.1 - -`,
    );
    assert.deepEqual(await hostsOf(lines), ["https://example.org"]);
    assert.deepEqual(await hostsOf(["www.example.org:8443 203.0.113.1 - -"]), [
      "https://www.example.org:8443",
    ]);
  });

  for (const [what, lines] of Object.entries({
    "before the proxy's": ["203.0.113.7 198.51.100.9 - -", "203.0.113.8 198.51.100.9 - -"],
    "after the proxy's at home": ["10.0.0.1 203.0.113.7 - -", "10.0.0.1 203.0.113.8 - -"],
    "in a list with it": ["203.0.113.7, 198.51.100.9 - -", "203.0.113.8,198.51.100.9 - -"],
    "in quotes before the proxy's": ['"203.0.113.7" 198.51.100.9 - -', '"-" 203.0.113.8 - -'],
    "in quotes behind a host": [
      'example.org "203.0.113.7, 10.0.0.1" 198.51.100.9 - -',
      'example.org "203.0.113.8" 198.51.100.9 - -',
    ],
    "in a list, and the proxy": [
      "unknown, 203.0.113.7 c.example - -",
      "203.0.113.8, 10.0.0.1 10.0.0.2 - -",
    ],
    "behind the user agent": [
      ["172.17.0.1 - -", ' "203.0.113.7"'],
      ["172.17.0.1 - -", ' "203.0.113.8, 10.1.1.1" "x"'],
    ],
    "behind the user agent, without quotes": [
      ["198.51.100.9 - -", " 203.0.113.7"],
      ["198.51.100.9 - -", " 203.0.113.8, 198.51.100.9 0.003"],
    ],
    "there, with a port": [
      ["example.org 10.0.0.1 - -", ' "203.0.113.7:50123"'],
      ["example.org 10.0.0.1 - -", ' "[2001:db8::1]:50123"'],
    ],
  } as const))
    it(`the address that a proxy forwards, ${what}`, async () => {
      assert.deepEqual(await sums(lines), { pv: 2, uv: 2, left: {} });
    });

  it("no server behind this one, in the place of the client", async () => {
    const lines = ["192.168.1.5 - -", "192.168.1.6 - -"].map((who): [string, string] => [
      who,
      ' "10.0.0.5:9000"',
    ]);
    assert.deepEqual(await sums(lines), { pv: 2, uv: 2, left: {} });
  });

  it("no address in any sentence", async () => {
    const hosts = ["203.0.113.7:443", "[2001:db8::7]:443", "www.203.0.113.7:80", "2001:db8::7"];
    const lines = [
      "example.org:443 203.0.113.1 - -",
      ...hosts.map((host) => `${host} 203.0.113.7 - -`),
    ];
    assert.deepEqual((await sums(lines.slice(0, 4))).left, { [OF_ADDRESSES]: 3 });
    const pattern =
      '$host - - [$time_local] "$request" $status $remote_addr "$http_referer" "$http_user_agent"';
    const mistaken = ["203.0.113.7 - -", "203.0.113.8 - -", "2001:db8::7 - -"];
    await assert.rejects(read(mistaken, { pattern }), ({ message }: Error) => {
      assert.equal(
        message,
        "This log is of several hosts. Say which one is the site's: --host NAME.",
      );
      return true;
    });
    const [odd] = [await read([...mistaken, "a.example - -"], { pattern })];
    assert.deepEqual(Object.fromEntries(odd.left), { [OF_ADDRESSES]: 3 });
  });

  it("tell that a proxy hides all visitors", async () => {
    const { notes } = await read(["10.0.0.1 - -", "10.0.0.1 - -"], { agents: [CHROME, FIREFOX] });
    assert.match(notes.join(), /^All views came from one address.*X-Forwarded-For/);
    const agents = [CHROME, FIREFOX, `${FIREFOX} x`];
    const hidden = await read(["198.51.100.9 - -", "198.51.100.9 - -", "198.51.100.9 - -"], {
      agents,
    });
    assert.equal(hidden.notes.length, 1);
    const shown = await read(["10.0.0.1 - -", "10.0.0.1 - -", "10.0.0.2 - -"], { agents });
    assert.deepEqual(shown.notes, []);
  });
});
