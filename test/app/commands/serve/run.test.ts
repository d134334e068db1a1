import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { freePort } from "../../../helpers/free-port.ts";
import { listingModules } from "../../../helpers/loaded-modules.ts";
import { Running, RunningService, spawned } from "../../../helpers/tallydeck.ts";
import { ADMIN, askPort, encode, serviceOn } from "../../../helpers/world.ts";

describe("tallydeck run", () => {
  const folder = eachFolder();
  const file = (text: string) => {
    const path = join(folder(), "tallydeck.env");
    writeFileSync(path, text);
    return path;
  };

  /** Holds that a folder of data and all in it is its user's alone. */
  function assertPrivate(dataDir: string): void {
    const found = [".", ...readdirSync(dataDir)].map((name) => statSync(join(dataDir, name)));
    const modes = found.map((each) => [each.isDirectory(), each.mode & 0o777]);
    assert.ok(modes.some(([isFolder]) => isFolder) && modes.some(([isFolder]) => !isFolder));
    assert.deepEqual(
      modes,
      modes.map(([isFolder]) => [isFolder, isFolder ? 0o700 : 0o600]),
    );
  }

  it("says where everything is, serves both listeners, loads nothing of PostgreSQL or mail that it has no use for, and stops when it is told to", async () => {
    const dataDir = join(folder(), "made/for/it");
    const { env, program, loaded } = listingModules(folder());
    const settings = { ...env, SITES: "blog", STATS_TOKEN: ADMIN };
    const service = await RunningService.start(dataDir, settings, { program });
    const [, control] = await service.says(/Web UI {5}http:\/\/localhost:(\d+)\//);
    assert.match(service.out, /^Tallydeck is ready\.$/m);
    assert.match(service.out, /Setup {6}http:\/\/localhost:\d+\/help/);
    assert.ok(service.out.includes(`Data       ${dataDir}`));
    assert.match(
      service.out,
      /^ {2}Reached {4}the collector on all interfaces \(--host\), the Web UI from this machine only \(--bind\)$/m,
    );
    assert.equal((await service.ask("/")).text, "ok");
    assert.equal((await askPort(service.port, "/", { to: "127.0.0.5" })).text, "ok");
    assert.equal((await askPort(Number(control), "/api/sites")).status, 200);
    await service.ask(`/a?v=${encode({})}`);
    const { code, err } = await service.end("SIGINT");
    assert.deepEqual([code, err], [0, ""]);
    assert.ok(!readdirSync(dataDir).includes("tallydeck.db-wal"), "all is folded into the file");
    assert.ok(loaded().some((url) => url.endsWith("/store/sqlite/engine.ts")));
    assert.deepEqual(
      loaded().filter((url) =>
        /\/store\/postgres\/|node_modules\/(pg|nodemailer)|\/mail\/client/.test(url),
      ),
      [],
    );
  });

  it("says what a first start lacks, as it can be typed, and keeps its data from other users, also what an earlier version left open", async () => {
    const dataDir = join(folder(), "it's/data");
    const first = await RunningService.start(dataDir);
    const line = /^No site yet\. Add one: (.*)$/m;
    const typed = (await first.says(line))[1] ?? "";
    const made = (await first.says(/^No admin token yet, .* Make one: (.*)$/m))[1] ?? "";
    assertPrivate(dataDir);
    const env = { PATH: process.env.PATH ?? "" };
    assert.match(execFileSync("bash", ["-c", typed], { env, encoding: "utf8" }), /^Added my-site/);
    const token = execFileSync("bash", ["-c", made], { env, encoding: "utf8" }).trim();
    while ((await first.ask(`/sites?token=${token}`)).status !== 200);
    await first.end();
    chmodSync(dataDir, 0o755);
    chmodSync(join(dataDir, "tallydeck.db"), 0o644);
    const second = await RunningService.startHere(dataDir);
    await second.says(/Data /);
    assertPrivate(dataDir);
    await second.end();
    assert.doesNotMatch(second.out, /No site yet|No admin token/);
    await tallydeck(["backup", join(folder(), "b.db"), "--data-dir", dataDir]);
    assert.equal(statSync(join(folder(), "b.db")).mode & 0o777, 0o600);
  });

  for (const TZ of ["", "Nowhere/Land"])
    it(`with a deck and TZ="${TZ}" shows the time in UTC, and says so`, async () => {
      const service = await RunningService.start(folder(), { VIRTUAL_DECK: "mk2", TZ });
      const [, control] = await service.says(/Web UI {5}http:\/\/localhost:(\d+)\//);
      assert.equal((await askPort(Number(control), "/api/decks")).json.decks.length, 1);
      const { code, err } = await service.end();
      assert.equal(code, 0);
      assert.match(err, /^warn: The system's time zone is none that is known: clocks show UTC\./);
    });

  it("listens on the address it is given, where visitors come by TLS, too, who are refused while it has no certificate", async () => {
    const port = await freePort();
    const ports = ["--port", "0", "--webui-port", "0", "--tls-port", `${port}`];
    const args = ["run", "--data-dir", folder(), "--host", "127.0.0.4", ...ports];
    const here = new Running(args, { SITES: "blog" }, { isHere: true });
    const [, plain] = await here.says(/Dashboard {2}http:\/\/127\.0\.0\.4:(\d+)\/dashboard/);
    await here.says(/the collector from this machine only/);
    await here.says(new RegExp(`^ {2}TLS {8}port ${port}, for visitors`, "m"));
    assert.equal((await askPort(Number(plain), "/", { to: "127.0.0.4" })).text, "ok");
    await assert.rejects(askPort(port, "/", { to: "127.0.0.4", byTls: true }), {
      message: /alert handshake failure/,
    });
    for (const elsewhere of [Number(plain), port])
      await assert.rejects(askPort(elsewhere, "/", { to: "127.0.0.5" }), { code: "ECONNREFUSED" });
    await here.end();
  });

  it("refuses an address that is none of this machine", async () => {
    const wrong = await tallydeck(["run", "--host", "nowhere"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /HOST must be an address of this machine/);
  });

  it("goes on when nobody reads any more what it says", async () => {
    const port = await freePort();
    const args = ["run", "--data-dir", folder(), "--port", `${port}`, "--webui-port", "0"];
    const service = new Running(args, { SITES: "blog" });
    service.unheard();
    let over = false;
    void service.ended.then(() => {
      over = true;
    });
    const answer = () => askPort(port, "/").catch(() => undefined);
    while (!over && (await answer()) === undefined) await setTimeout(50);
    await setTimeout(100);
    assert.equal((await answer())?.text, "ok");
    assert.equal((await service.end()).code, 0);
  });

  describe("refuses a configuration", () => {
    it("with every problem at once, naming key and what is accepted, before it listens", async () => {
      const path = file(
        "SITES=-blog\nPROT=80\nno key\nRETENTION_DAYS=\nSTATS_TOKEN_BLOG='a b'\ntoString=1\n",
      );
      const { code, out, err } = await tallydeck(
        ["run", "--config", path, "--port", "99999", "--bind", "300.1.1.1"],
        {
          WEBUI_PORT: "many",
          RETENTION_DAYS: "0",
          WAIT_FOR_CLOCK: "constructor",
          TRUSTED_PROXIES: "10.0.0.0/33",
          BADGE_SITES: "a,b c",
          STATS_TOKEN: "two words",
          DATA_DIR: join(folder(), "never-made"),
        },
      );
      assert.deepEqual([code, out], [2, ""]);
      const [first, ...problems] = err.trimEnd().split("\n");
      assert.equal(first, "The configuration cannot be used:");
      const expected = [
        /^ {2}.*tallydeck\.env:2 sets PROT, which is no key\. Known are SITES, .*STATS_TOKEN_<ID>\.$/,
        /^ {2}.*tallydeck\.env:3 is not KEY=VALUE\.$/,
        /^ {2}.*tallydeck\.env:6 sets toString, which is no key\. Known are .*$/,
        /^ {2}STATS_TOKEN_BLOG must be a token without spaces\.$/,
        /^ {2}SITES must be site ids, comma separated, .* \(www\. makes no difference\)\.$/,
        /^ {2}STATS_TOKEN must be a token without spaces\.$/,
        /^ {2}BADGE_SITES must be site ids, comma separated\.$/,
        /^ {2}RETENTION_DAYS must be a number of days from 1 to 36500\.$/,
        /^ {2}TRUSTED_PROXIES must be addresses or CIDR blocks, .*\.$/,
        /^ {2}WAIT_FOR_CLOCK must be 0 or 1\.$/,
        /^ {2}PORT must be a port from 0 to 65535 .*\.$/,
        /^ {2}WEBUI_PORT must be a port from 0 to 65535 .*\.$/,
        /^ {2}BIND must be an address of this machine, .*\.$/,
      ];
      for (const pattern of expected)
        assert.ok(
          problems.some((line) => pattern.test(line)),
          `${pattern} in\n${err}`,
        );
      assert.equal(problems.length, expected.length, err);
      assert.deepEqual(readdirSync(folder()), ["tallydeck.env"]);
    });

    it("whose listeners would be one", async () => {
      const { code, err } = await tallydeck(["run", "--port", "8480", "--webui-port", "8480"]);
      assert.equal(code, 2);
      assert.match(err, /WEBUI_PORT must be another port than PORT\./);
    });

    it("whose sites are malformed, repeated, or share a token's name", async () => {
      const refusals = await Promise.all(
        [
          "blog,blog",
          "-blog",
          `${"a".repeat(33)}`,
          "a:host.example,b:host.example",
          "a:not a host",
          "my-site,my_site",
        ].map((SITES) => tallydeck(["run", "--data-dir", folder()], { SITES })),
      );
      for (const { code, err } of refusals.slice(0, -1)) {
        assert.equal(code, 2);
        assert.match(err, /SITES must be site ids/);
      }
      assert.equal(refusals.at(-1)?.code, 2);
      assert.match(
        refusals.at(-1)?.err ?? "",
        /SITES names my-site and my_site, whose tokens would both be STATS_TOKEN_MY_SITE\. Rename one\./,
      );
    });

    it("whose file cannot be read", async () => {
      const { code, err } = await tallydeck(["run", "--config", join(folder(), "none.env")]);
      assert.equal(code, 2);
      assert.match(err, /CONFIG names .*none\.env, which cannot be read \(ENOENT\)\./);
    });
  });

  it("takes a flag before the environment, that before the file, also one from Windows with quotes and comments, that before the default", async () => {
    const dirs = ["flag", "env", "file"].map((name) => join(folder(), name)) as [
      string,
      string,
      string,
    ];
    const path = file(
      `\uFEFF# settings\r\n\r\n  SITES = "blog:stats.example:8480, shop"\r\nSTATS_TOKEN='to#ken'\r\nSTATS_TOKEN_SHOP="shop=token"\r\nBADGE_SITES=blog\r\nDATA_DIR=${dirs[2]}\r\n`,
    );
    const listed = await Promise.all([
      tallydeck(["sites", "--config", path, "--data-dir", dirs[0]], { DATA_DIR: dirs[1] }),
      tallydeck(["sites", "--config", path], { DATA_DIR: dirs[1] }),
      tallydeck(["sites"], { CONFIG: path, DATA_DIR: "" }),
    ]);
    for (const [i, { out }] of listed.entries())
      assert.ok(out.endsWith(` --data-dir ${dirs[i]}\n`), out);
    const service = await RunningService.startHere(dirs[0], { CONFIG: path, BADGE_SITES: "shop" });
    assert.deepEqual((await service.ask("/sites?token=to%23ken")).json, [
      { id: "blog", host: "stats.example:8480" },
      { id: "shop", host: null },
    ]);
    assert.equal((await service.ask("/stats?site=shop&token=shop%3Dtoken")).status, 200);
    assert.equal((await service.ask("/badge?site=shop")).status, 200);
    assert.notEqual((await service.ask("/badge?site=blog")).status, 200);
    await service.end();
  });

  it("fails when a port is taken, and says which", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, resolve));
    const { port } = other.address() as { port: number };
    const [collector, control] = await Promise.all([
      tallydeck(["run", "--data-dir", join(folder(), "a"), "--port", `${port}`]),
      // By a process of its own, which has to end though it listens already.
      spawned(
        ["run", "--data-dir", join(folder(), "b"), "--port", "0", "--webui-port", `${port}`],
        { BIND: "::" },
      ),
    ]);
    other.close();
    for (const { code, out, err } of [collector, control]) {
      assert.deepEqual([code, out], [1, ""]);
      const sentence = `Cannot listen on :: port ${port}: another program uses it. Choose another with --port, --host, --tls-port, --webui-port, --metrics-port or --bind, which are PORT, HOST, TLS_PORT, WEBUI_PORT, METRICS_PORT or BIND in a file of settings.\n`;
      assert.equal(err, sentence);
    }
  });

  it("fails when another service runs on the same data, which goes on", async () => {
    const service = await RunningService.start(folder(), { SITES: "blog", STATS_TOKEN: ADMIN });
    const second = await tallydeck(
      ["run", "--data-dir", folder(), "--port", "0", "--webui-port", "0"],
      { SITES: "other" },
    );
    assert.deepEqual([second.code, second.out], [1, ""]);
    assert.equal(
      second.err,
      `A Tallydeck service is running on ${folder()}. Stop it first, or name another folder with --data-dir.\n`,
    );
    assert.deepEqual((await service.ask(`/sites?token=${ADMIN}`)).json, [
      { id: "blog", host: null },
    ]);
    await service.end("SIGKILL");
    const third = await serviceOn(folder());
    assert.equal((await third.ask("/")).text, "ok");
    await third.stop();
  });

  it("leaves a folder that many use as it is", async () => {
    chmodSync(folder(), 0o1777);
    await (await serviceOn(folder())).stop();
    assert.equal(statSync(folder()).mode & 0o7777, 0o1777);
  });

  it("fails when its folder cannot be made, and says what to do", async () => {
    const { code, err } = await tallydeck(["run", "--data-dir", "/proc/none/of/it", "--port", "0"]);
    assert.deepEqual(
      [code, err],
      [1, "The folder /proc/none cannot be made (ENOENT). Name another with --data-dir.\n"],
    );
  });

  it("stays when the data cannot be used, and says what to do", async () => {
    writeFileSync(join(folder(), "tallydeck.db"), "my diary\n".repeat(999));
    const args = ["run", "--data-dir", folder(), "--port", "0", "--webui-port", "0"];
    const service = new Running(args);
    await service.says(
      /^.*tallydeck\.db is damaged or no database .* Restore a backup with .*\n.* In the Web UI .*: http:\/\/localhost:\d+\/\n/,
    );
    const { code, err } = await service.end();
    assert.equal(code, 0);
    assert.match(err, /The data cannot be used: open the Web UI to repair it/);
  });

  it("says that data is gone rather than to begin anew, to the other commands too", async () => {
    await (await serviceOn(folder())).stop();
    rmSync(join(folder(), "tallydeck.db"));
    const { code, err } = await tallydeck(["sites", "add", "shop", "--data-dir", folder()]);
    assert.equal(code, 1);
    assert.match(
      err,
      /^.*tallydeck\.db is gone\. Restore a backup with `\.\/scripts\/tallydeck restore FILE`\.\n$/,
    );
    const args = ["run", "--data-dir", folder(), "--port", "0", "--webui-port", "0"];
    const again = new Running(args, {}, { isHere: true });
    await again.says(/tallydeck\.db is gone\./);
    assert.equal((await again.end()).code, 0);
  });
});
