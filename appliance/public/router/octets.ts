/** `[192, 0, 2, 1]` is 192.0.2.1. */
export function octetsToAddress(octets: Uint8Array): string {
  return octets.join(".");
}

/** Whether it is 0.0.0.0, which routers send while they have no address. */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0";
}
