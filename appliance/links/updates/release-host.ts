import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { AskFailed, askFailure, opened } from "../../base/http/exchange.ts";
import { MANIFEST, MANIFEST_BYTES, SIGNATURE } from "../../base/release/manifest.ts";
import { SIGNATURE_BYTES } from "../../base/release/minisign.ts";
import { timeLimit } from "../../base/tasks/closing.ts";
import type { SignedFiles } from "./record.ts";

/** An answer with an unread body. */
export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Sends one GET and follows nothing. @throws {Error} Node's own, where no status came */
export type OpenUrl = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<HostAnswer>;

export const openOutside: OpenUrl = async (url, headers, signal) => {
  const body = await opened({ method: "GET", url, headers }, { signal });
  return { status: body.statusCode ?? 0, headers: body.headers, body };
};

/**
 * The failure of a download, in a sentence for people. `gone`: the file does not exist any more; `wrong`: the content
 * does not match; `failed`: another try may work.
 */
export class NotFetched extends Error {
  readonly kind: "gone" | "wrong" | "failed";

  constructor(kind: NotFetched["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

interface HostOptions {
  /** The URL, with the slash at the end. */
  readonly url: string;
  readonly open: OpenUrl;
  readonly clock: Pick<Clock, "after">;
  readonly userAgent: string;
}

/** A Git host leads from the newest release to its file, and from there to where files are. */
const MOST_REDIRECTS = 5;
const PATIENCE_MS = 30_000;
const MOVED = [301, 302, 303, 307, 308];

/** The host of releases: a folder of files. */
export class ReleaseHost {
  readonly #options: HostOptions;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  get name(): string {
    return new URL(this.#options.url).host;
  }

  /** The papers of the newest release, not verified yet. @throws {NotFetched} */
  async newest(signal: AbortSignal): Promise<SignedFiles> {
    const manifest = await this.#text(MANIFEST, MANIFEST_BYTES, signal);
    return { manifest, signature: await this.#text(SIGNATURE, SIGNATURE_BYTES, signal) };
  }

  /**
   * Opens a file from a byte on. The reader of the body has to limit its time. The host may answer with the whole file, by
   * 200 instead of 206, or without such a part, by 416.
   * @throws {NotFetched}
   */
  async file(name: string, from: number, signal: AbortSignal): Promise<HostAnswer> {
    const range = from === 0 ? undefined : { range: `bytes=${from}-` };
    return this.#patiently(signal, (end) => this.#follow(name, range ?? {}, end));
  }

  async #text(name: string, mostBytes: number, signal: AbortSignal): Promise<string> {
    return this.#patiently(signal, async (end) => {
      const { body } = await this.#follow(name, {}, end);
      const parts: Buffer[] = [];
      let left = mostBytes;
      for await (const part of body as AsyncIterable<Buffer>) {
        left -= part.length;
        if (left < 0) throw new AskFailed("too-large");
        parts.push(part);
      }
      return Buffer.concat(parts).toString("utf8");
    });
  }

  async #patiently<T>(signal: AbortSignal, task: (end: AbortSignal) => Promise<T>): Promise<T> {
    using end = timeLimit(this.#options.clock, PATIENCE_MS, signal);
    try {
      return await task(end.signal);
    } catch (error) {
      if (error instanceof NotFetched) throw error;
      throw this.failure(error, end.signal);
    }
  }

  failure(error: unknown, end: AbortSignal): NotFetched {
    return new NotFetched(
      "failed",
      `${this.name} could not be asked: ${askFailure(error, end).message}.`,
    );
  }

  async #follow(
    name: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HostAnswer> {
    const { url, open, userAgent } = this.#options;
    let at = new URL(name, url);
    for (let left = MOST_REDIRECTS; ; left -= 1) {
      const sent = { ...headers, "accept-encoding": "identity", "user-agent": userAgent };
      const answer = await open(at.href, sent, signal);
      const { status, headers: told, body } = answer;
      if (status === 200 || status === 206 || (status === 416 && "range" in headers)) return answer;
      body.destroy();
      if (!MOVED.includes(status)) throw this.#refused(name, status);
      const next = URL.parse(told.location ?? "", at.href);
      if (next?.protocol !== "https:" || left === 0)
        throw new NotFetched(
          "failed",
          `${this.name} leads to where this box does not follow. Look at UPDATE_URL.`,
        );
      at = next;
    }
  }

  #refused(name: string, status: number): NotFetched {
    return status === 404 || status === 410
      ? new NotFetched("gone", `${this.name} has no ${name} (${status}).`)
      : new NotFetched(
          "failed",
          `${this.name} answered ${status} for ${name}. The box asks again later.`,
        );
  }
}
