import { isIP } from "node:net";

/**
 * Names, lower case, by which the owner's listener may be addressed besides IP addresses: by any other one a page of
 * elsewhere could have the owner's browser ask (DNS rebinding).
 * @param host the name of this machine
 * @param inForce its name in the own network; undefined without
 * @param allowed names of the owner's
 */
export function ownNames(
  host: string,
  inForce: string | undefined,
  allowed: readonly string[] = [],
): ReadonlySet<string> {
  const name = host.toLowerCase();
  const short = name.split(".")[0] ?? name;
  const found = inForce === undefined ? [] : [inForce];
  return new Set(["localhost", name, short, `${short}.local`, ...found, ...allowed]);
}

/** Whether a host of a URL, without its port, is an IP address or one of the names. */
export function isOwnHost(hostname: string, names: ReadonlySet<string>): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isIP(bare) !== 0 || names.has(bare);
}
