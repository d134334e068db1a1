import { HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import { type Asker, LANES, type Lane } from "./answer.ts";
import type { QueryInput, QueryName, QueryResult } from "./reads.ts";

/** The most waiting reads of a lane. Further ones are refused. */
export const MAX_WAITING_READS = 64;

const REFUSALS: Readonly<Record<"away" | "busy" | "failed" | "replaced" | "gone", () => Refusal>> =
  {
    away: () =>
      new Refusal("storage_unavailable", "The database cannot be asked. Try again in a minute."),
    busy: () =>
      new Refusal(
        "reads_busy",
        "More is asked of this machine than it can answer now. Try again in a few seconds.",
      ),
    failed: () =>
      new Refusal(
        "read_failed",
        "This could not be read. Ask for fewer days; if that fails too, look at the service's log.",
      ),
    replaced: () =>
      new Refusal("storage_unavailable", "The data is being replaced. Try again in a minute."),
    gone: () => new Refusal("asker_left", "Who asked for this has left."),
  };

/** The reason that nothing was read; the message is for the client. */
export function readRefused(reason: keyof typeof REFUSALS): Refusal {
  return REFUSALS[reason]();
}

/** The question has ended the reader. Another reader answers the next ones. */
export class ReaderEnded extends Refusal {
  constructor() {
    const { code, message } = readRefused("failed");
    super(code, message);
  }
}

interface Waiting {
  readonly gone: () => boolean;
  readonly go: () => void;
  readonly refuse: (error: Refusal) => void;
}

interface ReadQueueOptions {
  /**
   * Asks the reader.
   * @throws {ReaderEnded} where the question ended it
   */
  ask<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  clock: Clock;
  log: Pick<Log, "warn">;
}

/**
 * The questions to one place that answers. They run one at a time, so that the next one is chosen when it can run
 * and not before; one that ended the reader is refused for an hour.
 */
export class ReadQueue {
  readonly #options: ReadQueueOptions;
  readonly #ended: EndedReads;
  readonly #waiting: Record<Lane, Waiting[]> = { box: [], owner: [], public: [] };
  #isRunning = false;
  #isHeld = false;

  constructor(options: ReadQueueOptions) {
    this.#options = options;
    this.#ended = new EndedReads(options.clock);
  }

  /**
   * Asks the reader when it is the asker's turn. The asker is the box itself unless given.
   * @throws {Refusal} `reads_busy`, `read_failed`, `storage_unavailable`; `too_much` for an hour after the question
   *   has ended a reader; and the errors of `ask`
   */
  async read<Q extends QueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker: Asker = { lane: "box" },
  ): Promise<QueryResult<Q>> {
    this.#ended.refuse(query, input);
    await this.#turn(asker);
    try {
      // The one before may have been the same.
      this.#ended.refuse(query, input);
      return await this.#options.ask(query, input);
    } catch (error) {
      if (error instanceof ReaderEnded) {
        this.#ended.note(query, input);
        this.#options.log.warn({ query }, "A question ended the reader; it rests for an hour");
      }
      throw error;
    } finally {
      this.#isRunning = false;
      this.#next();
    }
  }

  /**
   * Stops asking while the data is replaced. Questions of the box wait. All others are refused, since afterwards a
   * site may have another number, and a token may not open it any more.
   */
  hold(): void {
    this.#isHeld = true;
    for (const lane of LANES.filter((lane) => lane !== "box"))
      for (const { refuse } of this.#waiting[lane].splice(0)) refuse(readRefused("replaced"));
  }

  /** Goes on with the new data. */
  release(): void {
    this.#isHeld = false;
    this.#ended.clear();
    this.#next();
  }

  async #turn({ lane, gone = () => false }: Asker): Promise<void> {
    if (this.#isHeld && lane !== "box") throw readRefused("replaced");
    if (!this.#isRunning && !this.#isHeld) {
      this.#isRunning = true;
      return;
    }
    if (this.#waiting[lane].length >= MAX_WAITING_READS) this.#dropGone(lane);
    if (this.#waiting[lane].length >= MAX_WAITING_READS) throw readRefused("busy");
    await new Promise<void>((go, refuse) => this.#waiting[lane].push({ gone, go, refuse }));
  }

  #next(): void {
    if (this.#isRunning || this.#isHeld) return;
    for (const lane of LANES) {
      for (;;) {
        const next = this.#waiting[lane].shift();
        if (next === undefined) break;
        if (!next.gone()) {
          this.#isRunning = true;
          next.go();
          return;
        }
        next.refuse(readRefused("gone"));
      }
    }
  }

  #dropGone(lane: Lane): void {
    const all = this.#waiting[lane];
    this.#waiting[lane] = all.filter(({ gone }) => !gone());
    for (const { gone, refuse } of all) if (gone()) refuse(readRefused("gone"));
  }
}

/** The data may be another after that: folded, merged, past retention. */
const REST_MS = HOUR_MS;
/** The most remembered questions that have ended a reader; beyond it, the oldest is forgotten. */
const MOST_ENDED = 64;
/** Parts of a question that change each time without a change of what is read, or are too long to be remembered. */
const PASSING: ReadonlySet<string> = new Set(["live", "warnings", "secret", "accepts", "pieces"]);
/** Questions of the box that differ only by the time. */
const ALWAYS_THE_SAME: ReadonlySet<string> = new Set(["settlement"]);

/** Questions that ended the reader; each is refused for an hour. */
class EndedReads {
  readonly #clock: Clock;
  /** Question → monotonic milliseconds from which on it is asked again; the newest last. */
  readonly #ended = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws {Refusal} `too_much` for a question that ended the reader */
  refuse(query: string, input: unknown): void {
    this.#dropOld();
    // The check runs before each read, and usually no query has ended a reader.
    if (this.#ended.size === 0 || !this.#ended.has(keyOf(query, input))) return;
    throw new Refusal(
      "too_much",
      "This question took more memory than there is when it was asked last, and is not tried again for an hour. Ask for fewer days, or for one thing at a time.",
    );
  }

  note(query: string, input: unknown): void {
    const key = keyOf(query, input);
    this.#ended.delete(key);
    this.#ended.set(key, this.#clock.monotonic() + REST_MS);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** The data is another. */
  clear(): void {
    this.#ended.clear();
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, until] of this.#ended) if (until <= now) this.#ended.delete(key);
  }
}

function keyOf(query: string, input: unknown): string {
  if (ALWAYS_THE_SAME.has(query)) return query;
  return `${query} ${JSON.stringify(input, (key, value) => (PASSING.has(key) ? undefined : value))}`;
}
