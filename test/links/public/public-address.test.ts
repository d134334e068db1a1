import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { StepView } from "../../../appliance/links/public/view.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";
import { type Answers, box, ON } from "./public-box.ts";

const FOR_GOOD = { by: "igd", internalPort: 443, externalPort: 443, lifetimeS: 0 } as const;

describe("a public address on a disk that takes nothing", () => {
  const wait = async (clock: FakeClock, minutes: number) => {
    for (let i = 0; i < minutes; i++) {
      clock.advance(60_000);
      await new Promise(setImmediate);
    }
  };

  it("orders no first certificate: nobody would remember it after a restart", async () => {
    const { address, clock, sent, disk } = await box({});
    try {
      disk.isBroken = true;
      await wait(clock, 100);
      assert.ok(sent.includes("tell-dns") && sent.includes("test"));
      assert.ok(!sent.includes("order"));
      assert.equal(address.view().live, false);
    } finally {
      await address.close();
    }
  });

  it("renews the one that visitors are shown", async () => {
    const { address, clock, sent, disk, waitsFor } = await box({});
    try {
      await waitsFor("live");
      disk.isBroken = true;
      sent.length = 0;
      await wait(clock, 61 * 24 * 60);
      assert.ok(sent.includes("order"));
      assert.equal(address.view().live, true);
    } finally {
      await address.close();
    }
  });
});

describe("a public address", () => {
  it("comes to be: address, DNS, port, a look at the name, a test from outside, a certificate", async () => {
    const { waitsFor, sent, address } = await box({});
    const { live, url, steps } = await waitsFor("live");
    assert.deepEqual([live, url], [true, "https://tally.example.org"]);
    const found = steps.map(({ state }: StepView) => state);
    assert.deepEqual(found, Array(5).fill("done"));
    assert.deepEqual(sent.slice(0, 6), [
      "find-address",
      "tell-dns",
      "open-port",
      "look-up",
      "test",
      "order",
    ]);
    assert.ok(address.certificate);
    await address.close();
  });

  for (const [state, settings] of [
    ["off", { enabled: false }],
    ["needs-name", { name: "" }],
    ["needs-consent", { agreed: false }],
  ] as const)
    it(`asks nobody while it is at ${state}`, async () => {
      const { address, sent } = await box({}, { ...ON, ...settings });
      assert.equal(address.view().state, state);
      await assert.rejects(address.test(), { code: "no_public_address" });
      assert.deepEqual(sent, []);
    });

  it("waits for the time", async () => {
    const clock = new FakeClock(0, { sure: false });
    const { address, sent, waitsFor } = await box({}, ON, clock);
    assert.equal(address.view().state, "waiting-for-clock");
    assert.deepEqual(sent, []);
    clock.becomeSure("2026-12-01T00:00:00Z");
    await waitsFor("live");
    await address.close();
  });

  for (const [state, answers] of Object.entries({
    cgnat: {
      "find-address": { kind: "address", address: { v4: "100.64.1.1", standing: "cgnat" } },
    },
    "ds-lite": {
      "find-address": { kind: "address", address: { v4: "192.0.0.2", standing: "ds-lite" } },
    },
    "double-nat": {
      "find-address": { kind: "address", address: { v4: "192.168.1.2", standing: "double-nat" } },
    },
    "dns-refused": {
      "tell-dns": { kind: "told", answer: { kind: "refused", why: "auth" } },
      "look-up": { kind: "looked-up", result: "nothing" },
    },
    "name-points-elsewhere": { "look-up": { kind: "looked-up", result: "other" } },
    "unreachable-from-outside": { test: { kind: "ca", failure: "connection", detail: "timeout" } },
    "port-refused": {
      "open-port": { kind: "port", answer: { kind: "refused", by: "pcp", why: "not-allowed" } },
      test: { kind: "ca", failure: "connection", detail: "timeout" },
    },
    "port-taken": {
      "open-port": { kind: "port", answer: { kind: "conflict", by: "igd" } },
      test: { kind: "ca", failure: "connection", detail: "timeout" },
    },
    caa: { test: { kind: "ca", failure: "caa", detail: "not allowed" } },
    limit: { order: { kind: "ca", failure: "limit", detail: "too many", retryAfterMs: DAY_MS } },
    "ca-unreachable": { order: { kind: "ca", failure: "unreachable", detail: "no answer" } },
  } satisfies Record<string, Answers>))
    it(`says what is wrong and what to do: ${state}`, async () => {
      const { address, waitsFor } = await box(answers);
      const { steps, headline, live } = await waitsFor(state);
      const wrong = steps.find((step) => step.state === "wrong");
      assert.equal(wrong?.sentence, headline);
      assert.match(`${wrong?.next}`, /^[A-Z“].*\.$/s);
      assert.equal(live, false);
      await address.close();
    });

  it("goes on where the name's own servers cannot be asked: the CA's word counts", async () => {
    const { address, waitsFor, sent } = await box({
      "look-up": { kind: "looked-up", result: "unknown" },
    });
    await waitsFor("live");
    assert.equal(sent.filter((kind) => kind === "look-up").length, 3);
    await address.close();
  });

  it("is tested from the internet ten times an hour at most", async () => {
    const { address, waitsFor, sent } = await box({});
    await waitsFor("live");
    let refused: unknown;
    while (refused === undefined) {
      const before = address.view().testsLeft;
      refused = await address.test().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused === undefined) await until(() => address.view().testsLeft === before - 1);
    }
    assert.equal((refused as { code: string }).code, "test_limit");
    assert.equal(sent.filter((kind) => kind === "test").length, 10);
    await address.close();
  });

  it("says that nobody gets in once a daily test fails, until somebody does", async () => {
    const { address, clock, waitsFor, answers } = await box({});
    await waitsFor("live");
    answers.test = { kind: "ca", failure: "connection", detail: "timeout" };
    await until(() => {
      clock.advance(DAY_MS / 24);
      return address.view().state === "unreached";
    });
    const { live, warnings } = address.view();
    assert.deepEqual([live, warnings], [true, ["unreached"]]);
    clock.advance(1);
    address.reached();
    assert.deepEqual([address.view().state, address.view().warnings], ["live", []]);
    await address.close();
  });

  it("shows no certificate while it is off, and gives the port back", async () => {
    const { address, sent, waitsFor } = await box({});
    await waitsFor("live");
    await address.change({ ...ON, enabled: false });
    await until(() => sent.at(-1) === "close-port");
    assert.equal(address.certificate, undefined);
    await address.change(ON);
    assert.ok(address.certificate, "the one from before is good still");
    await address.close();
  });

  it("gives back what was granted before the router began to refuse", async () => {
    const { address, clock, sent, answers, waitsFor } = await box({});
    await waitsFor("live");
    answers["open-port"] = {
      kind: "port",
      answer: { kind: "refused", by: "pcp", why: "no-internet" },
    };
    const opened = sent.filter((kind) => kind === "open-port").length;
    await until(() => {
      clock.advance(60_000);
      return sent.filter((kind) => kind === "open-port").length > opened;
    });
    await address.change({ ...ON, enabled: false });
    await until(() => sent.at(-1) === "close-port");
    await address.close();
  });

  it("asks a router for a week to take back what it granted for good, and then no more", async () => {
    const { address, clock, sent, disk, waitsFor } = await box({
      "close-port": { kind: "closed", isGone: false },
      "open-port": { kind: "port", answer: { kind: "open", mapping: FOR_GOOD } },
    });
    await waitsFor("live");
    await address.change({ ...ON, enabled: false });
    const began = clock.now();
    await until(() => {
      clock.advance(HOUR_MS);
      return disk.record?.includes('"mapping":null') === true;
    });
    assert.ok(clock.now() - began >= 7 * DAY_MS - HOUR_MS);
    assert.equal(sent.at(-1), "close-port");
    await address.close();
  });

  it("warns when the certificate ends soon, and serves it until it does", async () => {
    const { address, clock, answers, waitsFor } = await box({});
    await waitsFor("live");
    answers.order = { kind: "ca", failure: "server", detail: "503" };
    answers.test = { kind: "ca", failure: "server", detail: "503" };
    for (const [state, live] of [
      ["expires", true],
      ["ca-unreachable", false],
    ] as const) {
      await until(() => {
        clock.advance(DAY_MS / 4);
        return address.view().state === state;
      });
      assert.deepEqual(address.view().warnings, ["certificate_expires"]);
      assert.deepEqual(address.warnings(), ["certificate_expires"]);
      assert.equal(address.certificate !== undefined, live);
    }
    await address.close();
  });

  it("orders once a day at most, though the CA finds each certificate to be overdue", async () => {
    const window = { kind: "window", start: 0, end: 1, retryAfterMs: HOUR_MS } as const;
    const { address, clock, waitsFor, sent } = await box({ "ask-renewal": window });
    await waitsFor("live");
    const orders = () => sent.filter((kind) => kind === "order").length;
    const began = clock.now();
    await until(() => {
      if (orders() < 2) clock.advance(HOUR_MS);
      return orders() >= 2;
    });
    assert.ok(clock.now() - began >= DAY_MS);
    await address.close();
  });

  it("asks the CA again after a minute where all went well since it failed often", async () => {
    const down = { kind: "ca", failure: "unreachable", detail: "down" } as const;
    const { address, clock, waitsFor, answers, sent } = await box({ order: down });
    const began = clock.now();
    const orders = () => sent.filter((kind) => kind === "order").length;
    const passUntil = (wanted: number, stepMs: number) =>
      until(() => {
        assert.ok(clock.now() < began + 100 * DAY_MS, `order ${wanted} never came`);
        if (orders() < wanted) clock.advance(stepMs);
        return orders() >= wanted;
      });
    await passUntil(3, 20_000);
    delete answers.order;
    await waitsFor("live");
    answers.order = down;
    await passUntil(5, 6 * HOUR_MS);
    const failed = clock.now();
    await passUntil(6, 20_000);
    assert.ok(clock.now() - failed <= 2 * 60_000, `${clock.now() - failed} ms`);
    await address.close();
  });

  it("goes on with an order when the dashboard alone is opened or closed", async () => {
    const { address, waitsFor, sent } = await box({ order: "hangs" });
    await waitsFor("ordering");
    await address.change({ ...ON, dashboard: true });
    await address.change(ON);
    assert.equal(address.view().state, "ordering");
    assert.equal(sent.filter((kind) => kind === "order").length, 1);
    await address.close();
  });

  it("does not let a CA that hangs hold a stop", async () => {
    const { address, waitsFor } = await box({ order: "hangs" });
    await waitsFor("ordering");
    await address.close();
  });

  it("starts anew where the record is none of ours", async () => {
    const { address, disk, waitsFor, open, sent } = await box({});
    await waitsFor("live");
    await address.close();
    disk.record = '{"version":2,"orders":"many"}';
    const again = await open();
    assert.equal(again.view().state, "live");
    assert.equal(sent.filter((kind) => kind === "order").length, 1);
    await again.close();
  });
});
