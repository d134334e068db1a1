import type { Clock } from "../../base/clock.ts";
import { HttpError, rateLimited } from "../../http/errors.ts";
import { allTogether, RateLimit } from "../../http/rate-limit.ts";
import type { Scope } from "../../push/push-token.ts";
import type { PushTokens } from "../../push/tokens.ts";

const REQUESTS = [
  { burst: 20, perSecond: 10, keyOf: (id: string) => id },
  allTogether({ burst: 50, perSecond: 25 }),
];
/** The limits of failures for an address. Each IPv6 address counts alone, since a home network is one /64. */
const FAILURES = [
  { burst: 10, perSecond: 10 / 60, keyOf: (address: string) => address },
  allTogether({ burst: 500, perSecond: 500 / 60 }),
];

/** Lets requests with a good token through, at the rates allowed. */
export class Gate {
  readonly #tokens: PushTokens;
  readonly #failures: RateLimit;
  readonly #requests: RateLimit;

  constructor(tokens: PushTokens, clock: Clock) {
    this.#tokens = tokens;
    this.#failures = new RateLimit(clock, FAILURES);
    this.#requests = new RateLimit(clock, REQUESTS);
  }

  /**
   * Checks a token. A right one always passes, so that guesses from the same address block no sender.
   * @returns the id of the token
   * @throws {HttpError} 401 and 429 for a wrong token, 403, 429
   */
  enter(address: string, plaintext: string | undefined, scope: Scope): string {
    const token = plaintext === undefined ? undefined : this.#tokens.authenticate(plaintext);
    if (token === undefined) {
      const wait = this.#failures.take(address);
      if (wait > 0)
        throw rateLimited(wait, "Too many wrong tokens came from this address. Wait a moment.");
      throw new HttpError(
        401,
        "unauthorized",
        "Send a push token as `Authorization: Bearer <token>`. Make one in the push settings of the Web UI.",
        { "WWW-Authenticate": "Bearer" },
      );
    }
    if (!token.scopes.includes(scope))
      throw new HttpError(
        403,
        "insufficient_scope",
        token.scopes.length === 0
          ? "This push token is paused. Resume it first."
          : "This push token is older than the reading of channels. Make a new one for it.",
      );
    const wait = this.#requests.take(token.id);
    if (wait > 0) throw rateLimited(wait, "Too many requests at once. Slow down.");
    return token.id;
  }
}
