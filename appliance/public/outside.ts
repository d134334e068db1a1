import { BlockList, isIP } from "node:net";
import { addressKey } from "../http/client.ts";
import { kindOfAddress } from "./addresses.ts";

/** Where this box is at home. */
interface Home {
  /** The networks of its own interfaces: `192.168.1.0/24`. */
  readonly networks: readonly string[];
  /** The router's outer IPv4 address, as far as it is known. */
  readonly outer?: string | undefined;
}

/**
 * True for an address that only the internet can have brought here: none of the own networks, which
 * the router's inner address is in, and not its outer one, which it lends to those who go round by it.
 */
export function isOutside(address: string, { networks, outer }: Home): boolean {
  if (kindOfAddress(address) !== "public" || address === outer) return false;
  const family = isIP(address);
  return !networks.some((network) => {
    const [own = "", bits] = network.split("/");
    if (isIP(own) !== family) return false;
    // A home has a /64 at least, whatever the machine's own address says.
    if (family === 6 && addressKey(own) === addressKey(address)) return true;
    const block = new BlockList();
    block.addSubnet(own, Number(bits), family === 6 ? "ipv6" : "ipv4");
    return block.check(address, family === 6 ? "ipv6" : "ipv4");
  });
}
