import assert from "node:assert/strict";
import type { Cancel } from "../../../../appliance/base/signal.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { FakeRouter } from "../../../helpers/fake-router.ts";
import { until } from "../../../helpers/until.ts";

describe("what a router says to all of its network", () => {
  let home: FakeRouter;
  let heard: number;
  let stop: Cancel;
  const { signal } = new AbortController();

  beforeEach(async () => {
    home = await FakeRouter.start(new FakeClock());
    heard = 0;
    stop = home.router.listen(() => heard++);
    await home.router.outerAddress(signal);
    // The sockets are there once the first word comes through.
    await until(() => {
      home.announce({ by: "igd" });
      return heard > 0;
    });
    home.clock.advance(20_000);
    heard = 0;
  });
  afterEach(async () => {
    stop();
    await home.stop();
  });

  /** Says a thing, then one that is heard for sure. @returns how often the box heard anything of both */
  async function heardOf(say: () => void): Promise<number> {
    heard = 0;
    say();
    await new Promise(setImmediate);
    home.clock.advance(20_000);
    home.announce({ by: "natpmp" });
    await until(() => heard > 0);
    const all = heard;
    home.clock.advance(20_000);
    await new Promise(setImmediate);
    return all;
  }

  for (const by of ["natpmp", "pcp", "igd"] as const)
    it(`is heard when it began anew: ${by}`, async () => {
      home.clock.advance(1_000);
      home.restart();
      home.announce({ by });
      await until(() => heard === 1);
    });

  it("is heard once in 15 s, however often it is said, and not forgotten", async () => {
    for (let i = 0; i < 30; i++) home.announce({ by: "natpmp" });
    await until(() => heard === 1);
    await new Promise(setImmediate);
    assert.equal(heard, 1);
    await until(() => {
      home.clock.advance(15_000);
      return heard === 2;
    });
  });

  it("is not taken for a start each time a device says that it is there", async () => {
    assert.equal(await heardOf(() => home.announce({ by: "igd" })), 1);
  });

  it("is not heard of anybody but the gateway", async () => {
    for (const by of ["natpmp", "pcp"] as const)
      assert.equal(await heardOf(() => home.announce({ by, isStranger: true })), 1);
  });

  it("is no announcement when it is anything else", async () => {
    const alive = home.igd.alive("99").toString();
    for (const [bytes, by] of [
      [Buffer.alloc(0), "pcp"],
      [Buffer.from([0, 0x80]), "natpmp"],
      [Buffer.alloc(1_200, 0x80), "pcp"],
      [Buffer.from([2, 0x81, ...Buffer.alloc(22)]), "pcp"],
      [Buffer.from(alive.replace("ssdp:alive", "ssdp:byebye")), "igd"],
      [Buffer.from(alive.replace("NOTIFY", "M-SEARCH")), "igd"],
      [Buffer.from(alive.replace("upnp:rootdevice", "urn:printer")), "igd"],
      [Buffer.from(`${alive}${"x".repeat(3_000)}`), "igd"],
    ] as const)
      assert.equal(await heardOf(() => home.say(bytes, by)), 1);
  });

  it("is not heard any longer once nobody listens", async () => {
    stop();
    home.restart();
    home.announce({ by: "natpmp" });
    await home.router.outerAddress(signal);
    assert.equal(heard, 0);
  });
});

describe("a router without a public address, as miniupnpd answers", () => {
  it("says so, whatever it is asked by, and is not full", async () => {
    const home = await FakeRouter.start(new FakeClock());
    const { signal } = new AbortController();
    const why = async (...by: ("pcp" | "natpmp" | "igd")[]) => {
      home.speaks = new Set(by);
      const answer = await home.router.open({ internal: 443, external: 443 }, undefined, signal);
      return answer.kind === "refused" ? answer.why : answer.kind;
    };
    home.lacks = "own-address";
    assert.equal(await why("pcp", "natpmp", "igd"), "no-public-address");
    for (const by of ["pcp", "natpmp", "igd"] as const)
      assert.equal(await why(by), "no-public-address", by);
    home.lacks = "line";
    assert.equal(await why("pcp", "natpmp", "igd"), "no-internet");
    home.lacks = undefined;
    Object.assign(home.refuses, { pcp: 8, natpmp: 4, igd: 728 });
    assert.equal(await why("pcp", "natpmp", "igd"), "no-room");
    await home.stop();
  });
});
