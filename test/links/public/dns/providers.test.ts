import assert from "node:assert/strict";
import { askProviderWith, type DnsAnswer } from "../../../../appliance/links/public/dns/answer.ts";
import { type DnsProvider, providerOf } from "../../../../appliance/links/public/dns/providers.ts";
import { DNS_EVERY_MS } from "../../../../appliance/links/public/limits.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { FakeProvider } from "../../../helpers/fake-provider.ts";

const V4 = "84.1.2.3";
const V6 = "2a02:8070::20";
const NAMES = { desec: "box.dedyn.io", duckdns: "box.duckdns.org", noip: "box.ddns.net" } as const;

let there: FakeProvider;
beforeEach(() => {
  there = new FakeProvider(...Object.values(NAMES));
});

/** Tells the provider of `ddns` where `name` is, or to take what it sees, with what its owner got from it. */
function tell(
  ddns: string,
  name: string,
  v4: string | null = V4,
  { user = "", token = there.token, signal = new AbortController().signal } = {},
): Promise<DnsAnswer> {
  const provider: DnsProvider | undefined = providerOf({ ddns, user, token });
  assert(provider);
  return provider.update(name, v4 ?? undefined, askProviderWith(there.ask, signal));
}

const done = (seen?: { v4?: string; v6?: string }): DnsAnswer => ({
  kind: "done",
  ...(seen && { seen }),
});
const refused = (why: "auth" | "name" | "abuse" | "paid" | "bad-request"): DnsAnswer => ({
  kind: "refused",
  why,
});

describe("deSEC", () => {
  it("is told the address, and keeps none that was not told", async () => {
    there.names.set(NAMES.desec, { v4: "", v6: V6 });
    assert.deepEqual(await tell("desec", NAMES.desec), done());
    assert.deepEqual(there.names.get(NAMES.desec), { v4: V4, v6: "" });
  });

  it("says itself where we are when nobody else does", async () => {
    assert.deepEqual(await tell("desec", NAMES.desec, null), done({ v4: V4 }));
    assert.equal(there.names.get(NAMES.desec)?.v4, V4);
  });

  it("is told nothing when it does not say either", async () => {
    there.faults.push({ body: "<html>" });
    assert.equal((await tell("desec", NAMES.desec, null)).kind, "later");
    assert.equal(there.asked.length, 1);
  });

  it("has its token in no address", async () => {
    await tell("desec", NAMES.desec);
    assert.deepEqual(there.urls, [
      `https://update.dedyn.io/?hostname=box.dedyn.io&myipv4=${V4}&myipv6=`,
    ]);
  });

  it("is told of the name that is its own, where the public one only leads there", async () => {
    const answer = await tell("desec", "stats.example.org", V4, { user: NAMES.desec });
    assert.deepEqual(answer, done());
  });

  it("refuses a wrong token, and a name it does not have", async () => {
    assert.deepEqual(await tell("desec", NAMES.desec, null, { token: "wrong" }), refused("auth"));
    assert.deepEqual(await tell("desec", "other.dedyn.io"), refused("name"));
  });
});

describe("DuckDNS", () => {
  it("is told the address, be it new or not", async () => {
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await tell("duckdns", NAMES.duckdns), done({ v4: V4 }));
    assert.deepEqual(there.names.get(NAMES.duckdns), { v4: V4, v6: "" });
  });

  it("says where we are when nobody else does", async () => {
    assert.deepEqual(await tell("duckdns", NAMES.duckdns, null), done({ v4: V4 }));
  });

  it("forgets an IPv6 address that is no longer ours", async () => {
    there.names.set(NAMES.duckdns, { v4: V4, v6: V6 });
    assert.deepEqual(await tell("duckdns", NAMES.duckdns), done({ v4: V4 }));
    assert.deepEqual(there.names.get(NAMES.duckdns), { v4: V4, v6: "" });
  });

  it("is told of its own name for one below it, and for one that leads there", async () => {
    await tell("duckdns", "stats.box.duckdns.org");
    await tell("duckdns", "stats.example.org", V4, { user: NAMES.duckdns });
    for (const url of there.urls) assert.match(url, /[?]domains=box&/);
  });

  it("refuses a wrong token, and is not asked for a name of somebody else", async () => {
    assert.deepEqual(await tell("duckdns", NAMES.duckdns, null, { token: "no" }), refused("auth"));
    assert.deepEqual(await tell("duckdns", "stats.example.org"), refused("name"));
    assert.equal(there.asked.length, 1);
  });
});

describe("a service of dyndns2", () => {
  const telling = (v4?: string | null, ddns = "noip") =>
    tell(ddns, NAMES.noip, v4, { user: there.user });

  it("is told the address, be it new or not", async () => {
    for (let times = 0; times < 2; times++) assert.deepEqual(await telling(), done({ v4: V4 }));
    assert.deepEqual(there.names.get(NAMES.noip), { v4: V4, v6: "" });
  });

  it("says where we are when nobody else does", async () => {
    assert.deepEqual(await telling(null), done({ v4: V4 }));
  });

  it("may be any that its address names", async () => {
    assert.equal(
      (await telling(V4, "dyndns2:https://dns.example.org:8443/up?zone=1")).kind,
      "done",
    );
    assert.deepEqual(there.urls, [
      `https://dns.example.org:8443/up?zone=1&hostname=${NAMES.noip}&myip=${V4}`,
    ]);
  });

  it("refuses a wrong password, and a name it does not have", async () => {
    assert.deepEqual(await tell("noip", NAMES.noip, null, { user: "x" }), refused("auth"));
    assert.deepEqual(
      await tell("noip", "other.ddns.net", null, { user: there.user }),
      refused("name"),
    );
  });

  const said: Readonly<Record<string, DnsAnswer>> = {
    [`GOOD ${V4}\r\n`]: done({ v4: V4 }),
    [`\uFEFFgood ${V4}`]: done({ v4: V4 }),
    "good not-an-address": done(),
    [`nochg ${V6}`]: done({ v6: V6 }),
    [`good ${V4},${V6}`]: done({ v4: V4, v6: V6 }),
    "good 127.0.0.1": refused("bad-request"),
    badauth: refused("auth"),
    "!donator": refused("paid"),
    "nohost\ngood": refused("name"),
    notfqdn: refused("name"),
    "!yours": refused("name"),
    abuse: refused("abuse"),
    badagent: refused("bad-request"),
    "911": { kind: "later", afterMs: 1_800_000, why: "it is being mended" },
  };
  for (const [body, answer] of Object.entries(said))
    it(`that says ${JSON.stringify(body)}`, async () => {
      there.faults.push({ body });
      assert.deepEqual(await telling(), answer);
    });
});

describe("an address that its owner wrote", () => {
  const NAME = "stats.example.org";

  it("gets each value where it belongs, and none beyond it", async () => {
    there.faults.push({ body: "addresses updated" });
    const template =
      "https://dynv6.com/api/update?zone={name}&ipv4={ip4}&ipv6={ip6}&token={token}&{other}";
    const more = { token: "a&b=c/ü", user: "me" };
    assert.deepEqual(await tell(template, NAME, V4, more), done());
    const [asked] = there.asked;
    assert.equal(
      asked?.url,
      `https://dynv6.com/api/update?zone=${NAME}&ipv4=${V4}&ipv6=&token=a%26b%3Dc%2F%C3%BC&{other}`,
    );
    assert.deepEqual(asked?.headers, {});
  });

  it("has user and password beside it where they are not in it", async () => {
    await tell("https://example.org/{name}?ip={ip4}&v6={ip6}", NAME, V4, { user: "me" });
    const pair = Buffer.from("me:s3cret").toString("base64");
    assert.deepEqual(there.asked[0]?.headers, { authorization: `Basic ${pair}` });
    assert.deepEqual(there.urls, [`https://example.org/${NAME}?ip=${V4}&v6=`]);
  });

  const said: Readonly<Record<string, DnsAnswer>> = {
    "": done(),
    [`good ${V4}`]: done({ v4: V4 }),
    "badauth ": refused("auth"),
    "Updated 1 host(s) to 84.1.2.3 in 0.1 seconds": done(),
    "ERROR: Invalid update URL (2)": refused("bad-request"),
    "<?xml version='1.0'?><r><ErrCount>1</ErrCount></r>": refused("bad-request"),
    "<?xml version='1.0'?><r><ErrCount>0</ErrCount></r>": done(),
    "<!DOCTYPE html><p>good": { kind: "later", why: "it answered what no provider says" },
  };
  for (const [body, answer] of Object.entries(said))
    it(`that answers ${JSON.stringify(body)}`, async () => {
      there.faults.push({ body });
      assert.deepEqual(await tell("https://example.org/?ip={ip4}", NAME), answer);
    });
});

describe("every provider", () => {
  const kinds: readonly [ddns: string, name: string][] = [
    ["desec", NAMES.desec],
    ["duckdns", NAMES.duckdns],
    ["noip", NAMES.noip],
    ["https://example.org/?h={name}&a={ip4}&p={token}", "stats.example.org"],
  ];
  /** The answers of all providers to the same fault. */
  const met = async (...faults: FakeProvider["faults"]): Promise<DnsAnswer[]> => {
    const answers: DnsAnswer[] = [];
    for (const fault of faults)
      for (const [ddns, name] of kinds) {
        there.faults.push(fault);
        answers.push(await tell(ddns, name));
      }
    return answers;
  };
  const all = (answer: DnsAnswer, count = kinds.length) => Array(count).fill(answer);

  it("stops at a token that is refused, and at what it does not know", async () => {
    assert.deepEqual(await met({ status: 401 }, { status: 403 }), all(refused("auth"), 8));
    assert.deepEqual(await met({ status: 404 }), all(refused("name")));
    assert.deepEqual(await met({ status: 400 }), all(refused("bad-request")));
  });

  it("is not asked without a token", async () => {
    for (const [ddns, name] of kinds.slice(0, 3))
      assert.deepEqual(await tell(ddns, name, null, { token: "" }), refused("auth"));
    assert.deepEqual(there.asked, []);
  });

  it("is left alone for as long as it asks", async () => {
    const date = "Wed, 04 Nov 2026 12:00:00 GMT";
    const why = "it was asked too often";
    const headers = (retry: string) => ({ "retry-after": retry, date });
    for (const [retry, afterMs] of [
      ["120", 120_000],
      ["Wed, 04 Nov 2026 12:05:00 GMT", 300_000],
      ["Wed, 04 Nov 2020 12:05:00 GMT", 0],
      ["99999999999", 86_400_000],
    ] as const)
      assert.deepEqual(
        await met({ status: 429, headers: headers(retry) }),
        all({ kind: "later", afterMs, why }),
      );
    assert.deepEqual(
      await met({ status: 429, headers: headers("soon") }),
      all({ kind: "later", why }),
    );
  });

  it("is asked again later when it is down, silent, elsewhere or somebody else", async () => {
    const kindsMet = await met(
      { status: 500 },
      { status: 503, body: "good" },
      { status: 301, headers: { location: "http://192.168.178.1/" }, body: "good" },
      "no-answer",
      "no-host",
      "certificate",
      { body: `good ${"x".repeat(5_000)}` },
      { body: "<!doctype html><title>good</title>OK" },
    );
    for (const { kind } of kindsMet) assert.equal(kind, "later");
    assert.equal(there.asked.length, kindsMet.length, "a redirect was followed");
  });

  it("is not believed in what is no text", async () => {
    for (const [ddns, name] of kinds.slice(0, 3))
      for (const body of ["", "\0", Buffer.from("good", "utf16le"), Buffer.from([0x1f, 0x8b, 8])]) {
        there.faults.push({ body });
        assert.equal((await tell(ddns, name)).kind, "later");
      }
  });

  it("gets no secret back in what is said of it", async () => {
    const answers = await met(
      { status: 500, body: there.token },
      { body: there.token },
      "no-answer",
    );
    assert(!JSON.stringify(answers).includes(there.token));
  });

  it("locks nobody out who keeps to the pause between two updates", async () => {
    const clock = new FakeClock();
    there.clock = clock;
    for (const [ddns, name] of kinds.slice(0, 3)) {
      for (let hour = 0; hour < 6; hour++) {
        await tell(ddns, name, `84.1.2.${hour}`, { user: ddns === "noip" ? "owner" : "" });
        clock.advance(DNS_EVERY_MS);
      }
      assert.equal(there.names.get(name)?.v4, "84.1.2.5");
    }
  });

  it("is not waited for once nobody wants to know", async () => {
    const signal = AbortSignal.abort();
    for (const [ddns, name] of kinds)
      assert.equal((await tell(ddns, name, V4, { signal })).kind, "later");
    assert.deepEqual(there.asked, []);
  });
});

describe("what names a provider", () => {
  const named = (ddns: string) => providerOf({ ddns, user: "", token: "" })?.host;

  it("is its short name or an address", () => {
    assert.equal(named("desec"), "desec.io");
    assert.equal(named("duckdns"), "duckdns.org");
    assert.equal(named("noip"), "dynupdate.no-ip.com");
    assert.equal(named("dyndns2:https://dns.example.org/up"), "dns.example.org");
    assert.equal(named("https://dns.example.org/?{ip4}"), "dns.example.org");
  });

  for (const ddns of [
    "",
    "nobody",
    "toString",
    "dyndns2:",
    "dyndns2:http://dns.example.org/",
    "dyndns2:https://dns.example.org/{name}",
    "https://dns.example.org/",
    "http://dns.example.org/?{ip4}",
    "https://{name}.example.org/?{ip4}",
    "https://{user}@example.org/?{ip4}",
    "https://me:secret@dns.example.org/?{ip4}",
    "https:///dns.example.org/?{ip4}",
    "https://dns.example.org/?{ip4}#there",
    `https://dns.example.org/?{ip4}${"x".repeat(1_024)}`,
  ])
    it(`is not ${JSON.stringify(ddns.slice(0, 50))}`, () => assert.equal(named(ddns), undefined));
});
