import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: (what?: { type: "minor" }) => void = runInNewContext("gc");

/** The bytes on the heap once young objects that nobody needs are gone; old ones stay. */
export function heapAfterYoung(): number {
  collect({ type: "minor" });
  return process.memoryUsage().heapUsed;
}

/** Bytes that this process holds on to, on the heap and in buffers, once what nobody needs is gone. */
export function keptMemory(): number {
  // The first finds what is gone, the second waits for the buffers of the first.
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
