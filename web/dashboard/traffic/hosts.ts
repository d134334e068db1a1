import { KNOWN_HOSTS } from "../../../appliance/base/hosts/known-hosts.ts";
import { comparableHost } from "../../../appliance/base/names.ts";

/** Dimensions whose values are hosts that visitors came from, or names of campaigns. */
export const isOfHosts = (name: string): boolean => name === "ref" || name === "source";

/** The form in which values are compared: a host is the same with and without `www.`, in any case. */
export const comparable = (name: string, value: string): string =>
  isOfHosts(name) ? comparableHost(value) : value;

/** The name people know for a host, by the closest domain around it: `l.facebook.com` is Facebook. */
export function hostName(host: string): string | null {
  for (let domain = host; domain !== ""; domain = domain.replace(/^[^.]*\.?/, "")) {
    const name = KNOWN_HOSTS.get(domain);
    if (name !== undefined) return name;
  }
  const [, name] =
    /(?:^|\.)(google|yahoo|yandex|pinterest)\.(?:co\.|com\.)?[a-z]{2,3}$/.exec(host) ?? [];
  return name === undefined ? null : name.charAt(0).toUpperCase() + name.slice(1);
}
