import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { RunningCollector } from "../../../helpers/collector.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { freePort } from "../../../helpers/free-port.ts";
import { listingModules } from "../../../helpers/loaded-modules.ts";
import { readOpenMetrics } from "../../../helpers/open-metrics.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../../helpers/postgres.ts";
import { MAIN } from "../../../helpers/tallydeck.ts";
import { ADMIN, askPort } from "../../../helpers/world.ts";

const SURVEY = { method: "POST", body: JSON.stringify({ sv: 1, a: {} }) };

/** SQL that fails like a server with a full disk. */
const NO_ROOM = `
  CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
  END $$;
  CREATE TRIGGER full_disk BEFORE INSERT ON log EXECUTE FUNCTION full_disk()`;

describe("tallydeck collect", () => {
  const database = eachDatabase();
  const folder = eachFolder();
  const environment = async (more: Record<string, string> = {}) => ({
    DATABASE_URL: (await sharedPostgres()).url({ database: database() }),
    SITES: "blog",
    STATS_TOKEN: ADMIN,
    NODE_NAME: "berlin-1",
    DRAIN_SECONDS: "0",
    ...more,
  });
  const pagesOf = async (collector: RunningCollector) => {
    const headers = { authorization: `Bearer ${ADMIN}` };
    return (await collector.ask("/stats?site=blog", { headers })).json.path;
  };

  it("does nothing without a database", async () => {
    const { code, err } = await tallydeck(["collect"]);
    assert.equal(code, 2);
    assert.match(err, /name it in DATABASE_URL/);
  });

  it("takes no flag of the decks", async () => {
    const { code, err } = await tallydeck(["collect", "--virtual-deck", "mk2"]);
    assert.deepEqual([code, /There is no option --virtual-deck/.test(err)], [2, true]);
  });

  it("counts, and goes on answering once it is told to stop, until it is told again", async () => {
    const collector = await RunningCollector.start(await environment({ DRAIN_SECONDS: "600" }));
    await collector.answers(200);
    assert.equal((await collector.view("/one")).status, 200);
    collector.signal("SIGTERM");
    await collector.answers(503);
    const { status, headers, json } = await collector.ask("/");
    assert.deepEqual([status, headers["retry-after"], json.code], [503, "1", "not_ready"]);
    const late = await collector.view("/two");
    assert.deepEqual([late.status, late.headers.connection], [200, "close"]);
    assert.deepEqual(await pagesOf(collector), { "/one": 1, "/two": 1 });
    const { code, err } = await collector.end();
    assert.deepEqual([code, err], [0, ""]);
    const again = await RunningCollector.startHere(await environment());
    await again.answers(200);
    assert.deepEqual(await pagesOf(again), { "/one": 1, "/two": 1 });
    await again.end();
  });

  it("answers hits while the database has no room, and says how many are lost when it must stop", async () => {
    const collector = await RunningCollector.startHere(await environment());
    await collector.answers(200);
    await (await sharedPostgres()).sql(NO_ROOM, database());
    assert.equal((await collector.view("/one")).status, 200);
    const { code, err } = await collector.end();
    assert.equal(code, 1);
    assert.match(err, /No space left on device \(53100\)/);
    assert.match(err, /took nothing. Hits that were answered and are lost: 1\./);
  });

  it("is named by `tallydeck status`, with the others that count there", async () => {
    const all = await Promise.all(
      ["berlin-1", "berlin-2"].map(async (NODE_NAME) =>
        RunningCollector.startHere(await environment({ NODE_NAME })),
      ),
    );
    for (const collector of all) await collector.answers(200);
    const status = async () =>
      (await tallydeck(["status", "--data-dir", folder()], await environment())).out;
    const told = await status();
    assert.match(
      told,
      /^Tallydeck itself does not run here\. 2 collectors count into the database\.\n/,
    );
    assert.match(
      told,
      /^ {2}Collectors berlin-1( \(settles the log\))?, berlin-2( \(settles the log\))?$/m,
    );
    await all[1]?.end();
    assert.match(await status(), /One collector counts.*\n(.*\n)* {2}Collectors berlin-1/);
    await all[0]?.end();
    assert.match(await status(), /is not running\..*\n(.*\n)* {2}Collectors none$/m);
  });

  it("leaves a database that a newer version has raised, says so at /, and takes nothing that it could not store", async () => {
    const collector = await RunningCollector.startHere(await environment());
    await collector.answers(200);
    const server = await sharedPostgres();
    const raise = "UPDATE meta SET value = '99' WHERE key IN ('format', 'readable_by')";
    await server.sql(raise, database());
    await collector.answers(503);
    assert.match((await collector.ask("/")).text, /or is of a newer version/);
    assert.equal((await collector.view("/one")).status, 503);
    const { code, out, err } = await collector.end();
    assert.equal(code, 0);
    assert.match(out + err, /from a newer Tallydeck/);
  });

  it("refuses what it could not count until the database has answered once", async () => {
    const server = await Postgres.start();
    const DATABASE_URL = server.url();
    await server.stop();
    const metricsPort = await freePort();
    const collector = await RunningCollector.startHere(
      await environment({ DATABASE_URL, METRICS_PORT: `${metricsPort}` }),
    );
    try {
      for (const path of ["/", "/e?s=blog", "/a?s=blog", "/stats", "/badge?site=blog", "/sites"]) {
        const { status, headers, json } = await collector.ask(path);
        assert.deepEqual(
          [status, headers["retry-after"], json.code],
          [503, "1", "not_ready"],
          path,
        );
      }
      const survey = await collector.ask("/s?s=blog", SURVEY);
      assert.deepEqual([survey.status, survey.headers["access-control-allow-origin"]], [503, "*"]);
      assert.equal((await collector.ask("/s?s=blog", { method: "OPTIONS" })).status, 204);
      for (const path of ["/s.js", "/dashboard", "/help"])
        assert.equal((await collector.ask(path)).status, 200);
      const ready = async () =>
        readOpenMetrics((await askPort(metricsPort, "/metrics")).text).get("tallydeck_ready")
          ?.samples[0]?.value;
      assert.equal(await ready(), 0);
      assert.ok(collector.out.includes(`Metrics    http://localhost:${metricsPort}/metrics`));
      await server.restart();
      await collector.answers(200);
      assert.equal(await ready(), 1);
      assert.equal((await collector.view("/")).status, 200);
      assert.equal((await collector.ask("/s?s=blog", SURVEY)).status, 204);
      assert.equal((await collector.end()).code, 0);
    } finally {
      await server.end();
    }
  });

  it("stops at once where nobody was sent to it yet", async () => {
    const DATABASE_URL = `postgres://tally:secret@127.0.0.1:${await freePort()}/tally`;
    const env = await environment({ DATABASE_URL, DRAIN_SECONDS: "600" });
    const { code, err, out } = await (await RunningCollector.startHere(env)).end();
    assert.equal(code, 0);
    assert.match(out, /Database {3}postgres:\/\/tally@127\.0\.0\.1:\d+\/tally, as berlin-1/);
    assert.doesNotMatch(out + err, /secret/);
  });

  it("ends with a sentence where the database will never let it in", async () => {
    const server = await sharedPostgres();
    const { user } = await server.createWriter(database());
    const DATABASE_URL = server.url({ database: database(), user, password: "wrong" });
    const { code, err } = await tallydeck(["collect", "--port", "0"], { DATABASE_URL });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`^The database refuses the user ${user} with this password`, "m"));
    assert.doesNotMatch(err, /wrong/);
    const url = await tallydeck(["collect", "--database-url", "postgres://u:secret@db"]);
    assert.deepEqual([url.code, /secret/.test(url.err)], [2, false]);
  });

  it("says which port is taken", async () => {
    const taken = createServer().listen(0);
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const { code, err } = await tallydeck(["collect", "--port", `${port}`], await environment());
    taken.close();
    assert.equal(code, 1);
    assert.match(err, /another program uses it\. Choose another with --port/);
  });

  it("loads no deck, no SQLite and no MQTT, and starts no thread before the first read", async () => {
    const { env, program, loaded } = listingModules(folder());
    const collector = await RunningCollector.start(
      { ...env, ...(await environment()) },
      { program },
    );
    await collector.answers(200);
    await collector.view("/");
    const natives = readFileSync(`/proc/${collector.pid}/maps`, "utf8").match(/\S+\.node$/gm);
    assert.deepEqual(natives, null);
    assert.ok((await collector.end()).code === 0);
    const modules = loaded();
    assert.ok(modules.some((url) => url.endsWith("/store/postgres/connection/connection.ts")));
    const OTHERS =
      /sqlite|\/deck\/(?!usb\/\S*models|usb\/places)|\/control\/|\/mqtt\/(?!settings|checked)|napi-rs|node-hid|modules\/usb|worker:/;
    const left = modules.filter((url) => OTHERS.test(url));
    assert.deepEqual(left, []);
  });

  it("serves a socket that systemd hands over", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { fd }: { fd: number } = Reflect.get(server, "_handle");
    const child = spawn(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, MAIN, "collect"],
      {
        env: { ...(await environment()), LISTEN_FDS: "1", LISTEN_FDNAMES: "collector" },
        stdio: ["ignore", "ignore", "inherit", fd],
      },
    );
    server.close();
    while ((await askPort(port, "/")).status !== 200) await setTimeout(20);
    child.kill();
    const [code] = await once(child, "exit");
    assert.equal(code, 0);
  });
});
