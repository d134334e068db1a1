/**
 * Gives the memory of an array back at once; it and all on the same buffer are empty then. V8 takes
 * such arrays for old, and keeps 100 MB of them before it looks through its whole heap.
 */
export function giveBack({ buffer }: Uint8Array | Uint8ClampedArray): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
