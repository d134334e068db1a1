import type { KeyObject } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { retryAfterMs } from "../ask.ts";
import type { Resource } from "./authority.ts";
import type { Identifier } from "./certificate.ts";
import {
  type ChallengeResponder,
  type ChallengeType,
  challengeFailure,
  chooseChallenge,
  present,
  validationOf,
} from "./challenge.ts";
import { AcmeFailed, failureOf, type Validation } from "./problem.ts";
import type { SignedRequests } from "./signed-requests.ts";
import { certificateRequest } from "./x509.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** The wait grows to this where the CA does not say. */
const OWN_WAIT_MS = 8_000;
const PATIENCE_MS = 10 * 60_000;
const MOST_POLLS = 100;

/** Optional wishes of an order, which are dropped for a CA that does not know them. */
export interface OrderOptions {
  /** The id of the certificate before (RFC 9773 section 5). */
  readonly replaces?: string | undefined;
  readonly profile?: string | undefined;
}

interface OrderParts {
  readonly link: SignedRequests;
  readonly presenter: ChallengeResponder;
  readonly clock: Clock;
  readonly identifier: Identifier;
  /** The challenges that may be answered, the most welcome first. */
  readonly challenges: readonly ChallengeType[];
}

/** One order of a certificate for one name (RFC 8555 section 7.4). */
export class Order {
  readonly #parts: OrderParts;
  readonly #url: string;
  readonly #finalize: string;
  readonly #authorization: string;

  private constructor(parts: OrderParts, url: string, told: Resource) {
    this.#parts = parts;
    this.#url = url;
    this.#finalize = parts.link.parts.authority.own(told.finalize);
    const { authorizations } = told;
    if (!Array.isArray(authorizations) || authorizations.length !== 1)
      throw new AcmeFailed("bad-answer", "an order of one name has not one authorisation");
    this.#authorization = parts.link.parts.authority.own(authorizations[0]);
  }

  /** @throws {AcmeFailed} as all of this class */
  static async place(parts: OrderParts, wishes: OrderOptions): Promise<Order> {
    const { link, identifier } = parts;
    const { authority, directory } = link.parts;
    const fields = Object.entries(wishes).filter(([, value]) => value !== undefined);
    const payload = { identifiers: [identifier], ...Object.fromEntries(fields) };
    try {
      const reply = await link.send(directory.newOrder, payload);
      return new Order(parts, authority.own(reply.headers.location), authority.json(reply));
    } catch (error) {
      const fewer = withoutOne(wishes, error);
      if (fewer === undefined) throw error;
      return Order.place(parts, fewer);
    }
  }

  /** The CA's authorisation of the name as it is now; `valid` where it was proven not long ago. */
  async #authorizationNow(): Promise<Resource> {
    const { link, identifier } = this.#parts;
    const told = await link.post(this.#authorization);
    const { type, value } = isObject(told.identifier) ? told.identifier : {};
    const isSame =
      type === identifier.type && isText(value) && value.toLowerCase() === identifier.value;
    if (!isSame) throw new AcmeFailed("bad-answer", "an authorisation is for another name");
    return told;
  }

  /**
   * Deactivates a proof that the CA has kept (section 7.5.2), so that the next order needs a new one.
   * @returns false where there is none
   */
  async giveUpProof(): Promise<boolean> {
    const { status } = await this.#authorizationNow();
    if (status !== "valid") return false;
    await this.#parts.link.post(this.#authorization, { status: "deactivated" });
    return true;
  }

  /** Proves that the name leads here (section 7.5.1); undefined where the CA knew. */
  async prove(): Promise<Validation | undefined> {
    const { presenter, identifier, clock, link, challenges } = this.#parts;
    const offered = await this.#authorizationNow();
    if (offered.status === "valid") return undefined;
    if (offered.status !== "pending") throw undecided("authorisation", offered);
    const challenge = chooseChallenge(offered, challenges);
    const { key } = link.parts;
    const end = present(presenter, identifier, challenge, { key, now: clock.now() });
    try {
      await link.post(challenge.url, {});
      const decided = await pollWhile(this.#parts, this.#authorization, ["pending"]);
      if (decided.status !== "valid") throw challengeFailure(decided, challenge);
      return validationOf(decided, challenge);
    } finally {
      end();
    }
  }

  /** @returns the address of the certificate for this key */
  async finalize(key: KeyObject): Promise<string> {
    const { link, identifier } = this.#parts;
    await this.#reaches("ready", ["pending"]);
    const csr = certificateRequest(identifier, key).toString("base64url");
    await link.post(this.#finalize, { csr });
    const { authority } = link.parts;
    return authority.own((await this.#reaches("valid", ["ready", "processing"])).certificate);
  }

  async #reaches(state: string, before: readonly string[]): Promise<Resource> {
    const order = await pollWhile(this.#parts, this.#url, before);
    if (order.status === state) return order;
    throw failureOf(order.error) ?? undecided("order", order);
  }
}

/**
 * Reads a resource again and again, as often as the CA wants (RFC 8555 section 7.5.1), until it is in
 * another state than those. Gives up after ten minutes.
 * @throws {AcmeFailed}
 */
async function pollWhile(
  { link, clock }: OrderParts,
  url: string,
  states: readonly string[],
): Promise<Resource> {
  const { authority, signal } = link.parts;
  const since = clock.monotonic();
  for (let polls = 0; polls < MOST_POLLS && clock.monotonic() - since < PATIENCE_MS; polls++) {
    const reply = await link.send(url);
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

function undecided(what: string, { status }: Resource): AcmeFailed {
  return new AcmeFailed("server", `the ${what} is ${String(status).slice(0, 20)}`);
}

/** The wishes without the refused one; undefined for a failure with another reason. */
function withoutOne({ replaces, profile }: OrderOptions, error: unknown): OrderOptions | undefined {
  if (!(error instanceof AcmeFailed) || error.status === undefined) return undefined;
  if (profile !== undefined && error.type === "invalidProfile") return { replaces };
  // Any refusal counts, not only `alreadyReplaced`: the certificate before may be another account's, or unknown by now.
  const isRefused = error.status >= 400 && error.status < 500 && error.kind !== "limit";
  return replaces !== undefined && isRefused ? { profile } : undefined;
}
