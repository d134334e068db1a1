import assert from "node:assert/strict";
import { type LookUp, lookUpWith } from "../../../../appliance/links/public/dns/look-up.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { FakeDns } from "../../../helpers/fake-dns.ts";
import { until } from "../../../helpers/until.ts";

const NAME = "stats.example.org";
const V4 = "84.1.2.3";
const V6 = "2a02:8070::20";

describe("looking up a name", () => {
  let dns: FakeDns;
  let clock: FakeClock;
  let lookUp: LookUp;
  beforeEach(async () => {
    dns = await FakeDns.start();
    clock = new FakeClock();
    lookUp = lookUpWith({ clock, resolver: dns.makeResolver, port: dns.port });
  });
  afterEach(() => dns.stop());

  it("hears from its own servers, whatever the network's remembers", async () => {
    dns.resolver.set("A", NAME, "84.9.9.9");
    const server = await dns.server("example.org");
    server.set("A", NAME, V4).set("AAAA", NAME, V6);
    assert.deepEqual(await lookUp(NAME), [V4]);
    assert.equal(clock.timers, 0, "somebody still waits");
  });

  it("finds the servers of a name that is a zone of its own", async () => {
    const parent = await dns.server("dedyn.io");
    (await dns.server("box.dedyn.io")).set("A", "box.dedyn.io", V4);
    assert.deepEqual(await lookUp("box.dedyn.io"), [V4]);
    assert.deepEqual(parent.asked, []);
  });

  it("finds that it leads nowhere, or is not there", async () => {
    const server = await dns.server("example.org");
    assert.deepEqual(await lookUp(NAME), []);
    server.set("NS", NAME, "ns1.example.org");
    assert.deepEqual(await lookUp(NAME), []);
  });

  it("names a home's own address, which the network's resolver hides", async () => {
    (await dns.server("example.org")).set("A", NAME, "192.168.178.20");
    dns.resolver.set("A", NAME);
    assert.deepEqual(await lookUp(NAME), ["192.168.178.20"]);
  });

  it("is not sure while the servers do not agree", async () => {
    const [one, other] = [await dns.server("example.org"), await dns.server("example.org")];
    one.set("A", NAME, V4);
    other.set("A", NAME, "84.9.9.9");
    assert.deepEqual(await lookUp(NAME), undefined);
    other.set("A", NAME, V4);
    assert.deepEqual(await lookUp(NAME), [V4]);
  });

  it("passes over servers that know nothing of it, fail or are not there", async () => {
    const lame = await dns.server("example.org");
    lame.fault = "refused";
    const broken = await dns.server("example.org");
    broken.faults.set("AAAA", "servfail");
    dns.names("example.org", "127.0.0.99");
    assert.deepEqual(await lookUp(NAME), undefined);
    (await dns.server("example.org")).set("A", NAME, V4);
    assert.deepEqual(await lookUp(NAME), [V4]);
  });

  it("does not take a failure for an answer", async () => {
    const server = await dns.server("example.org");
    server.set("A", NAME, V4);
    server.fault = "servfail";
    assert.deepEqual(await lookUp(NAME), undefined);
  });

  it("waits for silent servers, and for what is no answer, only so long", async () => {
    for (const fault of ["silent", "garbage"] as const) {
      const server = await dns.server("example.org");
      server.fault = fault;
      const answer = lookUp(NAME);
      await until(() => server.asked.length > 0);
      clock.advance(20_000);
      assert.deepEqual(await answer, undefined);
    }
  });

  it("ends at once when nobody wants to know any more", async () => {
    const server = await dns.server("example.org");
    server.fault = "silent";
    const end = new AbortController();
    const answer = lookUp(NAME, end.signal);
    await until(() => server.asked.length > 0);
    end.abort();
    assert.equal(await answer, undefined);
    assert.equal(await lookUp(NAME, end.signal), undefined);
  });

  it("reads an answer that does not fit into a datagram, and keeps few of many addresses", async () => {
    const many = Array.from({ length: 200 }, (_, index) => `84.1.2.${index}`);
    (await dns.server("example.org")).set("A", NAME, ...many, ...many);
    assert.deepEqual(await lookUp(NAME), many.sort().slice(0, 16));
  });

  it("asks four of many servers", async () => {
    const servers = [];
    for (let count = 0; count < 6; count++)
      servers.push((await dns.server("example.org")).set("A", NAME, V4));
    assert.deepEqual(await lookUp(NAME), [V4]);
    assert.equal(servers.filter(({ asked }) => asked.length > 0).length, 4);
  });

  it("follows a name that stands for another to that one's servers, a few times", async () => {
    for (const alias of ["Box.dedyn.io", "box.dedyn.io"])
      (await dns.server("example.org")).set("CNAME", NAME, alias);
    dns.resolver.set("CNAME", NAME, "box.dedyn.io");
    const zone = await dns.server("box.dedyn.io");
    zone.set("CNAME", "box.dedyn.io", "home.example.net");
    const last = await dns.server("example.net");
    last.set("A", "home.example.net", V4);
    assert.deepEqual(await lookUp(NAME), [V4]);
    last.set("A", "home.example.net").set("CNAME", "home.example.net", NAME);
    assert.deepEqual(await lookUp(NAME), undefined);
  });

  it("asks a network's resolver itself where it knows no name servers", async () => {
    dns.resolver.faults.set("NS", "refused");
    dns.resolver.set("A", NAME, V4);
    assert.deepEqual(await lookUp(NAME), [V4]);
  });

  it("says so when that one is gone", async () => {
    await dns.stop();
    assert.deepEqual(await lookUp(NAME), undefined);
  });
});
