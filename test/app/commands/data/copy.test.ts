import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoDays } from "../../../../appliance/traffic/demo/demo.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { change, fill } from "../../../helpers/copying.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../../../helpers/postgres.ts";
import { Running, RunningService } from "../../../helpers/tallydeck.ts";
import { CHROME, encode } from "../../../helpers/world.ts";

describe("tallydeck copy", () => {
  const folder = eachFolder();
  const database = eachDatabase();
  const at = (name: string) => join(folder(), name);
  const url = async () => (await sharedPostgres()).url({ database: database() });
  const copy = (from: string, to: string, ...more: string[]) =>
    tallydeck(["copy", "--from", from, "--to", to, ...more]);

  const view = { counts: { pv: { _: 3 }, path: { "/a": 3 } }, surveys: [{ sv: 1 }] };

  it("says what it copied, and what it found when it compared", async () => {
    fill(at("box"), [{ site: "blog", day: "2026-03-01", ...view }]);
    const to = await url();
    const there = new URL(to);
    const name = `postgres://postgres@${there.host}${there.pathname}`;
    const checked = `Checked 1 days of 1 sites: all that was counted is in ${name}.\n`;
    const { code: done, out: said, err: shown } = await copy(at("box"), to);
    assert.deepEqual([done, withoutProgress(shown)], [0, ""]);
    assert.equal(said, `Copied 1 days of 1 sites, and 1 survey responses.\n${checked}`);
    assert.equal((await copy(at("box"), to)).out, `Nothing was new.\n${checked}`);
    fill(at("box"), [{ site: "blog", day: "2026-03-01", ...view }]);
    const { code, out, err } = await copy(at("box"), to, "--check");
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /has less than was counted:\n {2}blog 2026-03-01: pv 3 of 6\n/);
    fill(at("other"), [{ site: "blog", day: "2026-03-02", ...view }]);
    assert.equal((await copy(to, at("other"))).code, 0);
    const more = await copy(to, at("other"), "--check");
    assert.equal(
      more.out,
      `Checked 1 days of 1 sites: all that was counted is in ${at("other")}.\n`,
    );
  });

  it("takes from a service that goes on counting, and adds to one", async () => {
    const env = { SITES: "blog", STATS_TOKEN: "secret" };
    // A copy is a process beside a service: here beside the one that it adds to.
    const from = await RunningService.startHere(at("box"), env);
    const to = await RunningService.start(at("there"), env);
    let pours = true;
    let answered = 0;
    const pour = async (service: RunningService, lane: string) => {
      for (let i = 0; pours; i++, answered++) {
        const v = encodeURIComponent(encode({ p: `/${lane}/${i % 99}`, u: "1" }));
        const reply = await service.ask(`/e?v=${v}`, { headers: { "user-agent": CHROME } });
        assert.equal(reply.status, 200);
      }
    };
    const lanes = [pour(from, "from"), pour(to, "to")];
    while (answered < 100) await from.ask("/");
    for (let runs = 0; runs < 3; runs++) {
      const { code, err } = await copy(at("box"), at("there"));
      assert.deepEqual([code, withoutProgress(err)], [0, ""]);
    }
    pours = false;
    await Promise.all(lanes);
    const last = await copy(at("box"), at("there"));
    assert.match(
      last.out,
      /It has more, which it counted itself or took from elsewhere, on:\n {2}blog /,
    );
    const { text } = await to.ask("/stats?site=blog&token=secret");
    const { pv, path } = JSON.parse(text) as Record<string, Record<string, number>>;
    assert.equal(pv?._, answered);
    const viewed = Object.values(path ?? {}).reduce((sum, n) => sum + n, 0);
    assert.equal(viewed, answered);
    await Promise.all([from.end(), to.end()]);
  });

  it("may be given twice at once, for two sources that have some of the same", async () => {
    const days = Array.from({ length: 9 }, (_, n) => ({
      site: "blog",
      day: `2026-0${1 + (n % 3)}-0${1 + n}`,
      ...view,
    }));
    fill(at("one"), days);
    assert.equal((await copy(at("one"), at("two"))).code, 0);
    fill(at("two"), days);
    const both = await Promise.all(["one", "two"].map((name) => copy(at(name), at("there"))));
    assert.deepEqual(
      both.map(({ code, err }) => [code, withoutProgress(err)]),
      [
        [0, ""],
        [0, ""],
      ],
    );
    const { out } = await tallydeck(["sources", "--data-dir", at("there")]);
    assert.equal(out.match(/^\d+ {2}copied from /gm)?.length, 2);
    const stats = ["stats", "blog", "--days", "4000", "--json", "--data-dir", at("there")];
    const { pv } = JSON.parse((await tallydeck(stats)).out) as { pv: { _: number } };
    assert.equal(pv._, 2 * 3 * days.length);
  });

  it("is ended by Ctrl-C after the transaction that runs, says how to go on, and goes on", async () => {
    const all = [...demoDays(Date.now())];
    fill(at("box"), all);
    const args = ["copy", "--from", at("box"), "--to", await url()];
    const running = new Running(args, {}, { isHere: true });
    const server = await sharedPostgres();
    const months = () =>
      server.sql("SELECT count(*) AS n FROM block", database()).then(
        ([row]) => Number(row?.n),
        () => 0,
      );
    while ((await months()) === 0);
    const { code, out, err } = await running.end("SIGINT");
    assert.deepEqual([code, out], [1, ""]);
    assert.equal(
      withoutProgress(err),
      "Interrupted. What was copied stays, and the same command goes on from there.\n",
    );
    const before = await months();
    const { code: done, out: said } = await copy(at("box"), await url());
    assert.equal(done, 0);
    assert.match(said, /^Copied \d+ days of 2 sites, .*\nChecked \d+ days of 2 sites: all /);
    assert.match(said, new RegExp(`^Checked ${all.length} days`, "m"));
    assert.ok(before < (await months()), `${before}`);
  });

  it("says in a sentence what hinders it", async () => {
    fill(at("box"), [{ site: "blog", day: "2026-03-01", ...view }]);
    mkdirSync(at("foreign"));
    writeFileSync(join(at("foreign"), "tallydeck.db"), "my diary, which is long enough".repeat(99));
    fill(at("damaged"), [{ site: "blog", day: "2026-03-01", ...view }]);
    change(at("damaged"), (db) => db.exec("UPDATE block SET counts = x'01ff'"));
    const server = await sharedPostgres();
    const { user } = await server.createWriter(database());
    const refused: [from: string, to: string, says: RegExp][] = [
      [at("none"), at("there"), /^There is no data of Tallydeck in .*none\.\n$/],
      [await url(), at("there"), /^There is no data of Tallydeck in postgres:.*\.\n$/],
      [at("foreign"), at("there"), /foreign.* is damaged or no database/],
      [
        at("damaged"),
        at("there"),
        /^Some of what .*damaged has counted cannot be read: .* Restore a backup of it; then give the same command again\.\n$/,
      ],
      [at("box"), at("box"), /hold the same data/],
      [at("box"), "postgres://nowhere", /^--to names no user\. It reads: postgres:/],
      [at("box"), "postgres://a@127.0.0.1:1/b", /cannot be reached: .*Check that the server runs/],
      [
        at("box"),
        server.url({ database: database(), user, password: "wrong" }),
        /^The database refuses the user .* with this password\. Correct them in --to\./,
      ],
      [
        at("box"),
        server.url({ database: database(), user, password: `secret of ${user}: /?#@%` }),
        /may not make them\. Run this once/,
      ],
    ];
    for (const [from, to, says] of refused) {
      const { code, out, err } = await copy(from, to);
      assert.deepEqual([code, out], [1, ""], to);
      assert.match(err, says);
    }
    const { code, err } = await tallydeck(["copy", "--from", at("box")]);
    assert.equal(code, 2);
    assert.match(err, /^Say from where, and to where: /);
  });
});

/** The lines of a run without those of its progress, which a busy machine has more of. */
function withoutProgress(err: string): string {
  return err.replaceAll(/^.*( · \d+ %.*| cannot be reached\. Trying again …)\n/gm, "");
}
