import assert from "node:assert/strict";
import { AcmeFailed } from "../../../appliance/links/public/acme/problem.ts";
import { InternetMessenger } from "../../../appliance/links/public/messenger.ts";
import type { PublicTask } from "../../../appliance/links/public/tasks.ts";

type Parts = ConstructorParameters<typeof InternetMessenger>[0];

const HOME = "93.184.215.1";
const signal = new AbortController().signal;

/** The outcome of a task where the world is as given. */
function outcomeOf(task: PublicTask, parts: Partial<Parts>) {
  const never = () => assert.fail("somebody was asked who has nothing to do with it");
  const messenger = new InternetMessenger({
    name: "tally.example.org",
    router: { open: never, close: never, outerAddress: never, listen: never },
    acme: { test: never, order: never, renewalInfo: never },
    provider: undefined,
    lookUp: never,
    ask: never,
    ownAddresses: () => ["192.168.1.7"],
    port: () => 8443,
    ...parts,
  });
  return messenger.run(task, { served: "PEM", keep: async () => {} }, signal);
}

const router = (outer: string | undefined): Parts["router"] => ({
  open: async ({ internal, external }) => ({
    kind: "open",
    mapping: {
      by: "pcp",
      internalPort: internal,
      externalPort: external,
      lifetimeS: 7_200,
      ...(outer !== undefined && { address: outer }),
    },
  }),
  close: async () => true,
  outerAddress: async () => outer,
  listen: () => () => {},
});

const seenAt = (address: string): Parts["provider"] => ({
  host: "desec.io",
  update: async () => ({ kind: "refused", why: "auth" }),
  seen: async () => address,
});

describe("who is asked for a public address", () => {
  for (const [what, [outer, seen, address]] of Object.entries({
    "the router's word": [HOME, undefined, { v4: HOME, standing: "public" }],
    "what the provider sees, where the router is silent": [
      undefined,
      HOME,
      { v4: HOME, standing: "unknown" },
    ],
    "that it is shared, where the two differ": [
      HOME,
      "93.184.215.9",
      { v4: HOME, standing: "cgnat" },
    ],
    "that there are two routers": [
      "192.168.0.2",
      undefined,
      { v4: "192.168.0.2", standing: "double-nat" },
    ],
    "nothing, where nobody says anything": [
      undefined,
      undefined,
      { v4: null, standing: "unknown" },
    ],
  } as const))
    it(`tells of the home's address ${what}`, async () => {
      const provider = seen === undefined ? undefined : seenAt(seen);
      assert.deepEqual(
        await outcomeOf({ kind: "find-address" }, { router: router(outer), provider }),
        { kind: "address", address },
      );
    });

  it("leads port 443 to the box's own one", async () => {
    const task = { kind: "open-port", before: null, mayBeOpen: false } as const;
    const outcome = await outcomeOf(task, { router: router(HOME) });
    assert.ok(outcome.kind === "port" && outcome.answer.kind === "open");
    const { internalPort, externalPort } = outcome.answer.mapping;
    assert.deepEqual([internalPort, externalPort], [8443, 443]);
    assert.equal(outcome.address?.v4, HOME);
  });

  for (const [result, v4, expects] of [
    ["right", [HOME], HOME],
    ["right", ["198.51.100.1"], null],
    ["other", ["198.51.100.1"], HOME],
    ["nothing", [], HOME],
  ] as const)
    it(`finds a name ${result} with ${v4.length} addresses where ${expects ?? "any"} is wanted`, async () => {
      const lookUp: Parts["lookUp"] = async () => v4;
      assert.deepEqual(await outcomeOf({ kind: "look-up", expects }, { lookUp }), {
        kind: "looked-up",
        result,
      });
    });

  it("tells what the CA found, and by which family it came", async () => {
    const validation = {
      challenge: "tls-alpn-01",
      addressUsed: "2606::1",
    } as const;
    const test = () => Promise.reject(new AcmeFailed("connection", "timeout", { validation }));
    const acme = { test, order: test, renewalInfo: test };
    const outcome = await outcomeOf({ kind: "test" }, { acme });
    assert.ok(outcome.kind === "ca");
    assert.deepEqual([outcome.failure, outcome.byV6], ["connection", true]);
    assert.deepEqual(await outcomeOf({ kind: "ask-renewal" }, { acme }), { kind: "no-window" });
  });

  it("takes a look by port 80 for none at port 443", async () => {
    const test = async () => ({ challenge: "http-01" }) as const;
    const acme = { test, order: () => assert.fail(), renewalInfo: () => assert.fail() };
    assert.deepEqual(await outcomeOf({ kind: "test" }, { acme }), { kind: "passed", by443: false });
  });
});
