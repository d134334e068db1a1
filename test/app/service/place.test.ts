import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toStart } from "../../../appliance/app/commands/data.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { Pebble } from "../../helpers/pebble.ts";
import { type Ended, Running, RunningService } from "../../helpers/tallydeck.ts";
import { untilTold } from "../../helpers/until.ts";
import { askPort, CHROME, encode } from "../../helpers/world.ts";

const ADMIN = "the-admin-token";
const INVITATION = /^tallydeck-place:https:\/\/\S+$/m;

describe("a place alone", () => {
  const folder = eachFolder();
  let pebble: Pebble;
  before(async () => {
    pebble = await Pebble.open();
  });
  after(() => pebble.end());

  const dir = (name: string) => join(folder(), name);
  const written = (name: string, text: string) => {
    writeFileSync(dir(name), text);
    return dir(name);
  };
  const started = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    new Running(["place", "--data-dir", dir("place"), ...args], { SITES: "blog", ...env });
  const refused = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    tallydeck(["place", "--data-dir", dir("place"), ...args], env);
  const view = (port: number, byTls = false) =>
    askPort(port, `/e?${new URLSearchParams({ s: "blog", v: encode({ p: "/", u: 1 }) })}`, {
      byTls,
      headers: { "user-agent": CHROME },
    });

  it("has a name and a certificate of its own, and home shows what it counts by the line that it prints", async () => {
    const { tls } = pebble.ports;
    const named = {
      PUBLIC_NAME: "127.0.0.1",
      ACME_AGREE: "1",
      ACME_DIRECTORY: pebble.directory,
      ACME_CA: written("ca.pem", pebble.ca),
      TLS_PORT: String(tls),
      PORT: "0",
    };
    const place = started(["--address", `https://127.0.0.1:${tls}`], named);
    const [invitation] = await place.says(INVITATION);
    await untilTold(async () => place.err.includes("Visitors reach the machine by"));
    const home = await RunningService.start(dir("home"), {
      SITES: "blog",
      STATS_TOKEN: ADMIN,
      NODE_EXTRA_CA_CERTS: written("root.pem", await pebble.root()),
    });
    const data = ["--data-dir", dir("home")];
    const added = await tallydeck(["places", "add", invitation, "--name", "Frankfurt", ...data]);
    assert.equal(added.code, 0);
    assert.equal((await view(tls, true)).status, 200);
    const headers = { authorization: `Bearer ${ADMIN}` };
    await untilTold(async () => {
      const { json } = await home.ask("/stats?site=blog", { headers });
      return json.pv?._ === 1;
    });
    const { out } = await tallydeck(["status", "--data-dir", dir("place")], named);
    assert.match(out, /is running/);
    assert.match(out, /Public +127\.0\.0\.1, certificate until /);
    assert.match(out, /Fetched by home asked last on /);
    assert.doesNotMatch(out, /Web UI|Decks/);
    await home.end();
    assert.equal((await place.end()).code, 0);
    const again = started([], named);
    await again.says(/Data /);
    assert.equal((await again.end()).code, 0);
    assert.doesNotMatch(again.out, INVITATION);
  });

  it("answers by http:// behind a proxy of the same machine, which says how it was asked", async () => {
    const place = started(["--http", "0", "--address", "https://stats.example.com"]);
    const [, token = ""] = await place.says(
      /^tallydeck-place:https:\/\/stats\.example\.com#(\S+)$/m,
    );
    const port = Number(/localhost:(\d+)/.exec(place.out)?.[1]);
    assert.equal((await view(port)).status, 200);
    const headers = { authorization: `Bearer ${token}` };
    const changes = (more: object) =>
      askPort(port, "/place/changes", { headers: { ...headers, ...more } });
    assert.equal((await changes({})).status, 403);
    assert.equal((await changes({ "x-forwarded-proto": "https" })).status, 200);
    await place.end();
    const { out } = await tallydeck(["status", "--data-dir", dir("place")]);
    const again = ` place --data-dir ${dir("place")}, with the options that it had`;
    assert.ok(out.includes("is not running. Start it: ") && out.includes(again), out);
    assert.doesNotMatch(out, /Decks/);
    assert.match(out, /Fetched by home/);
    assert.match(
      toStart(dir("place"), { program: "tallydeck" }),
      /^systemctl start tallydeck-place$/,
    );
    const home = await RunningService.start(dir("place"), { SITES: "blog" });
    await home.end();
    assert.match(toStart(dir("place"), { program: "tallydeck" }), /^systemctl start tallydeck$/);
  });

  it("writes no invitation into a journal", async () => {
    const place = started(["--http", "0"], { PUBLIC_NAME: "a.example.com", JOURNAL_STREAM: "8:1" });
    await place.says(/Nobody is invited yet\..* place invite/);
    const { out } = await tallydeck(["status", "--data-dir", dir("place")]);
    assert.match(out, /Fetched by nobody yet/);
    assert.doesNotMatch((await place.end()).out, INVITATION);
  });

  it("says what it lacks before it makes anything", async () => {
    const wanted = [
      [{}, /^A place needs a name/],
      [{ PUBLIC_NAME: "a.example.com" }, /^A certificate is asked for once you agree/],
      [{ DATABASE_URL: "postgres://db/tallydeck" }, /run `.* collect`/],
    ] as const;
    for (const [env, sentence] of wanted) {
      const { code, err } = await refused([], env);
      assert.equal(code, 2);
      assert.match(err, sentence);
    }
    assert.equal((await refused(["--http", "0", "--address", "http://a.example.com"])).code, 2);
  });
});
