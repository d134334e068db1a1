import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressOf } from "../../scripts/abuses/ask.ts";
import { inLong } from "../helpers/long.ts";
import { RunningService } from "../helpers/tallydeck.ts";

const MAIN = join(import.meta.dirname, "../../scripts/abuses/main.ts");
/** Ten seconds and more: a service, and two seconds of visitors beside each attack. */
const SMALL = ["--seconds", "2", "--rate", "20", "--scale", "0.01", "--settle", "0"];

interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Results, by part and measure. */
  readonly seen: ReadonlyMap<string, string>;
}

function abuse(...args: readonly string[]): Promise<Told> {
  return new Promise((resolve) =>
    execFile(process.execPath, [MAIN, ...args], (error, out, err) => {
      const rows = out.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm);
      resolve({
        code: error === null ? 0 : Number(error.code),
        out,
        err,
        seen: new Map(
          [...rows].map(([, part, measure, seen = ""]) => [`${part}: ${measure}`, seen]),
        ),
      });
    }),
  );
}

describe("the attacks", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  let service: RunningService;
  before(async () => {
    service = await RunningService.start(dataDir, {
      SITES: "blog",
      BADGE_SITES: "blog",
      STATS_TOKEN: "the-token",
    });
  });
  after(async () => {
    await service.end();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const attacked = async (part: string): Promise<Told> => {
    const [, control] = await service.says(/Web UI +(http:\S+)/);
    return abuse(
      ...["--only", part, ...SMALL, "--url", `http://127.0.0.1:${service.port}`],
      ...["--control", control ?? "", "--site", "blog", "--token", "the-token"],
    );
  };

  const assertHonestCounted = ({ code, out, seen }: Told, part: string) => {
    assert.equal(code, 0, out);
    assert.equal(seen.get(`${part}: honest hits`), "60, 0 not answered, 0 not counted");
    assert.match(seen.get(`${part}: honest hits, time to answer`) ?? "", /p99 \d+\.\d ms/);
    assert.match(seen.get(`${part}: the owner's dashboard`) ?? "", /^(\d+) of \1,/);
    assert.match(seen.get(`${part}: the owner's sign-in`) ?? "", /^(\d+) of \1,/);
  };

  it("tell of one what it did, and that every honest hit was counted", async () => {
    const told = await attacked("half-open");
    assertHonestCounted(told, "half-open");
    assert.match(told.seen.get("half-open: unfinished requests begun") ?? "", /^\d/, told.out);
    assert.ok(!told.out.includes("badges"), told.out);
  });

  inLong("run all together, and tell the same of each", async () => {
    const told = await attacked("all");
    assertHonestCounted(told, "all");
    for (const measure of [
      "unfinished requests begun",
      "connections that never read",
      "badges asked for and hung up on",
      "hits with values never seen before, by status",
      "the owner opens the survey, grouped by os",
      "then the right token, from the same address",
      "each 4 times at once, by status",
    ])
      assert.match(told.seen.get(`all: ${measure}`) ?? "", /^\d/, `${measure} in ${told.out}`);
  });

  inLong("ask all there is to ask about the fullest site, and end nothing of 352 MB", async () => {
    const { code, out, seen } = await abuse("--only", "full", ...SMALL, "--days", "30");
    assert.equal(code, 0, out);
    assert.match(seen.get("full: questions, by status") ?? "", /^200 × \d+$/, out);
    assert.equal(seen.get("full: honest hits"), "60, 0 not answered, 0 not counted");
  });

  it("start a service of their own, and tell its memory and sockets", async () => {
    const { code, out, seen } = await abuse("--only", "calm", ...SMALL, "--days", "2");
    assert.equal(code, 0, out);
    for (const measure of ["memory of the service, MB (resident)", "sockets the service has"])
      assert.match(seen.get(`calm: ${measure}`) ?? "", /^\d+ before, \d+ at most, \d+ after$/, out);
  });
});

describe("the attacks fail", () => {
  /** Attacks a collector that answers everything as it is told. */
  const against = async (answer: RequestListener): Promise<Told> => {
    const server = createServer(answer).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const told = await abuse("--only", "calm", ...SMALL, "--url", `http://127.0.0.1:${port}`);
    server.close();
    return told;
  };
  const nothingCounted: RequestListener = (_, response) => response.end("{}");
  let hit = 0;
  before(() => {
    hit = 0;
  });

  it("when honest hits are not counted", async () => {
    const { code, out } = await against(nothingCounted);
    assert.equal(code, 1);
    assert.match(out, /^calm: 60 honest hits were not counted\.$/m);
  });

  it("when an honest hit is not answered", async () => {
    const { code, out } = await against((request, response) => {
      if (request.url?.startsWith("/e?") && ++hit === 30) response.statusCode = 500;
      nothingCounted(request, response);
    });
    assert.equal(code, 1);
    assert.match(out, /^calm: 1 of 60 honest hits were not answered: answered 500 × 1\.$/m);
  });

  it("when the owner is turned away", async () => {
    const { code, out } = await against((request, response) => {
      if (request.url?.includes("daily")) response.statusCode = 429;
      nothingCounted(request, response);
    });
    assert.equal(code, 1);
    assert.match(out, /^calm: The owner's dashboard failed .+: answered 429\.$/m);
  });

  it("before they begin, when they are told what they do not know", async () => {
    for (const [args, sentence] of [
      [["--url", "box"], "--url takes a URL, and box is none."],
      [["--control", "http://box"], "--control needs --url."],
      [["--attackers", "127.0.0.1"], "--attackers takes a block like 127.64.0.0/10, and"],
    ] as const) {
      const { code, err } = await abuse(...args);
      assert.equal(code, 2);
      assert.ok(err.startsWith(sentence), err);
    }
  });
});

describe("an attacker's address", () => {
  it("is one of its block, neither its first nor its last", () => {
    assert.equal(addressOf("203.0.113.0/24", 0), "203.0.113.1");
    assert.equal(addressOf("203.0.113.0/24", 253), "203.0.113.254");
    assert.equal(addressOf("203.0.113.0/24", 254), "203.0.113.1");
    assert.equal(addressOf("198.18.0.0/15", 65_600), "198.19.0.65");
  });
});
