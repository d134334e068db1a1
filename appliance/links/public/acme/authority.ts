import { DAY_MS } from "../../../base/calendar.ts";
import { AskFailed } from "../../../base/http/exchange.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { type AskOutside, type OutsideQuestion, type OutsideReply, retryAfterMs } from "../ask.ts";
import { AcmeFailed, failureOf } from "./problem.ts";

/** The resources that a CA offers, and where they are (RFC 8555 section 7.1.1). */
export interface AcmeDirectory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  /** RFC 9773 section 4. */
  readonly renewalInfo: string | undefined;
  /** The names of its kinds of certificates (draft-ietf-acme-profiles). */
  readonly profiles: readonly string[];
}

/** A resource of the CA that it is working at, as it is now. */
export type Resource = Readonly<Record<string, unknown>>;

const LONGEST_URL = 1_024;
/** Limits are by the week. */
const LONGEST_WAIT_MS = 8 * DAY_MS;

/**
 * A CA, whose answers are bounded and checked. All of its addresses have to be https and of the directory's origin. The
 * standard allows others, but with this rule no answer can send this box elsewhere, least of all into its own network.
 */
export class Authority {
  readonly #url: string;
  readonly #ask: AskOutside;

  constructor({ directory, ask }: { directory: string; ask: AskOutside }) {
    this.#url = directory;
    this.#ask = ask;
  }

  /** @throws {AcmeFailed} as all of this class */
  async directory(signal: AbortSignal): Promise<AcmeDirectory> {
    const url = this.own(this.#url);
    const told = this.json(await this.ask({ method: "GET", url }, signal));
    const meta = isObject(told.meta) ? told.meta : {};
    return {
      newNonce: this.own(told.newNonce),
      newAccount: this.own(told.newAccount),
      newOrder: this.own(told.newOrder),
      renewalInfo: told.renewalInfo === undefined ? undefined : this.own(told.renewalInfo),
      profiles: isObject(meta.profiles) ? Object.keys(meta.profiles) : [],
    };
  }

  /** Sends one request. @returns an answer with any status */
  async ask(question: OutsideQuestion, signal: AbortSignal): Promise<OutsideReply> {
    try {
      return await this.#ask(question, { signal });
    } catch (error) {
      if (!(error instanceof AskFailed)) throw error;
      const { reason, message } = error;
      if (reason === "stopped") throw new AcmeFailed("stopped", message);
      throw new AcmeFailed(reason === "too-large" ? "bad-answer" : "unreachable", message);
    }
  }

  /** The object in an answer that says that all is well. */
  json(reply: OutsideReply): Record<string, unknown> {
    if (reply.status < 200 || reply.status > 299) throw this.failure(reply);
    const told = parsed(reply);
    if (!isObject(told)) throw new AcmeFailed("bad-answer", "the answer is no JSON object");
    return told;
  }

  /** The failure in an answer (RFC 8555 section 6.7). */
  failure(reply: OutsideReply): AcmeFailed {
    const { status } = reply;
    const more = { status, retryAfterMs: retryAfterMs(reply.headers, LONGEST_WAIT_MS) };
    const told = failureOf(parsed(reply), more);
    if (told !== undefined && (told.kind !== "server" || status !== 429)) return told;
    if (status === 429) return new AcmeFailed("limit", told?.detail ?? "too many requests", more);
    return new AcmeFailed(status >= 500 ? "server" : "bad-answer", `status ${status}`, more);
  }

  /** An address of this CA. */
  own(url: unknown): string {
    const told = webUrl(url);
    if (told === undefined || told.origin !== webUrl(this.#url)?.origin)
      throw new AcmeFailed("bad-answer", "an address is not one of the directory's own, by https");
    return told.href;
  }
}

function webUrl(value: unknown): URL | undefined {
  const url = isText(value) && value.length <= LONGEST_URL ? URL.parse(value) : null;
  return url?.protocol === "https:" && url.username + url.password === "" ? url : undefined;
}

function parsed({ body }: OutsideReply): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
