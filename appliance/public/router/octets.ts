/** `[192, 0, 2, 1]` is 192.0.2.1. */
export function octetsToAddress(octets: Uint8Array): string {
  return octets.join(".");
}

/** No address at all, which routers tell while they have none. */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0";
}
