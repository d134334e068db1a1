import type { Agent } from "node:https";
import type { Clock } from "../../base/clock.ts";
import { askFailure, exchange, opened, trustOf } from "../../base/http/exchange.ts";
import { messageOf } from "../../base/message-of.ts";
import { version } from "../../base/system/version.ts";
import type { Disobeyed, PlaceBody } from "../../store/store.ts";
import type { HomeSites } from "../collector/routes/place.ts";
import { CHANGES_TYPE, NotFrames } from "./frames.ts";
import { type CameUnit, unitsIn } from "./unit-codec.ts";

/** The place says something, or ends its answer, within 25 s. */
const LONGEST_SILENCE_MS = 40_000;
/** Much takes a while on a slow line. */
const LONGEST_ANSWER_MS = 10 * 60_000;
const SITES_MS = 30_000;
const MAX_ANSWER_BYTES = 1_048_576;

/** A place did not answer as one does; the message ends a sentence. */
class PlaceFailed extends Error {
  override readonly name = "PlaceFailed";
}

/** Asks places over HTTPS. A redirect is no answer, and a certificate is to be trusted. */
export class PlaceLine {
  readonly #clock: Pick<Clock, "after">;
  readonly #trust: ReturnType<typeof trustOf>;
  /** A question follows each answer at once: a handshake takes more bytes than some hits. */
  #kept: Agent | undefined;

  /** @param ca certificates (PEM) that are trusted beside those that Node trusts */
  constructor(clock: Pick<Clock, "after">, ca?: string) {
    this.#clock = clock;
    this.#trust = trustOf(ca);
  }

  /**
   * The units after a cursor, as they come; none where there is nothing new within half a minute.
   * @throws {PlaceFailed}
   */
  async *changes(
    { address, token }: Pick<PlaceBody, "address" | "token">,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<CameUnit> {
    const late = new AbortController();
    const end = AbortSignal.any([signal, late.signal]);
    let cancel = this.#clock.after(LONGEST_SILENCE_MS, () => late.abort());
    try {
      const url = `${address}/place/changes?after=${encodeURIComponent(after)}`;
      const headers = { ...this.#headers(token), Accept: CHANGES_TYPE };
      this.#kept ??= new (process.getBuiltinModule("node:https").Agent)({ keepAlive: true });
      const bounds = { ...this.#bounds(end), kept: this.#kept };
      const answer = await opened({ method: "GET", url, headers }, bounds);
      cancel();
      cancel = this.#clock.after(LONGEST_ANSWER_MS, () => late.abort());
      try {
        const { statusCode: status = 0 } = answer;
        if (status === 204) {
          await answer.toArray();
          return;
        }
        if (status !== 200) throw new PlaceFailed(refusalOf(status));
        if (answer.headers["content-type"] !== CHANGES_TYPE)
          throw new PlaceFailed("there is something else than a place of Tallydeck");
        yield* unitsIn(this.#heard(answer, late));
      } finally {
        // One that was read to its end leaves its connection to the next question.
        if (!answer.readableEnded) answer.destroy();
      }
    } catch (error) {
      throw failure(error, end);
    } finally {
      cancel();
    }
  }

  /**
   * Tells a place our sites. @returns those that are not as we say
   * @throws {PlaceFailed}
   */
  async tell(
    { address, token }: Pick<PlaceBody, "address" | "token">,
    sites: HomeSites,
    signal: AbortSignal,
  ): Promise<readonly Disobeyed[]> {
    const late = new AbortController();
    const end = AbortSignal.any([signal, late.signal]);
    const cancel = this.#clock.after(SITES_MS, () => late.abort());
    try {
      const { status, body } = await exchange(
        {
          method: "PUT",
          url: `${address}/place/sites`,
          headers: { ...this.#headers(token), "Content-Type": "application/json" },
          body: JSON.stringify(sites),
        },
        { ...this.#bounds(end), mostBytes: MAX_ANSWER_BYTES },
      );
      if (status !== 200) throw new PlaceFailed(refusalOf(status));
      return disobeyedIn(body);
    } catch (error) {
      throw failure(error, end);
    } finally {
      cancel();
    }
  }

  /** The parts of an answer; a line that died says no more. */
  async *#heard(answer: AsyncIterable<Buffer>, late: AbortController): AsyncGenerator<Buffer> {
    const wait = () => this.#clock.after(LONGEST_SILENCE_MS, () => late.abort());
    let cancel = wait();
    try {
      for await (const part of answer) {
        cancel();
        yield part;
        cancel = wait();
      }
    } finally {
      cancel();
    }
  }

  #headers(token: string) {
    return { Authorization: `Bearer ${token}`, "User-Agent": `Tallydeck/${version()}` };
  }

  #bounds(signal: AbortSignal) {
    return { signal, trust: this.#trust() };
  }
}

function disobeyedIn(body: Buffer): readonly Disobeyed[] {
  try {
    const { sites } = JSON.parse(body.toString()) as { sites?: unknown };
    if (!Array.isArray(sites)) return [];
    return sites
      .slice(0, 10_000)
      .map(({ id, outcome }) => [String(id), String(outcome)] as unknown as Disobeyed);
  } catch {
    return [];
  }
}

function refusalOf(status: number): string {
  if (status === 401) return "the token opens nothing there: make another invitation at the place";
  if (status === 404) return "there is no place at this address, or an older Tallydeck";
  if (status === 429) return "it is asked too often, or by another with the same token";
  if (status >= 300 && status < 400) return "it leads elsewhere, which is not followed";
  return `it answered ${status}`;
}

function failure(error: unknown, end: AbortSignal): PlaceFailed {
  if (error instanceof PlaceFailed) return error;
  const why = error instanceof NotFrames ? error : askFailure(error, end);
  return new PlaceFailed(messageOf(why), { cause: error });
}
