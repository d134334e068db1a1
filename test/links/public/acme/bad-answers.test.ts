import assert from "node:assert/strict";
import { DAY_MS } from "../../../../appliance/base/calendar.ts";
import { AcmeWorld, PATIENCE } from "../../../helpers/acme-world.ts";
import { type FakeCa, problem } from "../../../helpers/fake-ca.ts";
import { until } from "../../../helpers/until.ts";

describe("an order that is answered badly", () => {
  let box: AcmeWorld;
  AcmeWorld.each((world) => {
    box = world;
  });

  for (const [type, kind] of [
    ["connection", "connection"],
    ["dns", "dns"],
    ["tls", "tls"],
    ["unauthorized", "unauthorized"],
    ["incorrectResponse", "unauthorized"],
    ["caa", "caa"],
    ["somethingNew", "server"],
    ["constructor", "server"],
  ] as const)
    it(`fails for ${kind} where the CA found ${type}, and says what was seen`, async () => {
      const error = {
        type: `urn:ietf:params:acme:error:${type}`,
        detail: "seen:\n\u001b[31m\0this",
      };
      box.ca.failing["tls-alpn-01"] = error;
      box.ca.failing["http-01"] = error;
      box.ca.validationRecord = [{ addressUsed: "no address" }, { addressUsed: "192.0.2.1" }];
      const failure = await box.failed(box.test());
      assert.equal(failure.kind, kind);
      assert.equal(failure.detail, "seen: [31m this");
      assert.deepEqual(failure.validation, {
        challenge: "tls-alpn-01",
        addressUsed: "192.0.2.1",
      });
    });

  for (const [what, answer, kind, retryAfterMs] of [
    ["a limit", problem("rateLimited", 429, { "retry-after": "3600" }), "limit", 3_600_000],
    ["429 alone", { status: 429, headers: { "retry-after": "99999999" } }, "limit", 8 * DAY_MS],
    ["503", problem("serverInternal", 503, { "retry-after": "60" }), "server", 60_000],
    ["503 of somebody before it", { status: 503, body: "<html>" }, "server", undefined],
    ["new terms", problem("userActionRequired", 403), "agreement", undefined],
    ["an account that is none", problem("accountDoesNotExist"), "account", undefined],
    ["an account that may not", problem("unauthorized", 403), "account", undefined],
    ["a name that it does not serve", problem("rejectedIdentifier"), "rejected-name", undefined],
    ["a CAA record", problem("caa", 403), "caa", undefined],
    ["a redirect", { status: 302, headers: { location: "http://192.168.1.1/" } }, "bad-answer"],
    ["invalid JSON", { body: "{" }, "bad-answer"],
    ["JSON that is no object", { body: "[]" }, "bad-answer"],
    ["1 MB", { body: "x".repeat(1_000_000) }, "bad-answer"],
  ] as const)
    it(`fails for ${kind} where the CA answers an order with ${what}`, async () => {
      box.ca.always.newOrder = answer;
      const failure = await box.failed(box.order());
      assert.equal(failure.kind, kind);
      if (retryAfterMs !== undefined) assert.equal(failure.retryAfterMs, retryAfterMs);
      assert.equal(box.ca.times("newOrder"), 1);
      assert.deepEqual(box.shown, []);
    });

  it("fails for what a problem of several says first", async () => {
    const part = (type: string) => ({ type: `urn:ietf:params:acme:error:${type}`, detail: type });
    box.ca.next.newOrder = [
      { status: 403, body: { ...part("compound"), subproblems: [part("odd"), part("caa")] } },
    ];
    await box.failsFor(box.order(), "caa");
  });

  it("is signed anew after a bad nonce, but not for ever", async () => {
    box.ca.next.newOrder = Array(5).fill(problem("badNonce"));
    await box.order();
    assert.equal(box.ca.times("newOrder"), 6);
    box.ca.always.newOrder = problem("badNonce");
    await box.failed(box.order());
    assert.equal(box.ca.times("newOrder"), 12);
    assert.equal(box.ca.times("nonce"), 2);
  });

  it("is not even begun before the terms are agreed to", async () => {
    const asked = box.order({}, undefined, box.acme({ agreed: false }));
    await box.failsFor(asked, "agreement");
    assert.equal(box.ca.came.length, 0);
  });

  it("fails where the account has been revoked", async () => {
    const headers = { location: `${box.ca.origin}/account/1` };
    box.ca.next.account = [{ headers, body: { status: "revoked" } }];
    await box.failsFor(box.order(), "account");
  });

  for (const place of ["newNonce", "newAccount", "newOrder", "renewalInfo"])
    it(`is not placed where the directory has ${place} elsewhere`, async () => {
      const { host, port } = new URL(box.ca.origin);
      const elsewhere = [
        `http://${host}/`,
        `https://192.168.1.1:${port}/`,
        `https://a:b@${host}/`,
        7,
      ];
      for (const url of elsewhere) {
        box.ca.always.directory = ({ body }) => ({ body: { ...(body as object), [place]: url } });
        await box.failsFor(box.order(), "bad-answer");
      }
      assert.equal(box.ca.came.length, elsewhere.length);
    });

  it("is not even begun without TLS", async () => {
    const directory = box.ca.directory.replace("https:", "http:");
    const asked = box.order({}, undefined, box.acme({ directory }));
    await box.failsFor(asked, "bad-answer");
    assert.equal(box.ca.came.length, 0);
  });

  it("leads to no other place, and shows no challenge for another name", async () => {
    const elsewhere = "https://192.168.1.1/";
    for (const [place, change] of [
      ["newOrder", { finalize: elsewhere }],
      ["newOrder", { authorizations: [elsewhere] }],
      ["newOrder", { authorizations: [] }],
      ["authorization", { identifier: { type: "dns", value: "other.example" } }],
      ["authorization", { status: "expired" }],
      [
        "authorization",
        { challenges: [{ type: "tls-alpn-01", url: elsewhere, token: "x".repeat(43) }] },
      ],
      ["authorization", { challenges: [{ type: "http-01", url: box.ca.origin, token: "../x" }] }],
      ["authorization", { challenges: "none" }],
    ] as const) {
      box.ca.next[place] = [
        (right) => ({ ...right, body: { ...(right.body as object), ...change } }),
      ];
      await box.failed(box.order());
    }
    assert.equal(box.ca.times("challenge"), 0);
    assert.equal(box.ca.times("finalize"), 0);
  });

  const certificate = (change: (pem: string) => string) => (ca: FakeCa) => {
    ca.next.certificate = [(right) => ({ ...right, body: change(String(right.body)) })];
  };
  const issues = (what: FakeCa["issues"]) => (ca: FakeCa) => {
    ca.issues = what;
  };
  for (const [what, spoil] of [
    ["for another name", issues({ subject: "DNS:other.example" })],
    ["for any name below", issues({ subject: "DNS:*.example.org" })],
    ["for another key", issues({ request: "another" })],
    ["over already", () => box.clock.setWall(Date.now() + 50 * DAY_MS)],
    ["not valid yet", () => box.clock.setWall(Date.now() - DAY_MS)],
    ["empty", certificate(() => "")],
    ["cut", certificate((pem) => pem.slice(0, 300))],
    ["nine", certificate((pem) => pem + box.ca.ca.repeat(7))],
    ["1 MB", certificate((pem) => pem.padEnd(1_000_000))],
  ] as const)
    it(`ends without a certificate where what was issued is ${what}`, async () => {
      spoil(box.ca);
      await box.failsFor(box.order(), "bad-answer");
    });

  it("ends without a certificate of another format, or from elsewhere", async () => {
    box.ca.next.certificate = [({ body = "" }) => ({ body })];
    await box.failsFor(box.order(), "bad-answer");
    const certificate = "https://192.168.1.1/";
    const told = ({ body }: { body?: unknown }) => ({ body: { ...(body as object), certificate } });
    box.ca.next.order = [undefined, told];
    await box.failsFor(box.order(), "bad-answer");
  });

  it("brings nothing that stood between the certificates", async () => {
    certificate((pem) => `-----BEGIN PRIVATE KEY-----\n<b>\n${pem}</b>`)(box.ca);
    assert.match(
      (await box.order()).chain,
      /^(?:-----BEGIN CERTIFICATE-----\n[^<>-]+-----END CERTIFICATE-----\n){2}$/,
    );
  });

  it("ends with the CA's own words where the order fails at last", async () => {
    box.ca.next.order = [
      undefined,
      {
        body: { status: "invalid", error: { type: "urn:ietf:params:acme:error:caa", detail: "x" } },
      },
    ];
    await box.failsFor(box.order(), "caa");
    box.ca.next.order = [{ body: { status: "invalid" } }];
    await box.failsFor(box.order(), "server");
  });

  for (const place of ["directory", "nonce", "account", "authorization", "certificate"] as const)
    it(`is given up where the CA does not answer for its ${place}, and stopped at once`, async () => {
      box.ca.always[place] = "hang";
      const late = box.order();
      await until(() => box.ca.times(place) === 1);
      box.clock.advance(PATIENCE);
      await box.failsFor(late, "unreachable");
      const stopped = box.order();
      await until(() => box.ca.times(place) === 2);
      box.stop.abort();
      await box.failsFor(stopped, "stopped");
    });

  it("is stopped between two polls, too", async () => {
    box.ca.pending = Number.POSITIVE_INFINITY;
    box.clock.onWait = () => box.stop.abort();
    await box.failsFor(box.order(), "stopped");
    assert.equal(box.clock.waits.length, 1);
  });

  it("is not to be had where nobody listens", async () => {
    const directory = "https://127.0.0.1:1/directory";
    const asked = box.order({}, undefined, box.acme({ directory }));
    await box.failsFor(asked, "unreachable");
  });
});
