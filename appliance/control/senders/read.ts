import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import { namesEtag } from "../../base/etag.ts";
import { rateLimited } from "../../base/http/errors.ts";
import { invalidField } from "../../base/refusal.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { ChannelAnswer } from "../wire.ts";
import type { SenderRoute } from "./route.ts";

interface Parts {
  channels: Channels;
  clock: Clock;
  polls: LongPolls;
}

const MAX_WAIT_S = 25;

/** `GET /api/channels/:channel[?wait=1..25]`: the value of the channel, at once or after a change. */
export function readRoute({ channels, clock, polls }: Parts): SenderRoute {
  return {
    path: ["api", "channels"],
    usage: "Read /api/channels/<channel>.",
    methods: ["GET", "HEAD"],
    scope: "read",
    async handle(ctx, { channel, token }) {
      const until = clock.monotonic() + waitOf(ctx.query.wait) * 1_000;
      const known = ctx.get("If-None-Match");
      const first = tagged(channels, channel);
      let answer = first;
      // A client with an older answer has missed a change, and need not wait for the next one.
      const isMissed = known !== "" && !namesEtag(known, first.etag);
      while (!isMissed && answer.etag === first.etag && clock.monotonic() < until) {
        const left = until - clock.monotonic();
        if (!(await polls.wait(channel, token, left, ctx.res))) break;
        answer = tagged(channels, channel);
      }
      ctx.status = 200;
      ctx.set({ ETag: answer.etag, "Cache-Control": "private, no-cache" });
      ctx.body = answer.body;
      if (namesEtag(known, answer.etag)) ctx.status = 304;
    },
  };
}

/** Seconds. @throws {Refusal} `invalid_field` */
function waitOf(text: string | string[] | undefined): number {
  if (text === undefined) return 0;
  const seconds = /^\d{1,2}$/.test(String(text)) ? Number(text) : Number.NaN;
  if (seconds >= 1 && seconds <= MAX_WAIT_S) return seconds;
  throw invalidField("wait", `must be whole seconds from 1 to ${MAX_WAIT_S}.`);
}

function tagged(channels: Channels, channel: string): { etag: string; body: ChannelAnswer } {
  const value = channels.get(channel);
  const body = {
    channel,
    text: value?.text ?? null,
    state: value?.state ?? "waiting",
    status: value?.status ?? null,
    id: value?.id ?? null,
    ack: value?.ack ?? null,
    updatedAt: value?.updatedAt ?? null,
    expiresAt: value?.expiresAt ?? null,
  } satisfies ChannelAnswer;
  const hash = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  return { etag: `"${hash.slice(0, 22)}"`, body };
}

interface Waiter {
  readonly token: string;
  readonly end: (isListening: boolean) => void;
}

const MAX_OF_TOKEN = 8;
const MAX_WAITERS = 32;
/** Seconds until a retry where too many requests wait. */
const RETRY_S = 5;

interface PollsOptions {
  readonly clock: Clock;
  readonly channels: Pick<Channels, "changed">;
}

/** Requests that wait until a channel changes. */
export class LongPolls {
  readonly #options: PollsOptions;
  readonly #waiters = new Set<Waiter>();
  #isClosed = false;

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /**
   * Waits for a change of the channel, for `ms` milliseconds at most.
   * @returns false when the client has left
   * @throws {HttpError} 429 when too many requests wait
   */
  wait(channel: string, token: string, ms: number, { socket }: ServerResponse): Promise<boolean> {
    // Half-open connections are allowed here; a client that closes its side has left.
    if (this.#isClosed || socket === null || socket.readableEnded) return Promise.resolve(false);
    const own = [...this.#waiters].filter((waiter) => waiter.token === token);
    if (own.length >= MAX_OF_TOKEN || this.#waiters.size >= MAX_WAITERS)
      throw rateLimited(
        RETRY_S,
        `Too many requests wait for channels: ${MAX_OF_TOKEN} of a token, ${MAX_WAITERS} in all. End some, or ask without wait.`,
      );
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const left = () => waiter.end(false);
    const { clock, channels } = this.#options;
    const cancel = clock.after(ms, () => waiter.end(true));
    const stopListening = channels.changed.on((changed) => {
      if (changed === channel) waiter.end(true);
    });
    const waiter: Waiter = {
      token,
      end: (isListening) => {
        cancel();
        stopListening();
        socket.off("end", left).off("close", left);
        this.#waiters.delete(waiter);
        resolve(isListening);
      },
    };
    socket.once("end", left).once("close", left);
    this.#waiters.add(waiter);
    return promise;
  }

  /** Answers all waiting requests. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of [...this.#waiters]) waiter.end(false);
  }
}
