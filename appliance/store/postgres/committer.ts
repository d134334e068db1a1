import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { SurveyRow } from "../counting.ts";
import { DONE, type EngineAnswer, notDone } from "../engine.ts";
import type { Statement } from "../sql.ts";
import type { Availability } from "./availability.ts";
import type { Connection } from "./connection/connection.ts";
import {
  Away,
  isCounted,
  isIdTaken,
  isLocked,
  isLost,
  isPassed,
  isSerialization,
  reasonOf,
} from "./connection/errors.ts";
import { Pauses } from "./connection/pauses.ts";
import type { LogBatch, LogWriter, PreparedBatch } from "./log.ts";
import type { Node } from "./node.ts";
import { storedOf, takenIn } from "./surveys.ts";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 5_000;

interface CommitterOptions {
  readonly connection: Connection;
  readonly node: Node;
  readonly writer: LogWriter;
  readonly availability: Availability;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  /** 0–1, for the length of pauses. */
  readonly random: () => number;
}

/** A batch on its way. */
interface Attempt {
  readonly prepared: PreparedBatch;
  readonly surveys: readonly SurveyRow[];
  /** Whether it counts once only. */
  readonly isOnce: boolean;
  /** Ids of its surveys: the same however often it is sent. */
  surveyIds: readonly number[] | undefined;
  /** Whether it was sent without an answer: it may be stored. */
  isUnsure: boolean;
  isSent: boolean;
  failures: number;
}

type Fate = "unstored" | { readonly stored: readonly boolean[] };

/**
 * Commits batches one after the other, each exactly once. A batch is answered when its fate is known, and as failed
 * only where the database refuses it for good and has certainly not stored it.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #pauses: Pauses;
  #isClosed = false;
  #retries = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock, options.random);
  }

  /** Batches that were sent again because others were in their way. */
  get retries(): number {
    return this.#retries;
  }

  async commit(batch: LogBatch): Promise<EngineAnswer> {
    const attempt: Attempt = {
      prepared: this.#options.writer.prepare(batch),
      surveys: batch.surveys,
      isOnce: batch.once !== undefined,
      surveyIds: undefined,
      isUnsure: false,
      isSent: false,
      failures: 0,
    };
    for (;;) {
      try {
        return stored(await this.#send(attempt));
      } catch (error) {
        const fate = await this.#fateOf(attempt, error).catch((lost) => failed(lost));
        if (fate !== "unstored") return "stored" in fate ? stored(fate.stored) : fate;
      }
    }
  }

  /** Fails all waiting batches. Do not use it afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    await this.#options.connection.cut();
  }

  /** @returns whether each survey was taken: a site takes only so many on a day */
  async #send(attempt: Attempt): Promise<boolean[]> {
    if (this.#isClosed) throw new Away("the database is closed");
    const { connection, node, writer, availability } = this.#options;
    const { prepared, surveys } = attempt;
    attempt.isSent = false;
    attempt.surveyIds ??= writer.drawIds(surveys.length);
    const statements = prepared.statements(attempt.surveyIds);
    attempt.isSent = true;
    const results = await connection.pipeline(statements);
    availability.answered(this);
    node.batch += prepared.numbers;
    return takenIn(results, attempt.surveyIds.length);
  }

  /** The fate of a batch after an error, or an answer to give. Returns when it is time to go on. */
  async #fateOf(attempt: Attempt, error: unknown): Promise<Fate | EngineAnswer> {
    attempt.failures += 1;
    if (this.#isClosed) return failed(error);
    if (isLost(error)) this.#options.availability.missed(this, error);
    else this.#options.availability.answered(this);
    if (attempt.isOnce && isCounted(error)) return { ...DONE, isKnown: true };
    if (isIdTaken(error)) attempt.surveyIds = undefined;
    if (isSerialization(error) || isLocked(error) || isIdTaken(error)) {
      this.#retries += 1;
      return this.#pause(attempt.failures);
    }
    const isGone = isLost(error) && !(error instanceof Away);
    if (attempt.isSent && (isGone || isPassed(error))) {
      attempt.isUnsure = true;
      return this.#lookUp(attempt);
    }
    // The connection itself pauses before it is made again.
    if (isLost(error)) return "unstored";
    // A batch that may be stored must not become part of another.
    return attempt.isUnsure ? this.#pause(attempt.failures) : failed(error);
  }

  async #lookUp({ surveyIds = [] }: Attempt): Promise<Fate> {
    const { node, writer, availability, log } = this.#options;
    const { lastBatch, hello } = writer;
    const [[known], ...more] = (await this.#answered([
      ...lastBatch,
      ...(surveyIds.length > 0 ? [storedOf(surveyIds)] : []),
    ])) as [{ n: number }[], ...{ n: number; id: number }[][]];
    availability.answered(this);
    if (known === undefined) {
      await this.#answered([hello]);
      return "unstored";
    }
    const taken = surveyIds.length > 0 ? (more.pop() ?? []) : [];
    const last = Math.max(known.n, ...more.flat().map(({ n }) => n));
    if (last > node.batch) {
      const ids = new Set(taken.map(({ id }) => id));
      node.batch = last;
      return { stored: surveyIds.map((id) => ids.has(id)) };
    }
    if (last < node.batch) {
      const batches = node.batch - last;
      log.error(
        { batches },
        "The database has gone back to an earlier state: what was stored in it last is lost",
      );
      node.batch = last;
    }
    return "unstored";
  }

  /**
   * Runs statements in a transaction, again and again until there is an answer.
   * @returns the rows of each statement
   * @throws when it is closed meanwhile
   */
  async #answered(statements: readonly Statement[]): Promise<readonly (readonly object[])[]> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#options.connection.pipeline(statements);
      } catch (error) {
        if (this.#isClosed) throw error;
        this.#options.availability.missed(this, error);
        if (!isLost(error)) await this.#pause(failures);
      }
    }
  }

  async #pause(failures: number): Promise<"unstored"> {
    await this.#pauses.after(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    return "unstored";
  }
}

function stored(surveys: readonly boolean[]): EngineAnswer {
  return { ...DONE, surveys };
}

function failed(error: unknown): EngineAnswer {
  return notDone(reasonOf(error));
}
