import { readFile } from "node:fs/promises";
import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";

/** The router of this box's network. */
export interface Gateway {
  /** Its IPv4 address in the network. */
  readonly address: string;
  /** The box's address on that network. */
  readonly own: string;
  /** The interface that leads there, as the system names it. */
  readonly interface: string;
  /** The box's hardware address there, for a rule made by hand: `b8:27:eb:01:02:03`. */
  readonly mac?: string;
}

interface NetworkFacts {
  /** @throws when it cannot be read */
  readRoutes(): Promise<string>;
  interfaces: typeof networkInterfaces;
}

/** Columns of /proc/net/route; see proc_pid_net(5). */
const ROUTE =
  /^(\S{1,32})\t([0-9A-F]{8})\t([0-9A-F]{8})\t([0-9A-F]{4})\t\d+\t\d+\t(\d+)\t([0-9A-F]{8})/;
const UP = 0x1;
const HAS_GATEWAY = 0x2;

/** The gateway of the default route with the lowest metric; undefined where there is none. */
export async function gatewayOf(facts: NetworkFacts = thisMachine): Promise<Gateway | undefined> {
  const routes = await facts.readRoutes().catch(() => "");
  const defaults = routes.split("\n").flatMap((line) => defaultRouteOf(line) ?? []);
  defaults.sort((a, b) => a.metric - b.metric);
  const interfaces = facts.interfaces();
  for (const { address, name } of defaults) {
    const here = interfaces[name]?.find(
      ({ family, cidr }) => family === "IPv4" && cidr !== null && isWithin(address, cidr),
    );
    if (here === undefined) continue;
    return { address, own: here.address, interface: name, mac: here.mac };
  }
  return undefined;
}

const thisMachine: NetworkFacts = {
  // The sandbox of the image shows a process its own part of /proc only.
  readRoutes: () => readFile("/proc/self/net/route", "utf8"),
  interfaces: networkInterfaces,
};

interface DefaultRoute {
  readonly name: string;
  readonly address: string;
  readonly metric: number;
}

function defaultRouteOf(line: string): DefaultRoute | undefined {
  const [, name = "", to, via = "", flags, metric, mask] = ROUTE.exec(line) ?? [];
  if (to !== "00000000" || mask !== "00000000") return undefined;
  const wanted = UP | HAS_GATEWAY;
  if ((Number.parseInt(flags ?? "", 16) & wanted) !== wanted) return undefined;
  return { name, address: addressOf(via), metric: Number(metric) };
}

/** Every machine that the box runs on writes the lowest byte first: `010200C0` is 192.0.2.1. */
function addressOf(hex: string): string {
  return [...Buffer.from(hex, "hex")].reverse().join(".");
}

function isWithin(address: string, cidr: string): boolean {
  const [network = "", bits] = cidr.split("/");
  const block = new BlockList();
  block.addSubnet(network, Number(bits));
  return block.check(address);
}
