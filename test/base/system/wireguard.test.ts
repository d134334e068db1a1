import assert from "node:assert/strict";
import fc from "fast-check";
import { isTunnelKey, readTunnel, tunnelText } from "../../../appliance/base/system/wireguard.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";

const KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=";
const OTHER = "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=";

/** As a provider hands it out, with some lines of one's own. */
function conf({ own = [], peer = [] }: { own?: string[]; peer?: string[] } = {}): string {
  const lines = ["[Interface]", `PrivateKey = ${KEY}`, "Address = 10.8.0.2/24, fd08::2/64", ...own];
  const server = ["[Peer]", `PublicKey = ${OTHER}`, "Endpoint = 203.0.113.5:51820"];
  return [...lines, "", ...server, "AllowedIPs = 0.0.0.0/0, ::/0", ...peer, ""].join("\r\n");
}
const without = (key: string) => conf().replace(new RegExp(`^${key} = .*`, "m"), "");
const refused = (text: string) =>
  readTunnel(text).refused.map(({ label, line = 0, why }) => `${line} ${label} ${why}`);

describe("a WireGuard configuration", () => {
  it("is read as providers write it, with what they leave out", () => {
    assert.deepEqual(readTunnel(conf()), {
      tunnel: {
        addresses: ["10.8.0.2", "fd08::2"],
        mtu: 1420,
        privateKey: KEY,
        publicKey: OTHER,
        presharedKey: undefined,
        endpoint: "203.0.113.5:51820",
        allowed: ["0.0.0.0/0", "::/0"],
        keepalive: 25,
      },
      refused: [],
      ignored: [],
    });
  });

  it("may have comments, other cases, several lines of addresses and values of its own", () => {
    const text = conf({
      own: ["address=10.9.0.2 # another", "mtu=1380", "# PostUp = rm"],
      peer: ["persistentkeepalive = OFF", `PresharedKey=${KEY}`, "ALLOWEDIPS = 10.0.0.0/8"],
    });
    const { tunnel, refused } = readTunnel(text);
    assert.deepEqual(refused, []);
    assert.deepEqual(tunnel?.addresses, ["10.8.0.2", "fd08::2", "10.9.0.2"]);
    assert.deepEqual([tunnel?.mtu, tunnel?.keepalive, tunnel?.presharedKey], [1380, 0, KEY]);
    assert.equal(tunnel?.allowed.length, 3);
  });

  it("may have sections that no tool writes, which are told", () => {
    for (const name of ["constructor", "toString"]) {
      const { tunnel, ignored } = readTunnel(`${conf()}\n[${name}]\nMTU = 1300\n`);
      assert.equal(tunnel?.mtu, 1420);
      assert.ok(
        ignored.some(({ label }) => label === `[${name}]`),
        name,
      );
    }
  });

  it("tells a key that stands there blank from none", () => {
    assert.equal(readTunnel(conf().replace(KEY, "")).tunnel?.privateKey, "");
    assert.equal(readTunnel(without("PrivateKey")).tunnel?.privateKey, undefined);
  });

  it("is refused for a command, and is told that nothing of it is run", () => {
    for (const name of ["PreUp", "PostUp", "PreDown", "postdown"])
      assert.deepEqual(refused(conf({ own: [`${name} = reboot`] })), [
        `4 ${name} is a command, and nothing of this file is ever run: remove the line`,
      ]);
  });

  it("names what the box leaves aside, and is a tunnel all the same", () => {
    const { tunnel, ignored } = readTunnel(
      conf({ own: ["DNS = 1.1.1.1", "Colour = red", "[Other]", "Address = 1.2.3.4"] }),
    );
    assert.ok(tunnel);
    const found = ignored.map(({ label, line }) => `${line} ${label}`);
    assert.deepEqual(found, ["4 DNS", "5 Colour", "6 [Other]", "7 Address"]);
  });

  it("has one server", () => {
    const other = `[Peer]\nPublicKey = ${KEY}`;
    assert.match(
      refused(`${conf()}${other}`).join(),
      /\[Peer\] is there twice.*PublicKey is there twice/,
    );
  });

  it("says what is missing", () => {
    for (const key of ["Address", "PublicKey", "Endpoint", "AllowedIPs"])
      assert.match(
        refused(without(key)).join("\n"),
        new RegExp(`^0 ${key} is missing: it must be [^\\n]+$`),
      );
    assert.equal(refused("").length, 4);
  });

  for (const [key, ...values] of [
    ["PrivateKey", "abc", KEY.slice(1), `${KEY}=`, KEY.replace("k=", "l="), "@/etc/shadow"],
    ["Address", "10.8.0.2/33", "10.8.0", "127.0.0.1/8", "::1/128", "fe80::1%eth0", "224.0.0.1", ""],
    [
      "Endpoint",
      "203.0.113.5",
      "203.0.113.5:0",
      "a b:1",
      "[fe80::1%eth0]:1",
      "300.1.1.1:5",
      "x:65536",
    ],
    ["AllowedIPs", "all", "0.0.0.0/0,", "10.0.0.0/8/8"],
    ["PublicKey", ""],
  ] as const)
    it(`says what ${key} must be`, () => {
      for (const value of values) {
        const text = conf().replace(new RegExp(`^${key} = .*$`, "m"), () => `${key} = ${value}`);
        assert.match(refused(text).join("\n"), new RegExp(`^\\d ${key} must be [^\\n]+$`), value);
      }
    });

  it("takes a server by its name and by an IPv6 address", () => {
    for (const endpoint of ["vpn.example.org:51820", "[2001:db8::1]:51820"])
      assert.equal(
        readTunnel(conf().replace("203.0.113.5:51820", endpoint)).tunnel?.endpoint,
        endpoint,
      );
  });

  it("has a bounded number of addresses", () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `10.8.1.${at}`).join();
    assert.match(refused(conf({ own: [`Address = ${many(3)}`] })).join(), /more than 4/);
    assert.match(refused(conf({ peer: [`AllowedIPs = ${many(63)}`] })).join(), /more than 64/);
  });

  it("is the same when it is written down and read again, whatever stood in it", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(
          fc.constantFrom(
            "Address",
            "MTU",
            "Endpoint",
            "AllowedIPs",
            "PresharedKey",
            "PostUp",
            "[Peer]",
          ),
          fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant(KEY), fc.nat().map(String)),
        )
        .map(([key, value]) => `${key} = ${value}`),
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (own, peer) => {
        const { tunnel, refused } = readTunnel(conf({ own, peer }));
        assert.equal(tunnel === undefined, refused.length > 0);
        if (tunnel === undefined) return;
        assert.deepEqual(readTunnel(tunnelText(tunnel)), { tunnel, refused: [], ignored: [] });
        assert.doesNotMatch(tunnelText(tunnel), /PostUp|\|/);
        assert.ok(isTunnelKey(tunnel.publicKey));
      }),
      { seed: TEST_SEED },
    );
  });
});
