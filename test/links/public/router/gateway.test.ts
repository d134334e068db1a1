import assert from "node:assert/strict";
import type { NetworkInterfaceInfo } from "node:os";
import { portAdvice } from "../../../../appliance/links/public/router/advice.ts";
import { type Gateway, gatewayOf } from "../../../../appliance/links/public/router/gateway.ts";

const HEAD =
  "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
const WIRED = "end0\t00000000\t01B2A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n";
const WIRELESS = "wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n";
const LOCAL = "end0\t00B2A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n";
const TUNNEL = "wg0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n";

const INTERFACES = {
  end0: [face("fe80::1", 64), face("169.254.7.7", 16), face("192.168.178.20", 24)],
  wlan0: [face("192.168.1.30", 24)],
};

describe("the gateway", () => {
  const found = (routes: string, interfaces = INTERFACES): Promise<Gateway | undefined> =>
    gatewayOf({ readRoutes: async () => HEAD + routes, interfaces: () => interfaces });

  it("is where the default route of the lowest metric leads", async () => {
    assert.deepEqual(await found(WIRELESS + LOCAL + TUNNEL + WIRED), {
      address: "192.168.178.1",
      own: "192.168.178.20",
      interface: "end0",
      mac: "b8:27:eb:01:02:03",
    });
    assert.equal((await found(WIRELESS + LOCAL))?.own, "192.168.1.30");
  });

  it("is another where the box has no address beside the first", async () => {
    const pulled = { ...INTERFACES, end0: [face("169.254.7.7", 16)] };
    assert.equal((await found(WIRED + WIRELESS, pulled))?.address, "192.168.1.1");
  });

  it("is none where there is no such route, or nobody tells", async () => {
    assert.equal(await found(LOCAL + TUNNEL), undefined);
    assert.equal(await found("end0 what\n\0"), undefined);
    const readRoutes = () => Promise.reject(new Error("ENOENT"));
    assert.equal(await gatewayOf({ readRoutes, interfaces: () => INTERFACES }), undefined);
  });

  it("is found on this machine, or there is none", async () => {
    const gateway = await gatewayOf();
    if (gateway !== undefined) assert.notEqual(gateway.own, gateway.address);
  });
});

describe("what an owner is told of the router", () => {
  const pair = { external: 443, internal: 443 };
  const gateway: Gateway = {
    address: "192.168.178.1",
    own: "192.168.178.20",
    interface: "end0",
    mac: "b8:27:eb:01:02:03",
  };
  const BY_HAND =
    "In the router, forward TCP port 443 to port 443 of 192.168.178.20 (b8:27:eb:01:02:03).";

  it("names the rule to make by hand where nobody answered", () => {
    assert.deepEqual(portAdvice("no-router", pair, gateway), {
      sentence: "No router answered when it was asked to open the port.",
      next: BY_HAND,
    });
    assert.match(portAdvice("no-router", pair, undefined).next, /port 443 of this machine\.$/);
  });

  it("names the switch of a FRITZ!Box where it is not allowed, and the rule too", () => {
    const { next } = portAdvice("not-allowed", pair, gateway);
    assert.match(next, /^In a FRITZ!Box, .* PCP or UPnP; /);
    assert.ok(next.endsWith(BY_HAND));
  });

  it("names what stands in the way, each time something else", () => {
    const answers = [
      "conflict",
      "no-room",
      "no-internet",
      "router-behind-router",
      "failed",
    ] as const;
    const nexts = answers.map((answer) => portAdvice(answer, pair, gateway).next);
    assert.equal(new Set(nexts).size, answers.length);
  });
});

function face(address: string, bits: number): NetworkInterfaceInfo {
  const base = { address, mac: "b8:27:eb:01:02:03", internal: false, cidr: `${address}/${bits}` };
  return address.includes(":")
    ? { ...base, family: "IPv6", netmask: "ffff::", scopeid: 2 }
    : { ...base, family: "IPv4", netmask: "255.255.255.0" };
}
