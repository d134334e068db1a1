import assert from "node:assert/strict";
import { addressKey, createClient, networkKey } from "../../../appliance/base/http/client.ts";
import { exchange } from "../../helpers/wire.ts";
import { type Ask, askPort, sharedWorld, type World } from "../../helpers/world.ts";

const post = (world: World, ask: Ask) =>
  askPort(world.port, "/s?s=blog", { method: "POST", body: '{"sv":1}', ...ask });
const via = (from: string, forwarded: string): Ask => ({
  from,
  headers: { "x-forwarded-for": forwarded },
});

/** Whether two requests are of one client: whether the first uses up the surveys of the second. */
async function sameClient(world: World, one: Ask, other: Ask): Promise<boolean> {
  for (let n = 0; n < 3; n++) assert.equal((await post(world, one)).status, 204);
  assert.equal((await post(world, one)).status, 429);
  return (await post(world, other)).status === 429;
}

describe("the client of a request", () => {
  describe("without trusted proxies", () => {
    const world = sharedWorld();

    it("is the address of the connection", async () => {
      assert.equal(await sameClient(world(), { from: "127.0.1.1" }, { from: "127.0.1.1" }), true);
      assert.equal(await sameClient(world(), { from: "127.0.1.2" }, { from: "127.0.1.3" }), false);
    });

    it("is not what a header says, whichever", async () => {
      const from = "127.0.1.4";
      for (const name of ["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip"])
        assert.ok((await post(world(), { from, headers: { [name]: "192.0.2.1" } })).status >= 204);
      assert.equal((await post(world(), via(from, "192.0.2.9"))).status, 429);
    });

    it("is the same over IPv6 as one address of its /64", async () => {
      const request =
        "POST /s?s=blog HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nConnection: close\r\n\r\n" +
        '{"sv":1}';
      const answers = [];
      for (let n = 0; n < 4; n++) answers.push(await exchange(world().port, request, "::1"));
      const found = answers.map((answer) => answer.slice(9, 12));
      assert.deepEqual(found, ["204", "204", "204", "429"]);
    });
  });

  describe("behind trusted proxies", () => {
    const world = sharedWorld({
      env: { TRUSTED_PROXIES: "127.0.0.1, 127.0.0.2,10.0.0.0/8,2001:db8:aaaa::/48" },
    });
    const proxy = "127.0.0.1";
    /** Addresses of two clients as the proxy forwards them, and whether they are one. */
    const forwarded: Readonly<
      Record<string, readonly [one: string, other: string, same: boolean]>
    > = {
      "is 203.0.113.7 as ::ffff:cb00:7107": ["::ffff:cb00:7107", "203.0.113.7", true],
      "is 203.0.113.8 as ::FFFF:203.0.113.8": ["::FFFF:203.0.113.8", "203.0.113.8", true],
      "is 203.0.113.9 as 0:0:0:0:0:ffff:cb00:7109": [
        "0:0:0:0:0:ffff:cb00:7109",
        "203.0.113.9",
        true,
      ],
      "is 203.0.113.10 as 0::0:FFFF:CB00:710a": ["0::0:FFFF:CB00:710a", "203.0.113.10", true],
      "is no IPv4 address where it only ends like one": [
        "2001:db8:1:6:0:ffff:cb00:710b",
        "203.0.113.11",
        false,
      ],
      "is another for each address forwarded": ["192.0.2.2", "192.0.2.3", false],
      "is the last address that no trusted proxy has": [
        "192.0.2.4, 192.0.2.5, 10.1.2.3",
        "192.0.2.5",
        true,
      ],
      "is not the first address, which anybody may write": [
        "192.0.2.6, 192.0.2.7",
        "192.0.2.6",
        false,
      ],
      "is the farthest proxy where all are trusted": ["10.0.0.1, 10.0.0.2", "10.0.0.1", true],
      "is the last proxy before what is no address": [
        "192.0.2.8, unknown, 10.0.0.3",
        "10.0.0.3",
        true,
      ],
      "is the address without the port that some proxies write": [
        "192.0.2.9:4711",
        "192.0.2.9",
        true,
      ],
      "is the IPv4 address that is written as IPv6": ["::ffff:192.0.2.10", "192.0.2.10", true],
      "is one for a /64 of IPv6": [
        "2001:db8:1:2::1",
        "[2001:DB8:1:2:ffff:ffff:ffff:ffff]:443",
        true,
      ],
      "is another for another /64": ["2001:db8:1:3::1", "2001:db8:1:4::1", false],
      "is found behind a trusted proxy with IPv6": [
        "2001:db8:1:5::1, 2001:db8:aaaa::1",
        "2001:db8:1:5::1",
        true,
      ],
    };
    for (const [what, [one, other, same]] of Object.entries(forwarded))
      it(what, async () => {
        assert.equal(await sameClient(world(), via(proxy, one), via(proxy, other)), same);
      });

    for (const [what, one, other] of [
      [
        "is the address that the proxy forwards",
        via(proxy, "192.0.2.1"),
        via("127.0.0.2", "192.0.2.1"),
      ],
      [
        "is the proxy itself where nothing usable is forwarded",
        via(proxy, "unknown"),
        { from: proxy },
      ],
      [
        "is the connection's address where no trusted proxy has it",
        via("127.0.0.9", "192.0.2.11"),
        via("127.0.0.9", "192.0.2.12"),
      ],
    ] as const)
      it(what, async () => {
        assert.equal(await sameClient(world(), one, other), true);
      });

    it("is not believed about itself by one that is not trusted", async () => {
      assert.equal(
        await sameClient(world(), via("127.0.0.8", "192.0.2.13"), via(proxy, "192.0.2.13")),
        false,
      );
    });

    it("is found through several headers as through one", async () => {
      const request = (forwarded: readonly string[]) =>
        exchange(
          world().port,
          `POST /s?s=blog HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\nConnection: close\r\n${forwarded
            .map((address) => `X-Forwarded-For: ${address}\r\n`)
            .join("")}\r\n{"sv":1}`,
        );
      for (let n = 0; n < 3; n++) await request(["192.0.2.14"]);
      assert.match(await request(["198.51.100.1", "192.0.2.14", "10.9.9.9"]), /^HTTP\/1.1 429/);
      assert.match(await request(["192.0.2.14", "192.0.2.15"]), /^HTTP\/1.1 204/);
    });
  });
});

describe("the key of an address", () => {
  for (const [address, key] of [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:db8:1::2:3:4:5", "2001:db8:1:0"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0"],
  ] as const)
    it(`${address} is ${key}`, () => {
      assert.equal(addressKey(address), key);
    });
});

describe("the network of an address", () => {
  for (const [address, key] of [
    ["192.0.2.1", undefined],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1"],
    ["2001:db8::1", "2001:db8:0"],
  ] as const)
    it(`${address} is ${key ?? "none"}`, () => {
      assert.equal(networkKey(address), key);
    });
});

describe("trusted proxies", () => {
  for (const proxy of ["10.0.0.0/8", "192.0.2.1", "::1", "2001:db8::/32", "0.0.0.0/0"])
    it(`may be ${proxy}`, () => {
      assert.doesNotThrow(() => createClient([proxy]));
    });

  for (const proxy of [
    "",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10/8",
    "proxy",
    "10.0.0.0/8/8",
  ])
    it(`may not be ${JSON.stringify(proxy)}, and are named then`, () => {
      assert.throws(() => createClient(["::1", proxy]), { name: "RangeError", message: proxy });
    });
});
