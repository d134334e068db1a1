import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { AskFailed } from "../../../../appliance/base/http/exchange.ts";
import { identifierOf } from "../../../../appliance/links/public/acme/certificate.ts";
import { Acme } from "../../../../appliance/links/public/acme/client.ts";
import { newKey } from "../../../../appliance/links/public/keys.ts";
import { AcmeWorld } from "../../../helpers/acme-world.ts";
import { problem } from "../../../helpers/fake-ca.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";

describe("a certificate that is ordered", () => {
  let box: AcmeWorld;
  AcmeWorld.each((world) => {
    box = world;
  });

  it("is for the name, with a request that openssl finds right", async () => {
    const { chain, key, notAfter } = await box.order();
    const leaf = new X509Certificate(chain);
    assert.equal(leaf.subjectAltName, "DNS:tally.example.org");
    assert.ok(leaf.checkPrivateKey(key));
    assert.equal(notAfter, leaf.validToDate.getTime());
    const said = execFileSync(
      "openssl",
      ["req", "-in", "request.der", "-inform", "DER", "-verify", "-noout", "-text"],
      { cwd: box.ca.folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    );
    assert.match(said, /Subject:\s*\n/);
    assert.match(said, /X509v3 Subject Alternative Name:\s+DNS:tally\.example\.org\s/);
    assert.match(said, /ASN1 OID: prime256v1/);
    assert.match(said, /ecdsa-with-SHA256/);
    assert.equal(box.ca.times("finalize"), 1);
    assert.deepEqual(box.shown, ["tls-alpn-01"]);
    for (const { userAgent } of box.ca.came) assert.equal(userAgent, "Tallydeck/test");
  });

  for (const address of ["192.0.2.7", "2001:db8::a:7"])
    it(`may be for an address like ${address}`, async () => {
      const { chain } = await box.order({}, address);
      assert.ok(new X509Certificate(chain).checkIP(address));
      assert.deepEqual(box.ca.payloads("newOrder")[0]?.identifiers, [
        { type: "ip", value: address },
      ]);
    });

  it("is of the profile that fits, where the CA has it", async () => {
    const profile = async (name: string) => {
      await box.order({}, name);
      return box.ca.payloads("newOrder").at(-1)?.profile;
    };
    assert.equal(await profile("tally.example.org"), undefined);
    box.ca.meta = { profiles: { classic: "", tlsserver: "", shortlived: "" } };
    assert.equal(await profile("tally.example.org"), "tlsserver");
    assert.equal(await profile("192.0.2.7"), "shortlived");
    box.ca.next.newOrder = [problem("invalidProfile")];
    assert.equal(await profile("tally.example.org"), undefined);
  });

  it("names the one before, and is ordered once more without where that is refused", async () => {
    const { chain: replaces } = await box.order();
    await box.order({ replaces });
    const [, second] = box.ca.payloads("newOrder");
    assert.match(second?.replaces ?? "", /^[\w-]{20,}\.[\w-]{20,}$/);
    for (const refusal of [problem("alreadyReplaced", 409), problem("malformed", 404)]) {
      const before = box.ca.times("newOrder");
      box.ca.next.newOrder = [refusal];
      await box.order({ replaces });
      const orders = box.ca.payloads("newOrder").slice(before);
      const found = orders.map((sent) => sent?.replaces);
      assert.deepEqual(found, [second?.replaces, undefined]);
    }
    box.ca.always.newOrder = problem("alreadyReplaced", 409);
    const before = box.ca.times("newOrder");
    await box.failed(box.order({ replaces }));
    assert.equal(box.ca.times("newOrder") - before, 2);
  });

  it("is not proven anew where the CA knows the name, but in a test it is", async () => {
    box.ca.isKnown = true;
    await box.order();
    assert.deepEqual(box.shown, []);
    assert.equal((await box.test()).challenge, "tls-alpn-01");
    assert.deepEqual(box.shown, ["tls-alpn-01"]);
    assert.equal(box.ca.times("finalize"), 1);
  });

  it("is proven by what there is to choose from", async () => {
    box.ca.offered = ["dns-01", "http-01"];
    await box.order();
    assert.deepEqual(box.shown, ["http-01"]);
    box.ca.offered = ["dns-01", "dns-persist-01"];
    const { kind, detail } = await box.failed(box.order());
    assert.equal(kind, "bad-answer");
    assert.match(detail, /dns-01, dns-persist-01/);
    assert.equal(box.ca.times("challenge"), 1);
  });

  it("is proven by port 80 once a test has passed there only", async () => {
    box.ca.failing["tls-alpn-01"] = {
      type: "urn:ietf:params:acme:error:connection",
      detail: "timeout",
    };
    const acme = box.acme();
    assert.equal((await box.test(acme)).challenge, "http-01");
    await box.order({}, undefined, acme);
    assert.deepEqual(box.shown, ["tls-alpn-01", "http-01", "http-01"]);
  });

  it("is waited for as long as the CA wants, within bounds", async () => {
    box.ca.pending = 4;
    const wanting = (seconds: string) => (right: object) => ({
      ...right,
      headers: { "retry-after": seconds },
    });
    const inSeconds = new Date(box.clock.now() + 30_000).toUTCString();
    box.ca.next.authorization = [
      undefined,
      wanting("5"),
      wanting("0"),
      wanting("100000"),
      wanting(inSeconds),
    ];
    await box.order();
    const [first, second, third, fourth = 0] = box.clock.waits;
    assert.deepEqual([first, second, third], [5_000, 1_000, 60_000]);
    assert.ok(fourth >= 1_000 && fourth <= 30_000);
  });

  it("is given up where the CA never decides", async () => {
    box.ca.pending = Number.POSITIVE_INFINITY;
    await box.failsFor(box.order(), "server");
    assert.ok(box.ca.times("authorization") <= 102);
    assert.ok(box.clock.waits.reduce((sum, ms) => sum + ms, 0) <= 11 * 60_000);
  });

  it("goes through one account", async () => {
    await box.order();
    await box.order();
    await box.test();
    assert.equal(box.ca.accounts, 1);
  });
});

describe("Let's Encrypt", () => {
  it("is tested at its staging directory, and ordered of at its own", async () => {
    const asked: string[] = [];
    const acme = new Acme({
      directory: "",
      ask: async ({ url }) => {
        asked.push(url);
        throw new AskFailed("no-answer");
      },
      keys: { account: async () => newKey() },
      presenter: { tlsAlpn: assert.fail, http: assert.fail },
      clock: new FakeClock(),
      agreed: true,
    });
    const { signal } = new AbortController();
    const name = identifierOf("tally.example.org");
    await assert.rejects(acme.test(name, signal));
    await assert.rejects(acme.order(name, undefined, signal));
    assert.deepEqual(asked, [
      "https://acme-staging-v02.api.letsencrypt.org/directory",
      "https://acme-v02.api.letsencrypt.org/directory",
    ]);
  });
});
