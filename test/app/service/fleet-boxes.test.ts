import assert from "node:assert/strict";
import { sha256 } from "../../../appliance/base/system/secrets.ts";
import { SystemClock } from "../../../appliance/base/system/system-clock.ts";
import { SiteNumbers } from "../../../appliance/control/site-numbers.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { noAlarms } from "../../helpers/no-alarms.ts";
import { Owner } from "../../helpers/owner.ts";
import { Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { until, untilTold } from "../../helpers/until.ts";
import { World } from "../../helpers/world.ts";

/** Five seconds and more: whole boxes, whose real database goes away and comes back. */

/** In their own time: what they share has the time of the machine. */
function boxOf(DATABASE_URL: string, env: Record<string, string> = {}): World {
  const board = () => new SystemClock();
  return new World({ env: { DATABASE_URL, SITES: "", VIRTUAL_DECK: "mini", ...env }, board });
}

const sees = async (...boxes: World[]) => {
  for (const box of boxes)
    await until(() => box.service.store.numbers.directory.sites.some(({ id }) => id === "blog"));
};

const push = (box: World, token: string) =>
  box.askControl("/api/push/door", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ text: "open" }),
  });

describe("boxes that share a database", () => {
  let database: string;
  let url: string;
  let here: World;
  let there: World;

  beforeEach(async () => {
    const server = await sharedPostgres();
    database = await server.createDatabase();
    url = server.url({ database });
    [here, there] = [boxOf(url), boxOf(url)];
    await here.start();
    await there.start();
  });
  afterEach(async () => {
    await Promise.all([here.end(), there.end()]);
    await (await sharedPostgres()).dropDatabase(database);
  });

  it("show on dashboards and keys what any of them counts", async () => {
    await new Owner(here).ask("POST", "/api/sites", { id: "blog" });
    await sees(here, there);
    const numbers = new SiteNumbers(there.service.store.numbers, noAlarms);
    const shown: Record<string, number | undefined> = {};
    const look = async () => {
      for (const period of ["day", "now"] as const)
        shown[period] = (await numbers.numbers("blog", "pv", period))?.value;
    };
    const stop = numbers.changed.on(() => void look());
    for (const box of [here, here, there]) assert.equal((await box.beacon({ p: "/" })).status, 200);
    await until(() => shown.day === 3 && shown.now === 3);
    stop();
    numbers.close();
    for (const box of [here, there]) assert.deepEqual((await box.stats()).pv, { _: 3 });
  });

  it("send a digest from the one on which it was set last", async () => {
    const [owner, other] = [new Owner(here), new Owner(there)];
    await owner.ask("POST", "/api/sites", { id: "blog" });
    await sees(here, there);
    const path = "/api/sites/blog/digest";
    const digest = {
      enabled: true,
      every: "day",
      weekday: 1,
      hour: 8,
      mail: [],
      webhook: null,
      form: "json",
      channel: "digest",
    };
    await owner.ask("PUT", path, digest);
    assert.equal((await other.get(path)).isElsewhere, true);
    assert.equal((await other.ask("POST", path)).status, 404);
    assert.equal((await owner.ask("POST", path)).status, 200);
    assert.equal((await other.ask("PUT", path, digest)).json.isElsewhere, false);
    const refused = await owner.ask("POST", path);
    assert.deepEqual(
      [refused.status, refused.json.error],
      [404, "Another machine sends the digest of this site now."],
    );
    assert.equal((await owner.get(path)).isElsewhere, true);
    assert.equal((await other.ask("POST", path)).status, 200);
  });

  it("have the same sites and tokens, and each its own decks, push tokens and pushed texts", async () => {
    const [owner, other] = [new Owner(here), new Owner(there)];
    await owner.ask("POST", "/api/sites", { id: "blog", host: "stats.example" });
    const made = await owner.ask("POST", "/api/sites/blog/token");
    await sees(here, there);
    await until(() => there.service.store.numbers.directory.sites[0]?.tokenHash !== null);
    assert.equal((await there.readRaw("/stats", {}, made.json.token)).status, 200);
    const { token } = await owner.makePushToken();
    await owner.ask("PATCH", "/api/decks/virtual-mini", { name: "Kitchen" });
    assert.deepEqual((await other.get("/api/push-tokens")).tokens, []);
    assert.notEqual((await other.get("/api/decks")).decks[0].name, "Kitchen");
    assert.equal((await push(here, token)).status, 200);
    assert.equal((await push(there, token)).status, 401);
  });

  it("let one of two sites have a host, though both ask at the same time", async () => {
    const owners = [new Owner(here), new Owner(there)] as const;
    for (const [i, owner] of owners.entries())
      await owner.ask("POST", "/api/sites", { id: `s${i}` });
    for (const box of [here, there])
      await until(() => box.service.store.numbers.directory.sites.length === 2);
    const replies = await Promise.all(
      owners.map((owner, i) => owner.ask("PATCH", `/api/sites/s${i}`, { host: "stats.example" })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  });

  it("take settings in: sites for all of them, decks for the one", async () => {
    const settings = await new Owner(here).get("/api/settings/export");
    const [deck] = settings.decks;
    const imported = { ...settings, decks: [{ ...deck, name: "Hall" }], sites: [{ id: "blog" }] };
    const reply = await new Owner(here).ask("POST", "/api/settings/import", imported);
    assert.equal(reply.status, 204, reply.text);
    await sees(here, there);
    assert.equal((await new Owner(here).get("/api/decks")).decks[0].name, "Hall");
    assert.notEqual((await new Owner(there).get("/api/decks")).decks[0].name, "Hall");
  });

  it("sign everybody out when the admin token is made anew elsewhere", async () => {
    await Promise.all([here, there].map((box) => box.restart({ STATS_TOKEN: "", BIND: "::" })));
    const make = () => tallydeck(["tokens", "make", "admin"], { DATABASE_URL: url });
    const first = (await make()).out.trim();
    await until(() => here.service.store.numbers.directory.adminHash !== null);
    const owner = new Owner(here);
    await owner.signIn({ token: first });
    await owner.get("/api/decks");
    const second = (await make()).out.trim();
    const knows = ({ service }: World) =>
      Buffer.from(service.store.numbers.directory.adminHash ?? []).equals(sha256(second));
    await until(() => knows(here) && knows(there));
    await untilTold(async () => (await owner.ask("GET", "/api/decks")).status === 401);
    await owner.signIn({ token: second });
  });

  it("keep the sites of all when one restores a backup of its own, which says so", async () => {
    await new Owner(here).ask("POST", "/api/sites", { id: "blog" });
    await sees(here);
    assert.equal((await new Owner(here).get("/api/box")).numbersElsewhere, true);
    await new Owner(here).ask("PATCH", "/api/decks/virtual-mini", { name: "Before" });
    const backup = (await new Owner(here).ask("GET", "/api/backup")).body;
    await new Owner(here).ask("PATCH", "/api/decks/virtual-mini", { name: "After" });
    const reply = await new Owner(here).ask("POST", "/api/restore", backup);
    assert.equal(reply.status, 204, reply.text);
    assert.equal((await new Owner(here).get("/api/decks")).decks[0].name, "Before");
    await here.beacon({ p: "/" });
    assert.deepEqual((await here.stats()).pv, { _: 1 });
  });
});

describe("a box whose database", () => {
  let server: Postgres;
  let box: World;
  beforeEach(async () => {
    server = await Postgres.open();
    box = boxOf(server.url(), { STATS_TOKEN: "", BIND: "::" });
    await box.start();
  });
  afterEach(() => box.end());

  async function tokenMade(): Promise<string> {
    const { out } = await tallydeck(["tokens", "make", "admin"], { DATABASE_URL: server.url() });
    await until(() => box.service.store.numbers.directory.adminHash !== null);
    return out.trim();
  }

  it("goes away goes on with decks, push and the Web UI, answers hits and counts them later", async () => {
    const owner = new Owner(box);
    const admin = await tokenMade();
    await owner.signIn({ token: admin });
    await owner.ask("POST", "/api/sites", { id: "blog" });
    await sees(box);
    await server.kill();
    await new Owner(box).signIn({ token: admin });
    const { token } = await owner.makePushToken();
    assert.equal((await push(box, token)).status, 200);
    assert.equal(
      (await owner.ask("PATCH", "/api/decks/virtual-mini", { name: "Hall" })).status,
      200,
    );
    assert.equal((await owner.ask("POST", "/api/sites", { id: "shop" })).status, 503);
    assert.equal((await box.beacon({ p: "/" })).status, 200);
    await server.restart();
    const made = await owner.ask("POST", "/api/sites/blog/token");
    const views = async () => (await box.readRaw("/stats", {}, made.json.token)).json.pv;
    await untilTold(async () => (await views())?._ === 1);
  });

  it("is away starts, knows its owner, and counts once the database is there", async () => {
    const token = await tokenMade();
    await new Owner(box).ask("POST", "/api/sites", { id: "blog" });
    await box.stop();
    await server.stop();
    await box.begin();
    const owner = new Owner(box);
    await owner.signIn({ token });
    assert.equal((await owner.get("/api/decks")).decks.length, 1);
    assert.equal((await box.ask("/")).status, 503);
    await server.restart();
    await until(() => box.service.store.numbers.ready);
    assert.equal((await box.ask("/")).status, 200);
  });

  it("will not have it goes on, too, and says why once", async () => {
    await server.sql("CREATE ROLE counts LOGIN PASSWORD 'right'");
    const wrong = boxOf(server.url({ user: "counts", password: "wrong" }));
    await wrong.begin();
    const reason = /The database refuses the user counts with this password\./;
    await until(() => wrong.said.some((line) => reason.test(line)));
    const { token } = await new Owner(wrong).makePushToken();
    assert.equal((await push(wrong, token)).status, 200);
    assert.equal((await wrong.ask("/")).status, 503);
    await server.sql("ALTER ROLE counts PASSWORD 'wrong'; GRANT ALL ON SCHEMA public TO counts");
    await server.sql("GRANT ALL ON ALL TABLES IN SCHEMA public TO counts");
    await until(() => wrong.service.store.numbers.ready);
    assert.equal(wrong.said.filter((line) => reason.test(line)).length, 1);
    await wrong.end();
  });
});
