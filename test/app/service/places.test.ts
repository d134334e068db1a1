import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeCertificates } from "../../helpers/certificates.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { isLong } from "../../helpers/long.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { untilTold } from "../../helpers/until.ts";
import { askPort, CHROME, encode } from "../../helpers/world.ts";

const ADMIN = "the-admin-token";
const ROUNDS = isLong ? 20 : 3;

/** A proxy by TLS before a place, as in most data centres, whose line can be cut. */
class Front {
  port = 0;
  to = 0;
  readonly #server: Server;
  readonly #open = new Set<ClientRequest>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(folder: string): Promise<Front> {
    mkdirSync(folder);
    makeCertificates(folder);
    const read = (file: string) => readFileSync(join(folder, file));
    const server = createServer({ cert: read("server.pem"), key: read("server.key") });
    const front = new Front(server);
    server.on("request", (asked, answer) => {
      const headers = { ...asked.headers, "x-forwarded-proto": "https" };
      const { method, url: path } = asked;
      const on = request({ port: front.to, method, path, headers });
      front.#open.add(on);
      on.on("response", (its) => {
        answer.writeHead(its.statusCode ?? 0, its.headers);
        its.pipe(answer).on("error", () => {});
        its.on("error", () => answer.destroy());
      });
      on.on("error", () => answer.destroy());
      on.on("close", () => front.#open.delete(on));
      answer.on("close", () => on.destroy());
      asked.pipe(on);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    front.port = (server.address() as AddressInfo).port;
    return front;
  }

  /** Cuts whatever is asked now. */
  cut(): void {
    for (const on of this.#open) on.destroy();
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
  }
}

describe("a home and its place, as processes", () => {
  const folder = eachFolder();
  let front: Front;
  beforeEach(async () => {
    front = await Front.open(join(folder(), "tls"));
  });
  afterEach(() => front.close());

  const dir = (name: string) => join(folder(), name);
  const start = async (name: "home" | "place"): Promise<RunningService> => {
    const service = await RunningService.start(dir(name), {
      SITES: "blog",
      STATS_TOKEN: ADMIN,
      TRUSTED_PROXIES: "127.0.0.1",
      NODE_EXTRA_CA_CERTS: join(dir("tls"), "ca.pem"),
    });
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
  const view = (service: RunningService, path: string) =>
    service
      .ask(`/e?${new URLSearchParams({ s: "blog", v: encode({ p: path, u: 1 }) })}`, {
        headers: { "user-agent": CHROME },
      })
      .then(
        ({ status }) => status < 300,
        () => false,
      );
  const shown = async (service: RunningService): Promise<number> => {
    const { status, json } = await service.ask("/stats?site=blog", {
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    assert.equal(status, 200);
    return json.pv?._ ?? 0;
  };

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
    for (const path of ["/draft", "/old"]) assert.ok(await view(place, path));
    const paths = async (service: RunningService) => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      const { json } = await service.ask("/stats?site=blog", { headers });
      return { ...json.path };
    };
    assert.deepEqual(await paths(place), { "/new": 1 });
    await untilTold(async () => (await shown(home)) === 1);
    assert.deepEqual(await paths(home), { "/new": 1 });
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
