import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Refusal } from "../../base/refusal.ts";
import { reasonOf, refusalOf } from "./connection/errors.ts";
import { type ConnectionSettings, shownUrl } from "./connection/url.ts";

/** A connection that is made again within so long is not logged. */
const BLINK_MS = 1_000;

interface AvailabilityOptions {
  readonly settings: ConnectionSettings;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** The database will not have us. */
  readonly onRefused: (why: Refusal) => void;
  readonly onBack: () => void;
}

/** The availability of the database, by the success of requests. It is logged once when it is lost, and when it is back. */
export class Availability {
  readonly #options: AvailabilityOptions;
  /** Askers that are not answered, and since when in monotonic ms. */
  readonly #missedBy = new Map<object, number>();
  #isTold = false;
  #refusal: Refusal | undefined;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** Whether the database is refused for a reason that does not go away by itself. */
  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  /** Notes that the database did not answer `asker`. */
  missed(asker: object, error: unknown): void {
    const { clock, log, settings, onRefused } = this.#options;
    const since = this.#missedBy.get(asker) ?? clock.monotonic();
    this.#missedBy.set(asker, since);
    const refusal = refusalOf(error, settings);
    const isNews = refusal !== undefined && refusal.message !== this.#refusal?.message;
    this.#refusal = refusal ?? this.#refusal;
    if (isNews) onRefused(refusal);
    if (this.#isTold || refusal !== undefined || clock.monotonic() - since < BLINK_MS) return;
    this.#isTold = true;
    log.warn(
      { database: shownUrl(settings), reason: reasonOf(error) },
      "The database is away; it is looked for until it is back",
    );
  }

  answered(asker: object): void {
    const { log, settings, onBack } = this.#options;
    if (!this.#missedBy.delete(asker) || this.#missedBy.size > 0) return;
    this.#refusal = undefined;
    if (this.#isTold) log.info({ database: shownUrl(settings) }, "The database is back");
    this.#isTold = false;
    onBack();
  }
}
