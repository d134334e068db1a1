/**
 * The normalized origin of an http or https address: `http://192.168.1.20:8123`, in lower case, without a default
 * port. Undefined for every other text, and for an address with a user or a password.
 */
export function originOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  // URLs take signs in a name that no name has: `*` stands for all of them in rules of others.
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(url.hostname)) return undefined;
  // The part before an @ is a secret that no reader would look for there, or a trick.
  return /^https?:\/\/[^/?#\\]*@/i.test(address) || url.username || url.password
    ? undefined
    : url.origin;
}
