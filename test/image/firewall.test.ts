import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TUNNEL } from "../../appliance/box/ipc/tunnel.ts";
import { Street, type Tries } from "./street.ts";

const TRUST = join(
  import.meta.dirname,
  "../../firmware-config/system/usr/lib/tallydeck/trust-proxies",
);
/** More than the firewall lets one address open at once, or hold. */
const CROWD = 700;
/** Connections that an address may open at once, and then each second. */
const BURST = 250;
const A_SECOND = 50;

/** Address of the street, address of the box. */
const NEIGHBOURS = [
  ["192.168.7.2", "192.168.7.1"],
  ["172.31.7.2", "172.31.7.1"],
  ["fd00:7::2", "fd00:7::1"],
  ["fe80::2", "fe80::1"],
] as const;
const STRANGERS = [
  ["198.51.100.2", "198.51.100.1"],
  ["100.64.7.2", "100.64.7.1"],
  ["2001:db8::2", "2001:db8::1"],
] as const;

describe("the box's firewall", () => {
  let street: Street | undefined;
  before(function () {
    if (Street.isMissing !== undefined) this.skip();
  });
  // A new one each time: what an address did before is remembered.
  beforeEach(async () => {
    await street?.close();
    street = await Street.build();
  });
  after(() => street?.close());

  const outcomes = async (...tries: readonly Tries[]) => (await street?.tries(...tries)) ?? [];
  const outcome = async (from: string, to: string, port: number) =>
    (await outcomes({ from, to, port }))[0];
  /** Messages that a responder in the box receives, of its own and of the street. */
  const heardOnMdns = (from = "192.168.7.2", own = "192.168.7.1") =>
    street?.hears(from, own) ?? Promise.resolve([]);
  /** Takes one of the two limits away, to see the other. */
  const without = (limit: "fast" | "many") => street?.inBox("sh", "-c", DROP_LIMIT, "sh", limit);
  /** The outcome for each pair of addresses. */
  const each = (pairs: readonly (readonly [string, string])[], port: number) =>
    outcomes(...pairs.map(([from, to]) => ({ from, to, port })));
  const ALL = [...NEIGHBOURS, ...STRANGERS];
  const opened = async (tries: Tries) =>
    (await outcomes(tries)).filter((each) => each === "open").length;

  it("lets everybody be counted, over HTTPS too", async () => {
    assert.deepEqual(await each(ALL, 80), Array(ALL.length).fill("open"));
    assert.deepEqual(await each(ALL, 443), Array(ALL.length).fill("open"));
  });

  it("lets the own network to the Web UI, and no stranger, by whatever kind of address", async () => {
    assert.deepEqual(await each(NEIGHBOURS, 3000), ["open", "open", "open", "open"]);
    assert.deepEqual(await each(STRANGERS, 3000), ["silent", "silent", "refused"]);
  });

  it("tells an IPv6 neighbour at once, so that its browser tries the other address", async () => {
    assert.equal(await outcome("2001:db8::2", "2001:db8::1", 3000), "refused");
  });

  it("opens the remote shell to the own network only, and only once ssh runs", async () => {
    assert.equal(await outcome("192.168.7.2", "192.168.7.1", 22), "silent");
    street?.inBox("nft", "add", "element", "inet", "tallydeck", "lan_ports", "{ 22 }");
    assert.equal(await outcome("192.168.7.2", "192.168.7.1", 22), "open");
    assert.deepEqual(await each(STRANGERS, 22), ["silent", "silent", "refused"]);
  });

  it("hears the own network's questions for names, and never its own records come back", async () => {
    assert.deepEqual(await heardOnMdns(), ["street"]);
  });

  it("hears no stranger's questions for names", async () => {
    street?.inBox("ip", "address", "flush", "dev", "box", "to", "192.168.7.0/24");
    assert.deepEqual(await heardOnMdns("198.51.100.2", "198.51.100.1"), []);
  });

  it("hears a router's answer to the search for it, and nothing else there", async () => {
    const [box, stranger] = ["192.168.7.1", "198.51.100.1"];
    const heard = await street?.receives(1901, [
      ["198.51.100.2", stranger, 1900],
      ["192.168.7.2", box, 5000],
      ["192.168.7.2", box, 1900],
    ]);
    assert.deepEqual(heard, [2]);
  });

  it("hears what a router says to all, and not what is sent to the box there", async () => {
    const groups = ["224.0.0.1", "239.255.255.250"] as const;
    for (const [port, sport, group] of [
      [5350, 5351, groups[0]],
      [1900, 40_000, groups[1]],
    ] as const) {
      const heard = await street?.receives(port, [
        ["192.168.7.2", "192.168.7.1", sport],
        ["198.51.100.2", group, sport],
        ["192.168.7.2", group, sport],
      ]);
      assert.deepEqual(heard, [2]);
    }
  });

  it("lets in by the tunnel what everybody may, and no more from its own far end", async () => {
    await street?.close();
    street = await Street.build(TUNNEL);
    street.inBox("nft", "add", "element", "inet", "tallydeck", "lan_ports", "{ 22 }");
    const ends = [...STRANGERS, ...NEIGHBOURS.slice(0, 3)];
    const ports = [80, 443, 22, 3000, 8080];
    const found = await Promise.all(ports.map((port) => each(ends, port)));
    const all = (outcome: string) => Array(ends.length).fill(outcome);
    assert.deepEqual(found.slice(0, 2), [all("open"), all("open")]);
    assert.deepEqual(found.slice(2), [all("silent"), all("silent"), all("silent")]);
  });

  it("shows the set-up network nothing of the box but its own names and pages", async () => {
    street?.inBox("nft", "add", "element", "inet", "tallydeck", "setup_links", "{ box }");
    // Port 80 is led to where no page is served now: the collector, which listens, is not reached.
    for (const port of [80, 443, 853, 3000, 22, 8080])
      assert.deepEqual(await each(NEIGHBOURS.slice(0, 2), port), ["refused", "refused"]);
    const phones = [["192.168.7.2", "192.168.7.1", 4000]] as const;
    assert.deepEqual(await street?.receives(8053, phones, 53), [0]);
    assert.deepEqual(await street?.receives(67, phones), [0]);
    street?.inBox("nft", "flush", "set", "inet", "tallydeck", "setup_links");
    assert.equal(await outcome("192.168.7.2", "192.168.7.1", 3000), "open");
    assert.equal(await outcome("192.168.7.2", "192.168.7.1", 80), "open");
  });

  it("lets nobody to any other port", async () => {
    assert.deepEqual(await each(ALL, 8080), Array(ALL.length).fill("silent"));
  });

  it("lets a stranger open only so many connections at once, and others all the same", async () => {
    without("many");
    const began = performance.now();
    const crowd = { to: "198.51.100.1", port: 80, count: CROWD };
    const count = await opened({ ...crowd, from: "198.51.100.2" });
    assert.ok(count >= BURST && count <= BURST + dueSince(began), `${count} of ${CROWD}`);
    assert.equal(await outcome("198.51.100.3", "198.51.100.1", 80), "open");
  });

  it("takes an IPv6 /64 as one stranger", async () => {
    without("many");
    const began = performance.now();
    const crowd = { to: "2001:db8::1", port: 80, count: CROWD };
    const count =
      (await opened({ ...crowd, from: "2001:db8::2" })) +
      (await opened({ ...crowd, from: "2001:db8::3" }));
    assert.ok(count >= BURST && count <= BURST + dueSince(began), `${count} of ${2 * CROWD}`);
    assert.equal(await outcome("2001:db8:0:2::2", "2001:db8:0:2::1", 80), "open");
  });

  it("lets a stranger hold only so many connections", async () => {
    // Connections count as if they had been opened slowly.
    without("fast");
    const tries = { from: "198.51.100.2", to: "198.51.100.1", port: 80, count: CROWD };
    assert.equal(await opened(tries), 128);
  });

  it("does not limit a proxy or a tunnel on the own network", async () => {
    const tries = { from: "192.168.7.2", to: "192.168.7.1", port: 80, count: CROWD };
    assert.equal(await opened(tries), CROWD);
  });

  it("does not limit a proxy elsewhere that the owner trusts", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-proxies-"));
    const settings = join(folder, "tallydeck.env");
    const list = '"10.0.0.1, 198.51.100.0/24,2001:db8::/32,nonsense,cafe,1.2.3.4.5,$(reboot)"';
    writeFileSync(settings, `SITES=blog\nTRUSTED_PROXIES=${list}\n`);
    street?.inBox("sh", TRUST, settings);
    rmSync(folder, { recursive: true });
    const crowd = { port: 80, count: CROWD };
    assert.equal(await opened({ ...crowd, from: "198.51.100.2", to: "198.51.100.1" }), CROWD);
    assert.equal(await opened({ ...crowd, from: "2001:db8::2", to: "2001:db8::1" }), CROWD);
  });
});

function dueSince(began: number): number {
  return A_SECOND * (1 + (performance.now() - began) / 1_000);
}

const DROP_LIMIT = `
  for handle in $(nft -a list chain inet tallydeck public | sed -n "s/.*@$1.*handle //p"); do
    nft delete rule inet tallydeck public handle $handle
  done
`;
