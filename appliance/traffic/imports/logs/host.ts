import { isIP } from "node:net";
import { comparableHost, isHost } from "../../../base/names.ts";
import { storable } from "../../../base/text/storable.ts";
import { addressHost } from "../../collector/counting/address.ts";
import { isAddress } from "./client.ts";

/** The form in which hosts of logs are compared. */
export function bareHost(host: string): string {
  const bare = comparableHost(storable(host));
  return isIP(bare) === 0 ? bare.replace(/:\d+$/, "") : bare;
}

/** Whether people may be told of a host: an address could be a visitor's. @param bare a result of `bareHost` */
export function isHostName(bare: string): boolean {
  // Browsers read what ends in a number as an address.
  return isHost(bare) && !isAddress(bare) && !/(?:^|\.)\d+$/.test(bare);
}

/** The origin as the tag counts it: in lower case, without a port that a browser leaves out. */
export function originOfHost(host: string): string {
  const bare = addressHost(host).toLowerCase();
  return storable(`https://${bare.replace(/:(?:443|80)$/, "").replace(/\.(?=(?::\d+)?$)/, "")}`);
}
