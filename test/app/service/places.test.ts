import assert from "node:assert/strict";
import { join } from "node:path";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { isLong } from "../../helpers/long.ts";
import { isViewed, PlaceFront, placeEnv, shownViews } from "../../helpers/place-front.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { untilTold } from "../../helpers/until.ts";
import { ADMIN, askPort } from "../../helpers/world.ts";

const ROUNDS = isLong ? 20 : 3;

describe("a home and its place, as processes", () => {
  const folder = eachFolder();
  const dir = (name: string) => join(folder(), name);
  let front: PlaceFront;
  beforeEach(async () => {
    front = await PlaceFront.open(dir("tls"));
  });
  afterEach(() => front.close());

  const start = async (name: "home" | "place"): Promise<RunningService> => {
    const service = await RunningService.start(dir(name), placeEnv(dir("tls")));
    if (name === "place") front.to = service.port;
    return service;
  };
  const invited = async (): Promise<string> => {
    const address = `https://localhost:${front.port}`;
    const { out, code } = await tallydeck(
      ["place", "invite", "--address", address, "--data-dir", dir("place")],
      {},
    );
    assert.equal(code, 0);
    return out.trim();
  };
  const add = async (invitation: string) =>
    assert.equal(
      (
        await tallydeck([
          "places",
          "add",
          invitation,
          "--name",
          "Frankfurt",
          "--data-dir",
          dir("home"),
        ])
      ).code,
      0,
    );
  const view = ({ port }: RunningService, path: string) => isViewed(port, path);
  const shown = ({ port }: RunningService) => shownViews(port);

  it("shows at home what the place counts, by the invitation alone", async () => {
    const [home, place] = [await start("home"), await start("place")];
    await add(await invited());
    for (let n = 0; n < 5; n++) assert.ok(await view(place, `/${n}`));
    assert.ok(await view(home, "/home"));
    await untilTold(async () => (await shown(home)) === 6);
    const { out } = await tallydeck(["sources", "--data-dir", dir("home")]);
    assert.match(out, /counted at Frankfurt/);
    const listed = await tallydeck(["places", "--data-dir", dir("home")]);
    assert.match(
      listed.out,
      /^Frankfurt {2}https:\/\/localhost:\d+ · answered last at .*\n {2}blog\n$/,
    );
    assert.match(
      (await tallydeck(["place", "list", "--data-dir", dir("place")])).out,
      /^home asked last on /,
    );
    const { out: status } = await tallydeck(["status", "--data-dir", dir("place")]);
    assert.match(status, /Fetched by home asked last on/);
    assert.match((await tallydeck(["status", "--data-dir", dir("home")])).out, /Places +Frankfurt/);
    await home.end();
    await place.end();
  });

  it("counts there by the rules that home sets for a site", async () => {
    const [home, place] = [await start("home"), await start("place")];
    await add(await invited());
    const at = ["--data-dir", dir("home")];
    const ofSite = ["blog", "path", "/old", "/new"];
    assert.equal((await tallydeck(["leave-out", "blog", "--paths", "/draft", ...at])).code, 0);
    assert.equal((await tallydeck(["values", "merge", ...ofSite, ...at])).code, 0);
    const there = ["--data-dir", dir("place")];
    await untilTold(async () => {
      const { out } = await tallydeck(["leave-out", "blog", ...there]);
      return out.includes("/draft");
    });
    assert.match((await tallydeck(["values", "rules", "blog", ...there])).out, /\/old.*\/new/);
    const stats = async (service: RunningService) => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      return (await service.ask("/stats?site=blog", { headers })).json;
    };
    // The place counts by what is written a moment later.
    await untilTold(async () => {
      assert.ok(await view(place, "/draft"));
      return (await stats(place)).left_out?.path > 0;
    });
    const drafts = (await stats(place)).pv?._ ?? 0;
    for (const path of ["/draft", "/old"]) assert.ok(await view(place, path));
    // A rule reaches what was counted just before it a step later.
    await untilTold(async () => (await stats(place)).path?.["/new"] === 1);
    const { pv, path } = await stats(place);
    assert.deepEqual([pv._, path["/old"]], [drafts + 1, undefined]);
    await untilTold(async () => (await shown(home)) === drafts + 1);
    assert.equal((await stats(home)).path["/new"], 1);
    assert.equal((await tallydeck(["leave-out", "blog", "--paths", "", ...at])).code, 0);
    await untilTold(async () => {
      const { out } = await tallydeck(["leave-out", "blog", ...there]);
      return !out.includes("/draft");
    });
    await home.end();
    await place.end();
  });

  it("fetches nothing any more once the invitation is taken back", async () => {
    const [home, place] = [await start("home"), await start("place")];
    await add(await invited());
    assert.ok(await view(place, "/"));
    await untilTold(async () => (await shown(home)) === 1);
    await tallydeck(["place", "revoke", "home", "--data-dir", dir("place")]);
    assert.ok(await view(place, "/"));
    assert.match(
      (await tallydeck(["place", "list", "--data-dir", dir("place")])).out,
      /^Nobody is invited/,
    );
    await untilTold(async () => home.err.includes("the token opens nothing there"));
    assert.equal(await shown(home), 1);
    await home.end();
    await place.end();
  });

  it(`loses and doubles nothing that was answered, with kills and cuts (seed ${TEST_SEED})`, async function () {
    this.timeout(300_000);
    const { below, pick } = seeded(TEST_SEED);
    let [home, place] = [await start("home"), await start("place")];
    await add(await invited());
    let [least, most] = [0, 0];
    for (let round = 0; round < ROUNDS; round++) {
      const what = pick(["home", "place", "line"] as const);
      const views = Array.from({ length: 40 + below(60) }, async (_, n) => {
        const isAnswered = await view(place, `/${n % 7}`);
        most += 1;
        if (isAnswered) least += 1;
        if (n === 20 && what === "line") front.cut();
        if (n === 20 && what !== "line") (what === "home" ? home : place).signal("SIGKILL");
      });
      await Promise.all(views);
      if (what !== "line") await (what === "home" ? home : place).ended;
      if (what === "home") home = await start("home");
      if (what === "place") place = await start("place");
      // A view whose answer was lost may be counted.
      const atPlace = await shown(place);
      assert.ok(atPlace >= least && atPlace <= most, `${atPlace} of ${least} to ${most}`);
      await untilTold(async () => (await shown(home)) === atPlace);
      [least, most] = [atPlace, atPlace];
    }
    await home.end();
    await place.end();
  });

  it("is asked by HTTPS alone, with a token of its own, and for nothing else", async () => {
    const place = await start("place");
    const token = (await invited()).split("#")[1] ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const by = (path: string, more: object = {}) =>
      askPort(front.port, path, { byTls: true, headers, ...more });
    assert.equal((await place.ask("/place/changes", { headers })).status, 403);
    assert.equal((await by("/place/changes", { headers: {} })).status, 401);
    assert.equal((await by("/stats?site=blog")).status, 401);
    assert.equal((await by("/sites")).status, 401);
    const changes = await by("/place/changes");
    assert.equal(changes.status, 200);
    assert.equal(changes.headers["content-type"], "application/vnd.tallydeck.changes");
    const put = (body: unknown) =>
      by("/place/sites", {
        method: "PUT",
        body: JSON.stringify(body),
        headers: { ...headers, "content-type": "application/json" },
      });
    assert.equal((await put({ zone: "UTC" })).status, 400);
    const site = { id: "shop", host: null, badge: true, token: null };
    const word = { origin: "ab", zone: "Europe/Berlin", sites: [site, { ...site, id: "blog" }] };
    const rule = { dimension: "path", from: "/old", to: "/new" };
    for (const wrong of [
      { leftOut: { hosts: ["no host"] } },
      { leftOut: [] },
      { valueRules: [{ ...rule, dimension: "day" }] },
      { valueRules: [{ ...rule, to: "/old" }] },
      { valueRules: Array.from({ length: 201 }, () => rule) },
    ])
      assert.equal(
        (await put({ ...word, revision: 7, sites: [{ ...site, ...wrong }] })).status,
        400,
      );
    const told = await put({ ...word, revision: 7 });
    assert.equal(told.status, 200);
    assert.deepEqual(told.json, { sites: [{ id: "blog", outcome: "declared" }] });
    assert.equal((await put({ ...word, revision: 6 })).status, 409);
    assert.equal((await put({ ...word, origin: "cd", revision: 6 })).status, 200);
    await place.end();
  });
});
