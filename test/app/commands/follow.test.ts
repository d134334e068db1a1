import assert from "node:assert/strict";
import { appendFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { CHROME, WRITERS } from "../../helpers/access-logs.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { freePort } from "../../helpers/free-port.ts";
import { isLong } from "../../helpers/long.ts";
import { Owner } from "../../helpers/owner.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { Running, spawned } from "../../helpers/tallydeck.ts";
import { until } from "../../helpers/until.ts";
import { askPort, eachWorld } from "../../helpers/world.ts";

/** Resolves when it holds; a test that waits in vain ends by its own time limit. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(50);
}

const SITE = ["--site", "blog"];
/** A soak of who is killed, in which each start takes a second. */
const ROUNDS = isLong ? 12 : 5;
const LONGEST_PAUSE_MS = isLong ? 1_500 : 600;

describe("tallydeck follow", () => {
  const folder = eachFolder();
  const log = () => join(folder(), "access.log");
  let lines = 0;
  const write = (at: number, n = 1) => {
    for (; n > 0; n--) {
      const asked = { at, ip: "192.0.2.1", target: `/${lines++}`, agent: CHROME };
      appendFileSync(log(), `${WRITERS.combined?.(asked)}\n`);
    }
  };
  beforeEach(() => {
    lines = 0;
  });

  describe("with a box", () => {
    const world = eachWorld(() => ({ clock: new FakeClock("2026-03-04T12:00:00Z") }));
    const now = Date.parse("2026-03-04T10:00:00Z");
    let env: Record<string, string>;
    beforeEach(async () => {
      const { token } = await new Owner(world()).makePushToken("nginx", "logs");
      const url = `http://127.0.0.1:${world().service.control.port}`;
      env = { TALLYDECK_URL: url, TALLYDECK_LOGS_TOKEN: token };
    });
    const paths = async () => Object.keys((await world().stats()).path ?? {}).sort();

    it("sends what comes, over rotation, and goes on where it was", async () => {
      write(now);
      const first = new Running(["follow", log(), ...SITE], env, { isHere: true });
      await until(() => existsSync(`${log()}.tallydeck`));
      write(now, 2);
      await eventually(async () => (await paths()).length === 2);
      assert.equal((await first.end()).code, 0);
      write(now);
      renameSync(log(), `${log()}.1`);
      write(now);
      const second = new Running(["follow", log(), ...SITE], env, { isHere: true });
      await eventually(async () => (await paths()).length === 4);
      assert.deepEqual(await paths(), ["/1", "/2", "/3", "/4"]);
      assert.deepEqual(await second.end(), { code: 0, out: "", err: "" });
    });

    it("sends what is there when asked to, and lines of a pipe", async () => {
      write(now, 3);
      const args = ["follow", log(), ...SITE, "--from-start"];
      const fromStart = new Running(args, env, { isHere: true });
      await eventually(async () => (await paths()).length === 3);
      await fromStart.end();
      const input = `${WRITERS.combined?.({ at: now, ip: "192.0.2.2", target: "/pipe", agent: CHROME })}\n`;
      assert.equal((await spawned(["follow", "-", ...SITE], env, input)).code, 0);
      assert.deepEqual((await paths()).length, 4);
    });

    it("ends with a sentence where trying again is no use", async () => {
      write(now);
      const run = (more: Record<string, string>, ...args: string[]) =>
        tallydeck(["follow", log(), "--from-start", ...args], { ...env, ...more });
      assert.match((await run({}, "--site", "nothere")).err, /There is no site/);
      assert.match((await run({ TALLYDECK_LOGS_TOKEN: "tdp_x" }, ...SITE)).err, /push token/);
      assert.match((await run({ TALLYDECK_LOGS_TOKEN: "" }, ...SITE)).err, /A token is missing/);
      const wrong = await run({}, ...SITE, "--log-format", "$status");
      assert.deepEqual([wrong.code, /needs \$time_local/.test(wrong.err)], [1, true], wrong.err);
      assert.equal((await run({})).code, 2);
    });
  });

  it("sends each line once, whoever is killed", async () => {
    const { below } = seeded(TEST_SEED);
    const port = await freePort();
    const data = join(folder(), "data");
    const startBox = async () => {
      const box = new Running(
        ["run", "--data-dir", data, "--port", "0", "--webui-port", `${port}`],
        { SITES: "blog", STATS_TOKEN: "t" },
      );
      const [, collector] = await box.says(/localhost:(\d+)\/dashboard/);
      return { box, collector: Number(collector) };
    };
    let { box, collector } = await startBox();
    const made = await askPort(port, "/api/push-tokens", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "nginx", use: "logs" }),
    });
    assert.equal(made.status, 201, made.text);
    const env = {
      TALLYDECK_URL: `http://127.0.0.1:${port}`,
      TALLYDECK_LOGS_TOKEN: made.json.token,
    };
    writeFileSync(log(), "");
    const startFollower = () => new Running(["follow", log(), ...SITE, "--from-start"], env);
    let follower = startFollower();
    let rotated = 0;
    for (let round = 0; round < ROUNDS; round++) {
      write(Date.now(), 1 + below(40));
      await wait(below(LONGEST_PAUSE_MS));
      if (round === 3 || round === 8) renameSync(log(), `${log()}.${++rotated}`);
      write(Date.now(), 1 + below(40));
      if (round % 3 === 1) {
        await follower.end("SIGKILL");
        follower = startFollower();
      }
      if (round % 4 === 2) {
        await box.end("SIGKILL");
        ({ box, collector } = await startBox());
      }
    }
    const stats = async () => (await askPort(collector, "/stats?site=blog&token=t")).json;
    await eventually(async () => (await stats()).pv?._ >= lines);
    const { pv, path } = await stats();
    assert.equal(pv._, lines, `TEST_SEED=${TEST_SEED}`);
    assert.deepEqual([...new Set(Object.values(path))], [1], `TEST_SEED=${TEST_SEED}`);
    await follower.end();
    await box.end();
  });
});
