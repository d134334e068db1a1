import assert from "node:assert/strict";
import {
  type AddressKind,
  judge,
  kindOfAddress,
  type Standing,
  type StandingEvidence,
} from "../../../appliance/links/public/addresses.ts";

describe("an address", () => {
  const kinds: Readonly<Record<AddressKind, string>> = {
    public:
      "8.8.8.8 11.0.0.0 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 2a00:1450::1 2001:200::1",
    cgnat: "100.64.0.0 100.127.255.255",
    private: "10.0.0.1 172.16.0.1 172.31.255.255 192.168.178.20 fc00::1 fd12:3456::1",
    shared: "192.0.0.0 192.0.0.2 192.0.0.7",
    loopback: "127.0.0.1 127.255.0.9 ::1",
    "link-local": "169.254.1.1 fe80::1 fe80::1%eth0 febf::1",
    reserved:
      "0.0.0.0 192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.7 203.0.113.7 224.0.0.1 255.255.255.255 :: 2001::1 2001:db8::1 2002:808:808::1 3fff::1 64:ff9b::808:808 fec0::1 ff02::1 ::ffff:8.8.8.8 4000::1",
  };
  for (const [kind, addresses] of Object.entries(kinds))
    it(`is ${kind} by its block`, () => {
      for (const address of addresses.split(" "))
        assert.equal(kindOfAddress(address), kind, address);
    });

  it("that is none can be reached by nobody", () => {
    for (const text of ["", "example.org", "8.8.8", "8.8.8.8:80", "[::1]", "%", "1".repeat(5_000)])
      assert.equal(kindOfAddress(text), "reserved", text);
  });
});

describe("a home", () => {
  const BOX = ["192.168.178.20", "fe80::1"];
  const BOX_WITH_IPV6 = [...BOX, "2a02:8070::20"];
  const homes: readonly [what: string, evidence: StandingEvidence, standing: Standing][] = [
    ["whose router has a public address", { outer: "84.1.2.3", own: BOX }, "public"],
    ["that is seen as its router says", { outer: "84.1.2.3", seen: "84.1.2.3" }, "public"],
    ["that is its own router", { own: ["84.1.2.3"] }, "public"],
    ["whose router has a carrier's address", { outer: "100.64.7.1", seen: "84.1.2.3" }, "cgnat"],
    [
      "that is seen otherwise than its router says",
      { outer: "84.1.2.3", seen: "5.6.7.8" },
      "cgnat",
    ],
    ["with a router behind a router", { outer: "192.168.1.2", seen: "84.1.2.3" }, "double-nat"],
    ["whose router ends a DS-Lite tunnel", { outer: "192.0.0.2", own: BOX }, "ds-lite"],
    ["that has IPv6 only", { outer: "0.0.0.0", seen: "84.1.2.3", own: BOX_WITH_IPV6 }, "ds-lite"],
    ["whose line is down", { outer: "0.0.0.0", own: BOX }, "unknown"],
    ["whose router says nothing", { seen: "84.1.2.3", own: BOX_WITH_IPV6 }, "unknown"],
    ["of which nothing is known", {}, "unknown"],
  ];
  for (const [what, evidence, standing] of homes)
    it(`${what}: ${standing}`, () => {
      assert.equal(judge(evidence), standing);
    });
});
