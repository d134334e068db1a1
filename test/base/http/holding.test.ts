import assert from "node:assert/strict";
import { until } from "../../helpers/until.ts";
import { get, post, stages } from "./holding-stage.ts";

describe("the connections a listener holds", () => {
  const stage = stages();

  describe("from one address", () => {
    const limits = { perAddress: 3 };
    const from = "127.0.0.2";

    it("are so many: past it, the one idle for longest makes room", async () => {
      const { guest, clock } = await stage({ limits });
      const guests = [];
      for (let n = 0; n < 3; n++) {
        guests.push(await guest(from));
        clock.advance(1_000);
      }
      const newest = await guest(from);
      await guests.shift()?.closed();
      for (const wire of [...guests, newest]) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
        wire.drop();
      }
    });

    it("are never cut off while they are answered: the newest goes, and the log says so", async () => {
      const { knock, asked, release, problems } = await stage({ limits });
      const busy = [];
      for (let n = 1; n <= 3; n++) {
        const wire = await knock(from);
        wire.send(get("/wait"));
        busy.push(wire);
        await until(() => asked.length === n);
      }
      // The system may have heard of the end before the client does.
      const turnedAway = () =>
        knock(from)
          .then((wire) => wire.closed())
          .catch(() => "");
      for (let n = 0; n < 3; n++) assert.equal(await turnedAway(), "");
      release();
      for (const wire of busy) {
        await wire.hear("\r\n\r\nok");
        wire.drop();
      }
      const told = problems.list().map(({ message }) => message);
      assert.match(told.join(), /^Too many connections are busy: [^,]*, .* TRUSTED_PROXIES$/);
    });

    it("leave other addresses alone", async () => {
      const { guest, knock } = await stage({ limits });
      const other = await guest("127.0.0.3");
      for (let n = 0; n < 9; n++) await knock(from);
      other.send(get("/"));
      await other.hear("\r\n\r\nok", 2);
      other.drop();
    });
  });

  describe("in all are so many", () => {
    const limits = { total: 6, perAddress: 4 };

    it("past it, the address that holds the most makes room", async () => {
      const { guest, knock, clock } = await stage({ limits });
      const first = await guest("127.0.0.2");
      clock.advance(1_000);
      const flood = [];
      for (let n = 0; n < 4; n++) flood.push(await knock("127.0.0.3"));
      const second = await guest("127.0.0.4");
      const third = await guest("127.0.0.5");
      // Without a word: who says nothing for ten seconds hears that he is late.
      assert.equal(await flood[0]?.closed(), "");
      for (const wire of [first, second, third]) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
      }
      for (const wire of [first, second, third, ...flood]) wire.drop();
    });

    it("past it, who is being answered weighs nothing: idle ones make room", async () => {
      const { guest, knock, asked, release } = await stage({ limits });
      const busy = [];
      for (let n = 1; n <= 3; n++) {
        const wire = await knock("127.0.0.2");
        wire.send(get("/wait"));
        busy.push(wire);
        await until(() => asked.length === n);
      }
      const fourth = await guest("127.0.0.2");
      const flood = [await knock("127.0.0.3"), await knock("127.0.0.3")];
      const newest = await guest("127.0.0.4");
      assert.equal(await flood[0]?.closed(), "");
      fourth.send(get("/"));
      await fourth.hear("\r\n\r\nok", 2);
      release();
      for (const wire of [...busy, fourth, newest, ...flood]) wire.drop();
    });

    it("one that waits for a body makes room, too", async () => {
      const { guest, knock, asked } = await stage({ limits });
      const flood = [];
      for (let n = 0; n < 6; n++) {
        const wire = await knock(`127.0.0.${20 + n}`);
        wire.send(post("/", "{"));
        flood.push(wire);
        await until(() => asked.length === n + 1);
      }
      const wire = await guest("127.0.0.4");
      for (const each of [wire, ...flood]) each.drop();
    });
  });

  describe("of a trusted proxy", () => {
    const proxy = "127.0.0.9";
    const limits = { perAddress: 2 };
    const forwarded = (path: string, address: string) =>
      get(path, `X-Forwarded-For: ${address}\r\n`);

    it("are not counted by its address", async () => {
      const { guest } = await stage({ limits, proxies: [proxy] });
      const guests = [];
      for (let n = 0; n < 5; n++) guests.push(await guest(proxy));
      for (const wire of guests) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
        wire.drop();
      }
    });

    it("bring as many requests as come where it tells no address", async () => {
      const { knock, asked, release } = await stage({ limits, proxies: [proxy] });
      const [third, ...busy] = await Promise.all([knock(proxy), knock(proxy), knock(proxy)]);
      for (const wire of busy) wire.send(get("/wait"));
      await until(() => asked.length === 2);
      third.send(get("/"));
      const heard = await third.hear("\r\n\r\n");
      release();
      for (const wire of [third, ...busy]) wire.drop();
      assert.match(heard, /^HTTP\/1\.1 200 /);
    });

    it("bring so many requests at once of an address it forwards", async () => {
      const { knock, asked, release } = await stage({ limits, proxies: [proxy] });
      const ask = async (path: string, address: string) => {
        const wire = await knock(proxy);
        wire.send(forwarded(path, address));
        return wire;
      };
      const busy = [await ask("/wait", "192.0.2.1"), await ask("/wait", "192.0.2.1")];
      await until(() => asked.length === 2);
      const refused = await ask("/", "192.0.2.1");
      const heard = await refused.hear("rate_limited");
      assert.match(heard, /^HTTP\/1\.1 429 .*\r\nRetry-After: 1\r\n/s);
      const other = await ask("/", "192.0.2.2");
      await other.hear("\r\n\r\nok");
      release();
      for (const wire of busy) await wire.hear("\r\n\r\nok");
      const again = await ask("/", "192.0.2.1");
      await again.hear("\r\n\r\nok");
      for (const wire of [...busy, refused, other, again]) wire.drop();
    });
  });
});
