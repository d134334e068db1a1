/**
 * Frees the memory of an array at once, which empties all arrays on the same buffer. V8 counts such arrays as old, and
 * would keep 100 MB of them before a full collection.
 */
export function giveBack({ buffer }: Uint8Array | Uint8ClampedArray): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
