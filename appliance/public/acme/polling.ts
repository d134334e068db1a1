import type { Clock } from "../../base/clock.ts";
import { retryAfterMs } from "../retry-after.ts";
import type { Authority } from "./authority.ts";
import type { Conversation } from "./conversation.ts";
import { AcmeFailed } from "./problem.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** The wait grows to this where the CA does not say. */
const OWN_WAIT_MS = 8_000;
const PATIENCE_MS = 10 * 60_000;
const MOST_POLLS = 100;

interface Polling {
  readonly conversation: Conversation;
  readonly authority: Authority;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A resource of the CA that it is working at, as it is now. */
export type Resource = Readonly<Record<string, unknown>>;

/**
 * Reads a resource again and again, as often as the CA wants (RFC 8555 section 7.5.1), until it is in
 * another state than those. Gives up after ten minutes.
 * @throws {AcmeFailed}
 */
export async function pollWhile(
  { conversation, authority, clock, signal }: Polling,
  url: string,
  states: readonly string[],
): Promise<Resource> {
  const since = clock.monotonic();
  for (let polls = 0; polls < MOST_POLLS && clock.monotonic() - since < PATIENCE_MS; polls++) {
    const reply = await conversation.send(url);
    const resource = authority.json(reply);
    if (!states.includes(String(resource.status))) return resource;
    const own = Math.min(FIRST_WAIT_MS * 2 ** polls, OWN_WAIT_MS);
    await wait(clock, Math.min(retryAfterMs(reply.headers) ?? own, LONGEST_WAIT_MS), signal);
  }
  throw new AcmeFailed("server", "the certificate authority did not decide in time");
}

/** Waits for at least a little, even where the CA says 0. */
function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(Math.max(ms, FIRST_WAIT_MS), resolve);
  const stop = () => {
    cancel();
    reject(new AcmeFailed("stopped", "it was stopped"));
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
