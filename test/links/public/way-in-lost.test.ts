import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { DnsAnswer } from "../../../appliance/links/public/dns/answer.ts";
import type { PublicOutcome } from "../../../appliance/links/public/tasks.ts";
import type { StepView } from "../../../appliance/links/public/view.ts";
import { type Answers, box, HOME, ON } from "./public-box.ts";

const MINUTE_MS = 60_000;
const MOVED = "93.184.215.99";

type Box = Awaited<ReturnType<typeof box>>;

const LOST = {
  refused: { kind: "port", answer: { kind: "refused", by: "pcp", why: "not-allowed" } },
  taken: { kind: "port", answer: { kind: "conflict", by: "igd" } },
  unanswered: { kind: "port", answer: { kind: "no-router" } },
} satisfies Record<string, PublicOutcome>;
const SHUT = { kind: "ca", failure: "connection", detail: "timeout" } satisfies PublicOutcome;

/** A router whose outer address is this. */
function at(v4: string): Answers {
  const mapping = { by: "pcp", internalPort: 443, externalPort: 443, lifetimeS: 7_200 } as const;
  const address = { v4, standing: "public" } as const;
  return {
    "find-address": { kind: "address", address },
    "open-port": {
      kind: "port",
      address,
      answer: { kind: "open", mapping: { ...mapping, address: v4 } },
    },
  };
}

/** Time goes on by seconds, and whatever is due is done. */
async function pass({ clock }: Box, ms: number): Promise<void> {
  for (const end = clock.now() + ms; clock.now() < end; ) {
    for (let i = 0; i < 6; i++) await turn();
    clock.advance(Math.min(1_000, end - clock.now()));
  }
}

/** A box that is live, whose record of what was sent begins anew. */
async function liveBox(answers: Answers = {}): Promise<Box> {
  const world = await box(answers);
  await world.waitsFor("live");
  await pass(world, 1_000);
  forget(world);
  return world;
}

function forget({ sent, sentAt }: Box): void {
  sent.length = 0;
  sentAt.length = 0;
}

const lineOf = ({ address }: Box, step: StepView["step"]) =>
  address.view().steps.find((one) => one.step === step);

/** Seconds after `from` at which the box did something of a kind. */
const secondsOf = ({ sentAt }: Box, kind: string, from: number) =>
  sentAt.filter((one) => one.kind === kind).map((one) => Math.round((one.at - from) / 1_000));

describe("a port that the router no longer leads here", () => {
  for (const [what, state, said] of [
    ["refused", "port-refused", /^The router does not let this machine open a port\.$/],
    ["taken", "port-taken", /^Port 443 of the router leads elsewhere already/],
    ["unanswered", "unreached", /^No router answered .* From outside nobody gets in\.$/],
  ] as const)
    it(`is tested from outside at once, and said to be shut: ${what}`, async () => {
      const world = await liveBox();
      world.answers["open-port"] = LOST[what];
      world.answers.test = SHUT;
      await pass(world, 10 * MINUTE_MS + 2_000);
      const { headline, live, warnings } = world.address.view();
      assert.equal(world.address.view().state, state);
      assert.match(headline, said);
      assert.deepEqual([live, warnings], [true, ["unreached"]]);
      const lostAt = world.sentAt.find(({ kind }) => kind === "open-port")?.at ?? 0;
      assert.ok((secondsOf(world, "test", lostAt)[0] ?? 60) < 5);
      await world.address.close();
    });

  for (const [what, said] of [
    [
      "refused",
      /^The router does not let this machine open a port\. It still leads to this machine\.$/,
    ],
    ["taken", /^Port 443 leads to this machine by a rule of yours\.$/],
    ["unanswered", /^No router answered .* It still leads to this machine\.$/],
  ] as const)
    it(`is said to be open where the test comes in: ${what}`, async () => {
      const world = await liveBox();
      world.answers["open-port"] = LOST[what];
      await pass(world, 10 * MINUTE_MS + 2_000);
      assert.equal(world.sent.filter((kind) => kind === "test").length, 1);
      assert.equal(world.address.view().state, "live");
      assert.match(`${lineOf(world, "port")?.sentence}`, said);
      await world.address.close();
    });

  it("is not said to be reached while that is tested", async () => {
    const world = await liveBox();
    world.answers["open-port"] = LOST.unanswered;
    world.answers.test = "hangs";
    await pass(world, 10 * MINUTE_MS + 2_000);
    assert.equal(world.address.view().state, "testing");
    assert.match(world.address.view().headline, /^No router answered .* tries to get in/);
    assert.equal(lineOf(world, "reached")?.state, "waiting");
    await world.address.close();
  });

  it("is tested once more when what was granted ends by itself", async () => {
    const world = await liveBox();
    world.answers["open-port"] = LOST.refused;
    await pass(world, 11 * MINUTE_MS);
    assert.equal(world.address.view().state, "live");
    world.answers.test = SHUT;
    await pass(world, 2 * HOUR_MS);
    assert.equal(world.address.view().state, "port-refused");
    await world.address.close();
  });

  it("is asked for again after 15, 30 and 60 s, and tested as soon as it is back", async () => {
    const world = await liveBox();
    world.answers["open-port"] = LOST.unanswered;
    world.answers.test = SHUT;
    await pass(world, 10 * MINUTE_MS + 2_000);
    const lostAt = world.sentAt.find(({ kind }) => kind === "open-port")?.at ?? 0;
    await pass(world, 2 * MINUTE_MS);
    assert.deepEqual(secondsOf(world, "open-port", lostAt), [0, 15, 45, 105]);
    world.answers["open-port"] = undefined;
    world.answers.test = undefined;
    await pass(world, 2 * MINUTE_MS);
    assert.equal(world.address.view().state, "live");
    assert.equal(lineOf(world, "port")?.sentence, "The router leads port 443 to this machine.");
    await world.address.close();
  });

  it("does not bring a test where the owner's own rule was all there ever was", async () => {
    const world = await liveBox({ "open-port": LOST.refused });
    world.answers["open-port"] = LOST.unanswered;
    await pass(world, HOUR_MS);
    assert.ok(!world.sent.includes("test"));
    assert.equal(
      lineOf(world, "port")?.sentence,
      "Port 443 leads to this machine by a rule of yours.",
    );
    await world.address.close();
  });
});

describe("a port that was never reached", () => {
  for (const kind of ["unreachable", "server"] as const)
    it(`is not said to be led here by a rule, whatever is tried: ${kind}`, async () => {
      const world = await box({ "open-port": LOST.refused });
      const { clock, answers, address } = world;
      const late = () =>
        new Promise<PublicOutcome>((resolve) => {
          clock.after(15_000, () => resolve({ kind: "ca", failure: kind, detail: "503" }));
        });
      for (const task of ["test", "order"]) Object.defineProperty(answers, task, { get: late });
      const lines = new Set<string>();
      const states = new Set<string>();
      address.changed.on(() => {
        states.add(address.view().state);
        lines.add(`${lineOf(world, "port")?.state}: ${lineOf(world, "port")?.sentence}`);
      });
      await pass(world, 5 * MINUTE_MS);
      assert.ok(states.has("ordering") && states.has("ca-unreachable"), [...states].join());
      assert.ok(lines.has(UNKNOWN), [...lines].join());
      const left = [...lines].filter((line) => line.startsWith("done"));
      assert.deepEqual(left, []);
      await address.close();
    });
});

const UNKNOWN =
  "waiting: The router does not let this machine open a port. " +
  "Nobody knows yet whether a rule of yours leads port 443 to this machine.";

describe("a router that says that it began anew", () => {
  it("is asked for the port at once, and its new address is told within a minute", async () => {
    const world = await liveBox(at(HOME));
    await pass(world, 3 * MINUTE_MS);
    forget(world);
    Object.assign(world.answers, at(MOVED));
    const began = world.clock.now();
    world.routerSpeaks();
    await pass(world, MINUTE_MS);
    assert.deepEqual(secondsOf(world, "open-port", began), [0]);
    assert.equal(secondsOf(world, "tell-dns", began).length, 1);
    assert.match(`${lineOf(world, "address")?.sentence}`, new RegExp(MOVED));
    await world.address.close();
  });

  it("has the provider told twice in ten minutes at most, however often its address changes", async () => {
    const world = await liveBox(at(HOME));
    await pass(world, 11 * MINUTE_MS);
    forget(world);
    const began = world.clock.now();
    for (let i = 0; i < 30; i++) {
      Object.assign(world.answers, at(`93.184.216.${i}`));
      world.routerSpeaks();
      await pass(world, 20_000);
    }
    assert.ok(secondsOf(world, "tell-dns", began).length <= 3);
    await world.address.close();
  });

  it("is not listened to while the router is left alone, or the address is off", async () => {
    const world = await liveBox();
    assert.equal(world.heard.size, 1);
    await world.address.change({ ...ON, openPort: false });
    await pass(world, MINUTE_MS);
    assert.equal(world.heard.size, 0);
    await world.address.change(ON);
    await pass(world, MINUTE_MS);
    assert.equal(world.heard.size, 1);
    await world.address.change({ ...ON, enabled: false });
    await pass(world, MINUTE_MS);
    assert.equal(world.heard.size, 0);
    await world.address.close();
  });
});

describe("what keeps visitors away", () => {
  for (const failure of ["unauthorized", "connection", "tls"] as const)
    it(`is the port that is taken, whatever the CA met there: ${failure}`, async () => {
      const { address, waitsFor } = await box({
        "open-port": LOST.taken,
        test: { kind: "ca", failure, detail: "the router's own page", byV6: true },
      });
      const { headline } = await waitsFor("port-taken");
      assert.match(headline, /^Port 443 of the router leads elsewhere already/);
      await address.close();
    });

  it("is a router without a public address, and the ways that are left are named", async () => {
    const { address, waitsFor } = await box({
      "open-port": {
        kind: "port",
        answer: { kind: "refused", by: "pcp", why: "no-public-address" },
      },
      "find-address": { kind: "address", address: { v4: null, standing: "unknown" } },
      test: { kind: "ca", failure: "unauthorized", detail: "the provider's own page" },
    });
    const { headline, steps } = await waitsFor("port-refused");
    assert.equal(headline, "Your router has no public address of its own.");
    const next = `${steps.find(({ step }) => step === "port")?.next}`;
    for (const way of [/ask the provider/i, /outer router/, /small server/])
      assert.match(next, way);
    await address.close();
  });
});

describe("a provider of dynamic DNS that does not take the address", () => {
  const failing = (answer: DnsAnswer): Answers => ({
    "tell-dns": { kind: "told", answer },
    "look-up": { kind: "looked-up", result: "nothing" },
  });

  it("is told again when the page says so", async () => {
    const world = await box(failing({ kind: "later", why: "it answered 500" }));
    await pass(world, 5_000);
    const nextTryAt = lineOf(world, "address")?.nextTryAt ?? 0;
    forget(world);
    await pass(world, 20 * MINUTE_MS);
    const [again] = world.sentAt.filter(({ kind }) => kind === "tell-dns");
    assert.equal(Math.round(((again?.at ?? 0) - nextTryAt) / 1_000), 0);
    await world.address.close();
  });

  for (const why of ["abuse", "paid"] as const)
    it(`is not said to want other settings, and is asked when the owner is back: ${why}`, async () => {
      const world = await box(failing({ kind: "refused", why }));
      await world.waitsFor("dns-refused");
      assert.doesNotMatch(`${lineOf(world, "address")?.next}`, /correct the settings/i);
      forget(world);
      await pass(world, HOUR_MS);
      assert.ok(!world.sent.includes("tell-dns"));
      world.answers["tell-dns"] = undefined;
      world.answers["look-up"] = undefined;
      await world.address.change({ ...ON, enabled: false });
      await world.address.change(ON);
      await world.waitsFor("live");
      await world.address.close();
    });
});

describe("a certificate authority that counts failures", () => {
  it("meets five in an hour at most, however long each took and whatever the owner changes", async () => {
    const directory = "https://ca.example.org/";
    const failedAt: number[] = [];
    const world = await box({}, { ...ON, directory });
    const { clock, answers, address } = world;
    Object.defineProperty(answers, "test", {
      get: () =>
        new Promise<PublicOutcome>((resolve) => {
          // The first takes its time, the others do not.
          clock.after(failedAt.length === 0 ? 30_000 : 1_000, () => {
            failedAt.push(clock.now());
            resolve(SHUT);
          });
        }),
    });
    for (let i = 0; i < 140; i++) {
      await pass(world, MINUTE_MS);
      await address.change({ ...ON, directory, ddnsToken: `t${i}` });
    }
    assert.ok(failedAt.length >= 8);
    for (const [i, at] of failedAt.slice(5).entries())
      assert.ok(at - (failedAt[i] ?? 0) >= HOUR_MS, `six within ${at - (failedAt[i] ?? 0)} ms`);
    await address.close();
  });
});
