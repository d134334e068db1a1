import assert from "node:assert/strict";
import {
  type Mapping,
  type PortAnswer,
  renewAfter,
} from "../../../../appliance/links/public/router/mapping.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { FakeRouter } from "../../../helpers/fake-router.ts";
import { until } from "../../../helpers/until.ts";

const HTTPS = { internal: 8443, external: 443 };
const HELD = { external: 443, internal: 8443, client: "127.0.0.1" };
const HOUR_MS = 3_600_000;
const NEIGHBOUR = { external: 443, internal: 443, client: "127.0.0.9" };

describe("a router that is asked for a port", () => {
  let home: FakeRouter;
  const { signal } = new AbortController();

  beforeEach(async () => {
    home = await FakeRouter.start(new FakeClock());
  });
  afterEach(() => home.stop());

  const speaks = (...all: Mapping["by"][]) => {
    home.speaks = new Set(all);
  };
  const open = (before?: Mapping) => home.router.open(HTTPS, before, signal);
  const opened = async (before?: Mapping) => mappingOf(await open(before));
  const leads = () => home.held.map(({ until: _, nonce: __, ...held }) => held);

  describe("by PCP", () => {
    it("opens it for two hours, tells its outer address, and is asked nothing else", async () => {
      const mapping = await opened();
      assert.deepEqual(mapping, {
        by: "pcp",
        internalPort: 8443,
        externalPort: 443,
        address: "203.0.113.7",
        lifetimeS: 7_200,
        nonce: "07".repeat(12),
      });
      assert.deepEqual(leads(), [HELD]);
      assert.deepEqual(home.heard, ["pcp map"]);
    });

    it("renews what it granted, with the nonce of then", async () => {
      const mapping = { ...(await opened()), nonce: "0a".repeat(12) };
      home.restart();
      assert.equal((await opened(mapping)).nonce, mapping.nonce);
      home.clock.advance(1.5 * HOUR_MS);
      assert.deepEqual(await opened(mapping), mapping);
      home.clock.advance(1.5 * HOUR_MS);
      assert.deepEqual(leads(), [HELD]);
      home.clock.advance(HOUR_MS);
      assert.deepEqual(leads(), []);
    });

    it("knows its own port again after a refusal, though nobody kept what was granted", async () => {
      const mapping = await opened({ ...MAPPING, nonce: "0a".repeat(12) });
      home.refuses.pcp = 7;
      speaks("pcp");
      assert.equal((await open(mapping)).kind, "refused");
      delete home.refuses.pcp;
      assert.deepEqual(await opened(), mapping);
    });

    it("opens it anew after a restart, and tells the outer address of now", async () => {
      const mapping = await opened();
      home.restart("198.51.100.4");
      assert.deepEqual(await opened(mapping), { ...mapping, address: "198.51.100.4" });
      assert.deepEqual(leads(), [HELD]);
    });

    it("opens nothing in the place of what another asked for", async () => {
      home.hold({ ...HELD, nonce: "ff".repeat(12) });
      speaks("pcp");
      assert.deepEqual(await open(), { kind: "refused", by: "pcp", why: "not-allowed" });
    });

    it("says of each refusal what it means", async () => {
      speaks("pcp");
      const meant = [];
      for (const code of [2, 4, 7, 8, 10, 12, 99]) {
        home.refuses.pcp = code;
        const answer = await open();
        meant.push(answer.kind === "refused" && answer.why);
      }
      assert.deepEqual(meant, [
        "not-allowed",
        "not-supported",
        "no-internet",
        "no-public-address",
        "no-room",
        "router-behind-router",
        "failed",
      ]);
    });

    it("listens to nothing that is no answer to this request", async () => {
      home.before = (good) => {
        const bad = changed(good, 56, 6);
        return [
          Buffer.alloc(0),
          bad.subarray(0, 3),
          bad.subarray(0, 24),
          bad.subarray(0, 58),
          Buffer.concat([bad, Buffer.alloc(2_000)]),
          changed(bad, 0, 9),
          changed(bad, 1, 1),
          changed(bad, 24, 0),
          changed(bad, 36, 17),
          changed(bad, 41, 1),
        ];
      };
      assert.equal((await opened()).address, "203.0.113.7");
    });

    it("is the only one that is heard", async () => {
      home.byStranger = (good) => [changed(good, 56, 6)];
      assert.equal((await opened()).address, "203.0.113.7");
    });

    it("is left for another way after a flood of junk", async () => {
      speaks("pcp", "igd");
      home.before = (good) => (good[0] === 2 ? Array(64).fill(Buffer.from("junk")) : []);
      assert.equal((await opened()).by, "igd");
    });
  });

  describe("by NAT-PMP", () => {
    beforeEach(() => speaks("natpmp"));

    it("opens it where it says that it knows no PCP", async () => {
      assert.deepEqual(await opened(), {
        by: "natpmp",
        internalPort: 8443,
        externalPort: 443,
        address: "203.0.113.7",
        lifetimeS: 7_200,
      });
      assert.deepEqual(leads(), [HELD]);
    });

    it("is asked first next time, and takes the port back", async () => {
      const mapping = await opened();
      home.heard.length = 0;
      speaks("natpmp", "pcp");
      assert.deepEqual(await opened(mapping), mapping);
      assert.deepEqual(home.heard, ["natpmp map", "natpmp address"]);
      assert.equal(await home.router.close(mapping, signal), true);
      assert.deepEqual(leads(), []);
    });

    it("tells no outer address while it has none", async () => {
      home.lacks = "line";
      assert.equal(await home.router.outerAddress(signal), undefined);
      const answer = await open({ ...MAPPING, by: "natpmp" });
      assert.deepEqual(answer, { kind: "refused", by: "natpmp", why: "no-public-address" });
    });

    it("listens to nothing that is no answer to this request", async () => {
      const mapping = await opened();
      home.before = (good) => {
        const bad = changed(good, good.length - 1, 6);
        return [bad.subarray(0, 9), changed(bad, 0, 2), changed(bad, 1, 7)];
      };
      home.byStranger = (good) => [changed(good, good.length - 1, 6)];
      assert.deepEqual(await opened(mapping), mapping);
    });
  });

  describe("by UPnP", () => {
    beforeEach(() => speaks("igd"));

    it("opens it on the line that is up", async () => {
      assert.deepEqual(await opened(), {
        by: "igd",
        internalPort: 8443,
        externalPort: 443,
        address: "203.0.113.7",
        lifetimeS: 7_200,
      });
      assert.deepEqual(leads(), [HELD]);
      assert.equal(await home.router.outerAddress(signal), "203.0.113.7");
    });

    it("opens it for good where it cannot for a while, until it is closed", async () => {
      home.igd.onlyPermanent = true;
      const mapping = await opened();
      assert.equal(mapping.lifetimeS, 0);
      home.clock.advance(100 * HOUR_MS);
      assert.deepEqual(leads(), [HELD]);
      assert.equal(await home.router.close(mapping, signal), true);
      assert.deepEqual(leads(), []);
    });

    it("leaves a neighbour's port alone, in opening and in closing", async () => {
      const mapping = await opened();
      home.hold(NEIGHBOUR);
      assert.deepEqual(await open(mapping), { kind: "conflict", by: "igd" });
      assert.equal(await home.router.close(mapping, signal), true);
      assert.deepEqual(leads(), [NEIGHBOUR]);
    });

    it("keeps a port that it does not let its holder renew", async () => {
      await opened();
      home.refuses.igd = 718;
      await opened();
    });

    it("says of each refusal what it means", async () => {
      const meant = [];
      for (const code of [606, 728, 401, 501, 718, 729]) {
        home.refuses.igd = code;
        const answer = await open();
        meant.push(answer.kind === "refused" ? answer.why : answer.kind);
      }
      assert.deepEqual(meant, [
        "not-allowed",
        "no-room",
        "not-supported",
        "failed",
        "conflict",
        "conflict",
      ]);
    });
  });

  describe("that grants another port", () => {
    it("is asked to take it back", async () => {
      for (const by of ["pcp", "natpmp"] as const) {
        speaks(by);
        home.grants = 1443;
        const answer = await home.router.open(HTTPS, { ...MAPPING, by }, signal);
        assert.deepEqual(answer, { kind: "conflict", by });
        assert.deepEqual(leads(), []);
      }
    });
  });

  describe("that has given it to a neighbour", () => {
    it("tells of a conflict, whatever it speaks", async () => {
      home.hold(NEIGHBOUR);
      for (const by of ["pcp", "natpmp", "igd"] as const) {
        speaks(by);
        const answer = await home.router.open(HTTPS, { ...MAPPING, by }, signal);
        assert.deepEqual(answer, { kind: "conflict", by });
      }
      assert.deepEqual(leads(), [NEIGHBOUR]);
    });
  });

  it("is asked another way where one is refused", async () => {
    home.refuses.pcp = 2;
    home.refuses.natpmp = 2;
    assert.equal((await opened()).by, "igd");
    home.restart();
    home.refuses.igd = 606;
    assert.deepEqual(await open(), { kind: "refused", by: "pcp", why: "not-allowed" });
  });

  it("that is gone is no router, after three tries of each way", async () => {
    const mapping = await opened();
    speaks();
    home.heard.length = 0;
    const began = home.clock.now();
    assert.deepEqual(await open(mapping), { kind: "no-router" });
    assert.deepEqual(home.heard, ["igd search", "igd search", "igd search"]);
    assert.equal(home.clock.now() - began, 3 * 3_500);
    assert.equal(await home.router.close(mapping, signal), false);
    assert.equal(home.clock.timers, 0);
  });

  it("is not waited for where nothing listens", async () => {
    home.closeControl();
    const began = home.clock.now();
    assert.equal((await opened()).by, "igd");
    assert.equal(home.clock.now(), began);
  });

  it("is given up at once when the box stops", async () => {
    const stop = new AbortController();
    speaks();
    home.timeStandsStill = true;
    const answer = home.router.open(HTTPS, undefined, stop.signal);
    await until(() => home.isWaitedFor);
    stop.abort(new Error("stopped"));
    await assert.rejects(answer, /stopped/);
    assert.equal(home.clock.timers, 0);
  });

  it("still tells what it granted when the box stops meanwhile", async () => {
    const stop = new AbortController();
    speaks("natpmp");
    home.timeStandsStill = true;
    home.before = () => {
      speaks();
      return [];
    };
    const answer = home.router.open(HTTPS, { ...MAPPING, by: "natpmp" }, stop.signal);
    await until(() => home.isWaitedFor);
    stop.abort();
    assert.equal(mappingOf(await answer).externalPort, 443);
  });

  it("is never asked for the Web UI, nor for another outer port", async () => {
    for (const pair of [
      { internal: 3000, external: 443 },
      { internal: 8443, external: 3000 },
      { internal: 22, external: 22 },
    ])
      await assert.rejects(home.router.open(pair, undefined, signal), RangeError);
    await home.router.open({ internal: 8480, external: 80 }, undefined, signal);
    assert.deepEqual(home.heard, ["pcp map"]);
  });
});

describe("a granted port", () => {
  it("is asked for again at half of its life, after ten minutes at most", () => {
    const after = (lifetimeS: number) => renewAfter({ ...MAPPING, lifetimeS }) / 1_000;
    assert.deepEqual([0, 120, 600, 7_200, 86_400].map(after), [600, 60, 300, 600, 600]);
  });
});

const MAPPING: Mapping = { by: "pcp", internalPort: 8443, externalPort: 443, lifetimeS: 7_200 };

function mappingOf(answer: PortAnswer): Mapping {
  if (answer.kind !== "open") assert.fail(JSON.stringify(answer));
  return answer.mapping;
}

function changed(bytes: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(value, at);
  return copy;
}
