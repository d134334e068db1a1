import { BlockList, isIP } from "node:net";
import { addressKey } from "../http/client.ts";
import { kindOfAddress } from "./addresses.ts";

/** The networks and address of this box's home. */
interface Home {
  /** The networks of its own interfaces: `192.168.1.0/24`. */
  readonly networks: readonly string[];
  /** The router's outer IPv4 address, as far as it is known. */
  readonly outer?: string | undefined;
}

/**
 * Whether a request with this address can only come from the internet: it is in none of the own networks, and not the
 * router's outer address, which requests from the home to the public name may have.
 */
export function isOutside(address: string, { networks, outer }: Home): boolean {
  if (kindOfAddress(address) !== "public" || address === outer) return false;
  const family = isIP(address);
  return !networks.some((network) => {
    const [own = "", bits] = network.split("/");
    if (isIP(own) !== family) return false;
    // A home has at least a /64, also where the prefix of the machine's own address is longer.
    if (family === 6 && addressKey(own) === addressKey(address)) return true;
    const block = new BlockList();
    block.addSubnet(own, Number(bits), family === 6 ? "ipv6" : "ipv4");
    return block.check(address, family === 6 ? "ipv6" : "ipv4");
  });
}
