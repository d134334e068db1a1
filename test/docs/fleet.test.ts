import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { RunningCollector } from "../helpers/collector.ts";
import { countedViews } from "../helpers/counted-views.ts";
import { balancing, ComposeFile, imageCommands, readFleet, unitProcess } from "../helpers/fleet.ts";
import { eachFolder } from "../helpers/folder.ts";
import { freePort } from "../helpers/free-port.ts";
import { readOpenMetrics } from "../helpers/open-metrics.ts";
import { Postgres } from "../helpers/postgres.ts";
import { siteRow } from "../helpers/stored-sites.ts";
import { Running } from "../helpers/tallydeck.ts";
import { untilTold } from "../helpers/until.ts";
import { ADMIN, askPort } from "../helpers/world.ts";

/** Ten seconds and more: its services run as compose.yaml has them, and one is replaced while visitors come. */

/** The image's own look at a service on a port. */
const looksHealthy = (port: number) => {
  const [, ...args] = imageCommands().health;
  return promisify(execFile)(process.execPath, args, { env: { PORT: `${port}` } });
};
const VARIABLES = {
  STATS_NAME: "stats.example.com",
  STATS_TOKEN: ADMIN,
  DATABASE_PASSWORD: "counts",
  DATABASE_OWNER_PASSWORD: "owns",
};

/** A load balancer, which uses ready collectors in turn. */
class Balancer {
  readonly answered: string[] = [];
  readonly #collectors: readonly RunningCollector[];
  readonly #healthUri: string;
  #turn = 0;
  #page = 0;

  constructor(collectors: readonly RunningCollector[], healthUri: string) {
    this.#collectors = collectors;
    this.#healthUri = healthUri;
  }

  async ready(): Promise<RunningCollector[]> {
    const found = this.#collectors.map(async (collector) => {
      const reply = await collector.ask(this.#healthUri).catch(() => undefined);
      return reply?.status === 200 ? [collector] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /** Sends each of so many views to somebody who is ready. */
  async send(views: number): Promise<void> {
    const ready = await this.ready();
    const sent = Array.from({ length: views }, async () => {
      const page = `/page-${this.#page++}`;
      const reply = await ready[this.#turn++ % ready.length]?.view(page);
      if (reply?.status === 200) this.answered.push(page);
    });
    await Promise.all(sent);
  }
}

describe("a fleet", () => {
  const folder = eachFolder();
  let server: Postgres;
  beforeEach(async () => {
    server = await Postgres.start();
  });
  afterEach(() => server.end());

  /** Makes the database, its owner and the role that counts as `compose.yaml` does. */
  async function database(compose: ComposeFile): Promise<Record<string, string>> {
    await server.sql("CREATE ROLE owner LOGIN PASSWORD 'owns'");
    await server.sql("CREATE DATABASE tallydeck OWNER owner");
    await server.sql(compose.roles, "tallydeck");
    await server.sql("ALTER SCHEMA public OWNER TO owner", "tallydeck");
    return { "@database:5432/": `@127.0.0.1:${server.port}/`, "172.31.84.0/24": "127.0.0.1" };
  }

  async function migrated(compose: ComposeFile, here: Record<string, string>): Promise<void> {
    const { program, args, env } = compose.processOf("migrate", here);
    const { code, out, err } = await new Running(args, env, { program }).ended;
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^Made the tables .*\ntallydeck may count and read there\.\n$/);
    await server.sql(siteRow(1, "blog"), "tallydeck");
  }

  it("of compose.yaml loses no answered hit while one of it is replaced", async () => {
    const compose = new ComposeFile(VARIABLES);
    const here = await database(compose);
    await migrated(compose, here);
    const { upstreams, healthUri } = balancing();
    const names = upstreams.map((upstream) => upstream.replace(/:8480$/, ""));
    assert.deepEqual(names, Object.keys(compose.services).slice(0, 3));
    const metricsPort = await freePort();
    const started = names.map((name, index) => {
      const { program, args, env } = compose.processOf(name, here);
      const more = { METRICS_PORT: index === 0 ? `${metricsPort}` : "" };
      return RunningCollector.start({ ...env, ...more }, { program, args });
    });
    const collectors = await Promise.all(started);
    const [first, second] = collectors as [RunningCollector, RunningCollector];
    await Promise.all(collectors.map((collector) => collector.answers(200)));
    for (const { port } of collectors) await looksHealthy(port);

    const balancer = new Balancer(collectors, healthUri);
    await balancer.send(60);
    second.signal("SIGTERM");
    await untilTold(async () => !(await balancer.ready()).includes(second));
    await assert.rejects(looksHealthy(second.port));
    const late = await second.view("/late");
    await balancer.send(60);
    assert.deepEqual([(await second.ended).code, late.status], [0, 200]);
    await balancer.send(60);

    assert.equal(balancer.answered.length, 180);
    const headers = { authorization: `Bearer ${ADMIN}` };
    const { json } = await first.ask("/stats?site=blog", { headers });
    const pages = [...balancer.answered, "/late"].map((page) => [page, 1]);
    assert.deepEqual(json.path, Object.fromEntries(pages));
    const told = readOpenMetrics((await askPort(metricsPort, "/metrics")).text);
    assert.equal(told.get("tallydeck_node")?.samples[0]?.labels.name, "collect-1");
    assert.ok((told.get("tallydeck_database_connections")?.samples[0]?.value ?? 0) > 0);
    for (const collector of collectors) await collector.end("SIGKILL");
  });

  it("of units counts, as systemd starts each for a port", async () => {
    const port = await freePort();
    const cache = join(folder(), "cache");
    const { program, args, env } = unitProcess({
      "%i": `${port}`,
      "%H": hostname(),
      "%C": cache,
      "%b": "boot",
    });
    const shared = { DATABASE_URL: server.url(), SITES: "blog", DRAIN_SECONDS: "0" };
    const collector = new Running(args, { ...env, ...shared }, { program });
    await collector.says(new RegExp(`localhost:${port}\\n.*, as ${hostname()}-${port}$`, "m"));
    while ((await askPort(port, "/")).status !== 200) await setTimeout(20);
    assert.equal((await askPort(port, "/e?s=blog&v=e30")).status, 200);
    assert.deepEqual((await collector.end()).code, 0);
    assert.equal(await countedViews(server.url()), 1);
  });

  it("has a unit as systemd wants it, which exposes its machine little", () => {
    const name = "tallydeck-collect@.service";
    mkdirSync(join(folder(), "etc/systemd/system"), { recursive: true });
    const file = join(folder(), "etc/systemd/system", name);
    const program = /^ExecStart=\S+/m;
    writeFileSync(file, readFleet(name).replace(program, "ExecStart=/bin/true"));
    const analyze = (...more: string[]) =>
      spawnSync("systemd-analyze", [...more, file], { encoding: "utf8" });
    const { stdout, stderr } = analyze("verify", "--man=no");
    // Newer keys than this machine's systemd knows are not mistakes.
    const said = `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
    const NEWER = /Unknown key (?:name )?'(?:RestartSteps|RestartMaxDelaySec)'/;
    const left = said.filter((line) => !NEWER.test(line));
    assert.deepEqual(left, []);
    const { stdout: score } = analyze("security", "--offline=true", "--no-pager");
    const exposure = Number(/Overall exposure level.*?: ([\d.]+)/.exec(score)?.[1]);
    assert.ok(exposure <= 1.3, `${exposure}`);
  });
});
