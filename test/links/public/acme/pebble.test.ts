import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import type { Clock } from "../../../../appliance/base/clock.ts";
import { silentLog } from "../../../../appliance/base/log.ts";
import { SystemClock } from "../../../../appliance/base/system/system-clock.ts";
import { identifierOf, isFor } from "../../../../appliance/links/public/acme/certificate.ts";
import type { ChallengeResponder } from "../../../../appliance/links/public/acme/challenge.ts";
import { Acme } from "../../../../appliance/links/public/acme/client.ts";
import { AcmeFailed } from "../../../../appliance/links/public/acme/problem.ts";
import { type AskOutside, askWith } from "../../../../appliance/links/public/ask.ts";
import { Keys } from "../../../../appliance/links/public/keys.ts";
import { Answering } from "../../../helpers/answering.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { Pebble } from "../../../helpers/pebble.ts";

const NAME = identifierOf("tally.example.org");
const ADDRESS = identifierOf("127.0.0.1");
const never = new AbortController().signal;

/** The machine's, but for the first wait of a poll: Pebble has decided by then. */
function quickClock(): Clock {
  const clock = new SystemClock();
  const after = clock.after.bind(clock);
  return Object.assign(clock, {
    after: (ms: number, task: () => void) => after(ms <= 1_000 ? 50 : ms, task),
  });
}

describe("a certificate of a real CA", () => {
  const folder = eachFolder();
  let pebble: Pebble;
  let answering: Answering;
  let asked: string[];
  /** Addresses of accounts that the CA told. */
  let accounts: string[];
  before(async () => {
    pebble = await Pebble.open();
  });
  after(() => pebble.end());
  beforeEach(async () => {
    answering = await Answering.open(pebble.ports);
    asked = [];
    accounts = [];
  });
  afterEach(() => answering.close());

  const clock = quickClock();
  const box = (presenter: ChallengeResponder = answering) => {
    const ask = askWith({ clock, ca: pebble.ca, userAgent: "Tallydeck/test" });
    const noted: AskOutside = async (question, bounds) => {
      const reply = await ask(question, bounds);
      const { location = "" } = reply.headers;
      asked.push(new URL(question.url).pathname);
      if (location.includes("/my-account/")) accounts.push(location);
      return reply;
    };
    const keys = new Keys({ folder: folder(), log: silentLog() });
    const { directory } = pebble;
    return {
      keys,
      acme: new Acme({ directory, ask: noted, keys, presenter, clock, agreed: true }),
    };
  };
  /** Only port 80 is answered. */
  const byPort80 = (): ChallengeResponder => ({
    tlsAlpn: () => () => {},
    http: (token, proof) => answering.http(token, proof),
  });
  const visit = async (servername: string) => {
    const socket = connect({
      port: pebble.ports.tls,
      host: "127.0.0.1",
      servername,
      ca: await pebble.root(),
    });
    await once(socket, "secureConnect");
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };

  for (const identifier of [NAME, ADDRESS])
    it(`is issued for ${identifier.value}, kept, renewed and followed by another`, async () => {
      const first = box();
      const issued = await first.acme.order(identifier, undefined, never);
      assert.ok(isFor(issued, identifier));
      assert.equal(answering.open, 0);
      await first.keys.saveChain(issued);

      const second = box();
      const kept = second.keys.chain();
      assert.equal(kept?.chain, issued.chain);
      const renewed = await second.acme.order(identifier, kept?.chain, never);
      assert.ok(!renewed.key.equals(issued.key));
      assert.ok(!(await second.keys.account(pebble.directory)).equals(renewed.key));
      const [leaf, root] = [
        new X509Certificate(renewed.chain),
        new X509Certificate(await pebble.root()),
      ];
      assert.notEqual(leaf.serialNumber, new X509Certificate(issued.chain).serialNumber);
      assert.ok(root.ca);
      // The same once more: newer Pebbles say that the certificate has been replaced.
      await second.acme.order(identifier, kept?.chain, never);
    });

  it("is proven by port 80 where port 443 shows nothing, and that is said", async () => {
    const { acme } = box(byPort80());
    assert.deepEqual((await acme.test(NAME, never)).challenge, "http-01");
    const issued = await acme.order(NAME, undefined, never);
    assert.ok(isFor(issued, NAME));
    assert.deepEqual(new Set(answering.shown), new Set(["http-01"]));
  });

  it("is not made by a test, which has the CA look each time", async () => {
    const { acme } = box();
    for (const times of [1, 2, 3]) {
      assert.equal((await acme.test(NAME, never)).challenge, "tls-alpn-01");
      assert.equal(answering.shown.length, times);
    }
    const left = asked.filter((path) => /final|certZ/i.test(path));
    assert.deepEqual(left, []);
  });

  it("is refused with what the CA saw, where nobody answers", async () => {
    await answering.close();
    await assert.rejects(box().acme.test(NAME, never), (error) => {
      assert.ok(error instanceof AcmeFailed);
      // Which of them, differs by Pebble's version.
      assert.ok(["connection", "unauthorized"].includes(error.kind), error.message);
      assert.equal(error.validation?.challenge, "tls-alpn-01");
      return true;
    });
  });

  it("leaves visitors alone while the challenge is shown", async () => {
    const { acme } = box();
    const issued = await acme.order(NAME, undefined, never);
    answering.serve(issued);
    const { fingerprint256 } = new X509Certificate(issued.chain);
    const visits: Promise<string>[] = [];
    answering.onShown = () => void visits.push(visit(NAME.value));
    await acme.test(NAME, never);
    assert.deepEqual(await Promise.all(visits), [fingerprint256]);
  });

  it("is ordered through one account, also after a restart", async () => {
    for (const { acme } of [box(), box()]) await acme.test(NAME, never);
    assert.equal(accounts.length, 2);
    assert.equal(new Set(accounts).size, 1);
  });

  it("comes with advice when to renew it, where the CA gives any", async function () {
    const { acme } = box();
    const { chain, notBefore, notAfter } = await acme.order(NAME, undefined, never);
    const advice = await acme.renewalInfo(chain, never);
    if (advice === undefined) return this.skip();
    assert.ok(notBefore < advice.start && advice.start < advice.end && advice.end < notAfter);
  });
});
