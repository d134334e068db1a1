import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as tcp } from "node:net";
import { connect as tls } from "node:tls";
import { Signal } from "../../../appliance/base/signal.ts";
import { PublicDoor } from "../../../appliance/control/public-door.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Wire } from "../../helpers/wire.ts";
import { ADMIN, CHROME, encode, type Reply, sharedWorld } from "../../helpers/world.ts";

const NAME = "tally.example.org";
const URL = `https://${NAME}`;
/** The address at which a tunnel of the owner's ends. */
const TUNNEL_END = "127.0.8.2";
const clock = new FakeClock();

/** A public address that is as a test says. */
const address = {
  changed: new Signal(),
  certificateChanged: new Signal(),
  certificate: newCertificate(),
  settings: { name: NAME, dashboard: false },
  live: true,
  links: new Set<string>(),
  times: 0,
  outerAddress: () => "9.9.9.9",
  view() {
    return { live: this.live, url: URL };
  },
  reached() {
    this.times += 1;
  },
  use(nonce: string) {
    return this.links.delete(nonce);
  },
};

describe("the collector at its public name", () => {
  const door = new PublicDoor({
    clock,
    networks: () => ["8.8.4.1/24", "2a00:1:2:3::1/128"],
    tunnelEnds: () => [TUNNEL_END],
  });
  const world = sharedWorld({
    door,
    clock,
    env: {
      SITES: "blog,shop:shop.example",
      BADGE_SITES: "blog",
      STATS_TOKEN_BLOG: "the-blogs-token",
      TRUSTED_PROXIES: "127.0.0.1",
    },
  });

  // The service has told of its own address before.
  before(() => void door.follow(address, address));

  /** @param changed how the address is other than live and without a dashboard */
  function become({ dashboard = false, live = true, name = NAME } = {}): void {
    Object.assign(address, { live, times: 0, settings: { name, dashboard } });
    address.changed.emit();
  }
  beforeEach(() => become());

  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  function assertNotThere({ status, json }: Reply): void {
    assert.deepEqual([status, Object.keys(json), json.code], [404, ["error", "code"], "not_found"]);
  }

  it("counts views, apps and surveys, and shows script and badge", async () => {
    const view = `/e?s=blog&v=${encode({ p: "/by-tls" })}`;
    await world().askByTls(view, { headers: { "user-agent": CHROME } });
    assert.equal((await world().counts()).path?.["/by-tls"], 1);
    const survey = { method: "POST", body: "{}" };
    for (const [path, ask, status] of [
      ["/", {}, 200],
      ["/s.js", {}, 200],
      ["/a?s=blog", {}, 200],
      ["/badge?site=blog", {}, 200],
      ["/s?s=blog", survey, 400],
      ["/s", { method: "OPTIONS" }, 204],
      ["/e", { method: "POST" }, 405],
    ] as const)
      assert.equal((await world().askByTls(path, ask)).status, status, path);
  });

  it("knows a site by the host it is asked for", async () => {
    await world().askByTls("/e?v=e30", { headers: { host: "shop.example", "user-agent": CHROME } });
    assert.equal((await world().counts("shop")).pv?._, 1);
  });

  const PAGES = ["/dashboard", "/help", "/dashboard.js", "/favicon.svg"];
  const READS = ["/stats?site=blog", "/surveys?site=blog"];
  const NEVER = ["/sites", "/overview", "/api/push", "/api/push/mail", "/nothing", "//", "/E"];

  it("has nothing else, and sends nobody on to it", async () => {
    for (const path of [...PAGES, ...READS, ...NEVER, "/session", "/help/reached"])
      assertNotThere(await world().askByTls(path, bearer("the-blogs-token")));
    assertNotThere(await world().askByTls("/session", { method: "POST", ...bearer(ADMIN) }));
    assert.equal((await world().askByTls("/")).headers.refresh, undefined);
  });

  it("shows pages and what a site's token opens where its owner wants it to, and no more", async () => {
    become({ dashboard: true });
    assert.match(String((await world().askByTls("/")).headers.refresh), /dashboard/);
    for (const path of PAGES) assert.equal((await world().askByTls(path)).status, 200, path);
    for (const path of READS) {
      assert.equal((await world().askByTls(path, bearer("the-blogs-token"))).status, 200, path);
      assert.equal((await world().ask(path, bearer(ADMIN))).status, 200, path);
      assert.equal((await world().askByTls(path, bearer(ADMIN))).status, 401, path);
    }
    for (const path of [...NEVER, "/session"])
      assertNotThere(await world().askByTls(path, bearer(ADMIN)));
  });

  it("takes the admin token for a guess like any other", async () => {
    become({ dashboard: true });
    const tries = async (token: string, from: string) => {
      const asked = Array.from({ length: 70 }, () =>
        world().askByTls("/stats?site=blog", { ...bearer(token), from }),
      );
      return (await Promise.all(asked)).filter(({ status }) => status === 429).length;
    };
    assert.equal(await tries(ADMIN, "127.0.7.1"), await tries("a-guess", "127.0.7.2"));
  });

  it("has no more for who comes through a tunnel without TLS, whatever name he asks for", async () => {
    const through = { to: TUNNEL_END, from: "127.0.8.1" };
    const headers = { host: "198.51.100.7", "user-agent": CHROME };
    const ask = (path: string, token = ADMIN, way: object = through) =>
      world().ask(`${path}${path.includes("?") ? "&" : "?"}token=${token}`, { headers, ...way });
    for (const path of [...PAGES, ...READS, ...NEVER]) assertNotThere(await ask(path));
    assert.equal((await ask("/e?s=blog")).status, 200);
    assert.equal((await world().ask("/s.js", { headers: { host: NAME }, ...through })).status, 301);
    become({ dashboard: true });
    assert.equal((await ask("/stats?site=blog", "the-blogs-token")).status, 200);
    assert.equal((await ask("/stats?site=blog")).status, 401);
    assertNotThere(await ask("/sites"));
    // A proxy that the owner named stands for him.
    assert.equal((await ask("/sites", ADMIN, { ...through, from: "127.0.0.1" })).status, 200);
  });

  it("is without TLS only for those who send visits, and for a CA", async () => {
    const at = (path: string, more: object = {}) =>
      world().ask(path, { headers: { host: NAME, "user-agent": CHROME }, ...more });
    for (const [path, method, status] of [
      ["/dashboard?site=blog", "GET", 301],
      ["//evil.example/x", "GET", 301],
      ["/s.js", "HEAD", 301],
      ["/session", "POST", 308],
    ] as const) {
      const { headers, status: answered } = await at(path, { method });
      assert.deepEqual([answered, headers.location], [status, URL + path]);
      assert.equal(headers["cache-control"], "no-store");
    }
    for (const path of ["/e?s=blog", "/e", "/a?s=blog"])
      assert.equal((await at(path)).status, 200, path);
    assert.equal((await at("/s", { method: "OPTIONS" })).status, 204);
  });

  it("sends nobody on who asks for another name, by TLS that ended before, or too early", async () => {
    for (const headers of [
      { host: "tally.local" },
      { host: `www.tally.local:${world().port}` },
      { host: NAME, "x-forwarded-proto": "https" },
    ])
      assert.equal((await world().ask("/dashboard", { headers })).status, 200);
    const told = { host: `${NAME}:8080` };
    assert.equal((await world().ask("/dashboard", { headers: told })).status, 301);
    become({ live: false });
    assert.equal((await world().ask("/dashboard", { headers: { host: NAME } })).status, 200);
  });

  it("shows a CA the answer to a challenge that is under way, without TLS and before all else", async () => {
    const path = "/.well-known/acme-challenge/the-token";
    const headers = { host: NAME };
    const end = door.showAnswer("the-token", "the-token.its-proof");
    const { status, text, headers: told } = await world().ask(path, { headers });
    assert.deepEqual([status, text], [200, "the-token.its-proof"]);
    assert.match(String(told["content-type"]), /^text\/plain/);
    assertNotThere(await world().ask(`${path}s`, { headers }));
    assertNotThere(await world().askByTls(path));
    end();
    assertNotThere(await world().ask(path, { headers }));
  });

  describe("hears who comes", () => {
    /** Asks by TLS as a proxy that names `from` as the visitor. */
    async function askFrom(from: string, path: string, servername = NAME): Promise<string> {
      const socket = tcp(world().tlsPort, "127.0.0.1");
      const family = from.includes(":") ? "TCP6 " : "TCP4 ";
      socket.write(`PROXY ${family}${from} ${from} 1 443\r\n`);
      const secure = tls({ socket, servername, rejectUnauthorized: false });
      await once(secure, "secureConnect");
      const wire = new Wire(secure);
      wire.send(`GET ${path} HTTP/1.1\r\nHost: ${NAME}\r\nConnection: close\r\n\r\n`);
      return wire.closed();
    }

    it("from outside, and not whoever is at home or asks for another name", async () => {
      for (const from of ["192.168.1.7", "8.8.4.7", "9.9.9.9", "2a00:1:2:3::9", "100.64.0.1"])
        await askFrom(from, "/");
      await askFrom("8.8.8.8", "/", "other.example");
      assert.equal(address.times, 0);
      for (const from of ["8.8.8.8", "2a00:1:2:4::9"]) {
        clock.advance(30_000);
        await askFrom(from, "/");
      }
      assert.equal(address.times, 2);
      // Nothing new is heard so soon.
      await askFrom("8.8.8.8", "/");
      assert.equal(address.times, 2);
    });

    it("at a bare address, which TLS has no word for", async () => {
      become({ name: "8.8.4.4" });
      clock.advance(30_000);
      await askFrom("8.8.8.8", "/", "other.example");
      assert.equal(address.times, 0);
      await askFrom("8.8.8.8", "/", "");
      assert.equal(address.times, 1);
    });

    it("with a link of the owner's, once", async () => {
      const path = "/help/reached/a-nonce";
      address.links.add("a-nonce");
      assert.match(await askFrom("192.168.1.7", path), / 200 .*Turn Wi-Fi off/s);
      assert.match(await askFrom("8.8.8.8", "/help/reached/another"), / 404 .*Make another/s);
      assert.match(await askFrom("8.8.8.8", path), / 200 .*reached from outside/s);
      assert.ok(address.times > 0);
      assert.match(await askFrom("8.8.8.8", path), / 404 .*Make another/s);
      address.links.add("a-nonce");
      assert.equal((await world().askByTls(path, { method: "HEAD" })).status, 404);
      assertNotThere(await world().ask(path));
      assert.ok(address.links.has("a-nonce"));
    });
  });
});
