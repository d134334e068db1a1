import { get } from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { TOKEN } from "./servers.ts";

interface Asked {
  readonly url: string;
  /** How often it is read, one after the other. */
  readonly reads: number;
}

/**
 * Reads a page with the admin token, in a thread of its own: who measures something else meanwhile
 * would measure the unpacking of the answers, too.
 * @returns milliseconds of each read
 * @throws {Error} when any is answered otherwise than with 200
 */
export function readTimes(url: string, reads: number): Promise<number[]> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { url, reads } satisfies Asked,
  });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

/** How long the body of such an answer is as it is sent, packed with Brotli; bytes. */
export function bytesOf(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, "accept-encoding": "br" };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      response.once("end", () => resolve(length));
    }).once("error", reject);
  });
}

async function timed({ url, reads }: Asked): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < reads; i++) {
    const start = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - start);
  }
  return times;
}

if (!isMainThread) parentPort?.postMessage(await timed(workerData));
