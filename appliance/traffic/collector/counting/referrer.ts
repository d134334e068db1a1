import { groupOfHost, type HostGroup } from "../../../base/hosts/host-group.ts";
import { memoize } from "../../../base/memoize.ts";
import { addressHost } from "./address.ts";

export type ReferrerGroup = HostGroup | "direct" | "internal";

/**
 * The group of a referrer. Arguments are hosts, in any case, with or without port, leading `www.` and trailing dot;
 * origins and addresses are fine, too. `direct` is without a referrer, `internal` the page's own host, and others are as
 * `groupOfHost` has them. Assistants are known by the campaign's source as well: their apps send no referrer.
 */
export function referrerGroup(
  referrerHost: string,
  pageHost: string,
  utmSource = "",
): ReferrerGroup {
  const referrer = bareHost(referrerHost);
  if (referrer === "") {
    return utmSource !== "" && groupOf(bareHost(utmSource)) === "assistant"
      ? "assistant"
      : "direct";
  }
  if (referrer === bareHost(pageHost)) return "internal";
  return groupOf(referrer);
}

const bareHost = memoize((address) => {
  let host = addressHost(address).trim().toLowerCase();
  // An IPv6 literal has colons, so its port is after the bracket.
  const port = host.indexOf(":", host.lastIndexOf("]") + 1);
  if (port >= 0) host = host.slice(0, port);
  if (host.endsWith(".")) host = host.slice(0, -1);
  return host.startsWith("www.") ? host.slice(4) : host;
});

const groupOf = memoize(groupOfHost);
