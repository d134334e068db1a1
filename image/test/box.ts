import { createReadStream, statSync } from "node:fs";
import { request } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { encode } from "../../test/helpers/world.ts";
import type { Machine } from "./machine.ts";

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly cookie: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads from an answer is what it asserts.
  readonly json: any;
}

export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const SERVES_MS = 20 * 60_000;
const UPLOAD_MS = 30 * 60_000;

/** The booted box as its visitors, apps and owner see it. */
export class Box {
  readonly machine: Machine;
  cookie: string | undefined;

  constructor(machine: Machine, cookie?: string) {
    this.machine = machine;
    this.cookie = cookie;
  }

  /** Waits until the collector answers; QEMU's port takes connections before there is a guest. */
  async serves(): Promise<void> {
    const deadline = performance.now() + SERVES_MS;
    for (;;) {
      const answer = await this.collector("GET", "/", { timeoutMs: 10_000 }).catch(() => undefined);
      if (answer?.status === 200) return;
      const hangs = await this.machine.hangs();
      if (hangs !== undefined) throw new Error(`the box hangs: ${hangs}; see console.log`);
      if (!this.machine.isRunning) throw new Error("the machine ended by itself; see console.log");
      if (performance.now() > deadline) throw new Error("the box serves nothing; see console.log");
      await pause(1_000);
    }
  }

  collector(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.machine.collectorPort, method, path, options);
  }

  control(
    method: string,
    path: string,
    body?: unknown,
    { timeoutMs }: Pick<AskOptions, "timeoutMs"> = {},
  ): Promise<Answer> {
    return ask(this.machine.controlPort, method, path, {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.cookie !== undefined && { cookie: this.cookie }),
      },
    });
  }

  upload(path: string, file: string): Promise<Answer> {
    return ask(this.machine.controlPort, "PUT", path, {
      file,
      timeoutMs: UPLOAD_MS,
      headers: {
        "content-type": "application/octet-stream",
        "content-length": String(statSync(file).size),
        ...(this.cookie !== undefined && { cookie: this.cookie }),
      },
    });
  }

  /** A view of a page, from a visitor's address. */
  view(path: string, { timeoutMs }: { timeoutMs?: number } = {}): Promise<Answer> {
    return this.collector("GET", viewOf(path), {
      headers: { "user-agent": CHROME },
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /** A survey response; each from an address of its own, since three an hour are taken from one. */
  survey(number: number): Promise<Answer> {
    return this.collector("POST", "/s?s=blog", {
      headers: {
        "content-type": "application/json",
        "x-forwarded-for": `198.${18 + ((number >> 16) & 1)}.${(number >> 8) & 255}.${number & 255}`,
      },
      body: JSON.stringify({ sv: 1, c: `n${number}` }),
    });
  }

  async read(path: string, token: string): Promise<Answer["json"]> {
    const answer = await this.collector("GET", path, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
    return answer.json;
  }
}

/** The path at which a browser reports a view. */
export function viewOf(path: string): string {
  return `/e?s=blog&v=${encodeURIComponent(encode({ p: path, l: "en" }))}`;
}

interface AskOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Its content is the body. */
  readonly file?: string;
  readonly timeoutMs?: number;
}

function ask(
  port: number,
  method: string,
  path: string,
  { headers = {}, body, file, timeoutMs = 60_000 }: AskOptions,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const signal = AbortSignal.timeout(timeoutMs);
  const sent = request(
    { host: "127.0.0.1", port, path, method, headers, agent: false, signal },
    (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          body: bytes,
          cookie: response.headers["set-cookie"]?.[0]?.split(";")[0],
          get json() {
            return JSON.parse(bytes.toString());
          },
        });
      });
    },
  ).on("error", reject);
  if (file === undefined) sent.end(body);
  else pipeline(createReadStream(file), sent).catch(reject);
  return promise;
}
