import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { BatchData, SiteKey } from "../counting.ts";
import type { EngineAnswer } from "../engine.ts";
import { BatchRows } from "./batch.ts";
import { numbers } from "./columns.ts";
import type { Connection, Statement } from "./connection.ts";
import { Away, isLost, isPassed, isSerialization, reasonOf } from "./errors.ts";
import type { Node } from "./node.ts";
import { Pauses } from "./pauses.ts";
import type { Presence } from "./presence.ts";
import type { Values } from "./values/values.ts";

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 5_000;

interface CommitterOptions {
  readonly connection: Connection;
  readonly node: Node;
  readonly values: Values;
  readonly exists: (site: SiteKey) => boolean;
  readonly presence: Presence;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  /** 0–1, for the length of pauses. */
  readonly random: () => number;
}

/** A batch on its way. */
interface Attempt {
  readonly rows: BatchRows;
  /** Ids of its surveys, below zero where they wait for the clock: the same however often it is sent. */
  surveyIds: readonly number[] | undefined;
  /** It was sent, and what became of it was not heard at once: it may be there. */
  isUnsure: boolean;
  isSent: boolean;
  failures: number;
}

type Fate = "unstored" | { readonly stored: readonly (number | null)[] };

/**
 * Commits batches, one after the other and each exactly once: it is answered when its fate is known.
 * Only what the database refuses for good, and has certainly not stored, is answered as failed.
 */
export class Committer {
  readonly #connection: Connection;
  readonly #node: Node;
  readonly #values: Values;
  readonly #exists: CommitterOptions["exists"];
  readonly #presence: Presence;
  readonly #log: Pick<Log, "error">;
  readonly #pauses: Pauses;
  #isClosed = false;
  #retries = 0;

  constructor({
    connection,
    node,
    values,
    exists,
    presence,
    clock,
    log,
    random,
  }: CommitterOptions) {
    this.#connection = connection;
    this.#node = node;
    this.#values = values;
    this.#exists = exists;
    this.#presence = presence;
    this.#log = log;
    this.#pauses = new Pauses(clock, random);
  }

  /** Batches that were sent again because others were in their way. */
  get retries(): number {
    return this.#retries;
  }

  async commit(batch: BatchData): Promise<EngineAnswer> {
    const attempt: Attempt = {
      rows: new BatchRows(batch, this.#node.id, this.#exists),
      surveyIds: undefined,
      isUnsure: false,
      isSent: false,
      failures: 0,
    };
    for (;;) {
      try {
        return stored(await this.#send(batch, attempt));
      } catch (error) {
        const fate = await this.#fateOf(attempt, error).catch((lost) => failed(lost));
        if (fate !== "unstored") return "stored" in fate ? stored(fate.stored) : fate;
      }
    }
  }

  /** Fails whatever waits, and is asked no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    await this.#connection.cut();
  }

  /** @returns for each survey its id, or null where the site takes no more that day */
  async #send(batch: BatchData, attempt: Attempt): Promise<(number | null)[]> {
    if (this.#isClosed) throw new Away("the database is closed");
    attempt.isSent = false;
    attempt.surveyIds ??= await this.#drawIds(batch);
    const idOf = await this.#values.resolve(attempt.rows.tallies);
    const statements = attempt.rows.statements(idOf, attempt.surveyIds);
    attempt.isSent = true;
    const results = await this.#connection.pipeline([this.#node.gate, ...statements]);
    this.#presence.answered(this);
    this.#node.batch += 1;
    // Each survey ends with what tells whether it is taken; they stand last.
    const of = results.length - 2 * attempt.surveyIds.length;
    return attempt.surveyIds.map((id, at) =>
      (results[of + 2 * at + 1] ?? []).length > 0 ? id : null,
    );
  }

  async #drawIds({ surveys }: BatchData): Promise<number[]> {
    if (surveys.length === 0) return [];
    const drawn = surveys.map(({ stamp }): Statement => {
      const table = "hour" in stamp ? "survey" : "waiting";
      return { text: `SELECT nextval('${table}_id_seq') * ${table === "survey" ? 1 : -1} AS id` };
    });
    const rows = (await this.#connection.all(drawn)) as { id: number }[][];
    return rows.map(([row]) => row?.id ?? 0);
  }

  /** What became of a batch after an error, or what to answer. Returns when it is time to go on. */
  async #fateOf(attempt: Attempt, error: unknown): Promise<Fate | EngineAnswer> {
    // Values may be gone with a database that has fallen back, or that has taken nothing.
    this.#values.forget();
    attempt.failures += 1;
    if (this.#isClosed) return failed(error);
    if (isLost(error)) this.#presence.missed(this, error);
    else this.#presence.answered(this);
    if (isSerialization(error)) {
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
    // While it may be there it must not become part of another.
    return attempt.isUnsure ? this.#pause(attempt.failures) : failed(error);
  }

  async #lookUp(attempt: Attempt): Promise<Fate> {
    const node = this.#node;
    const [row] = await this.#answered<{ batch: number }>(node.lastBatch);
    if (row === undefined) {
      await this.#answered(node.hello);
      return "unstored";
    }
    if (row.batch > node.batch) {
      const taken = await this.#answered<{ id: number }>(takenOf(attempt.surveyIds ?? []));
      const ids = new Set(taken.map(({ id }) => id));
      node.batch = row.batch;
      return { stored: (attempt.surveyIds ?? []).map((id) => (ids.has(id) ? id : null)) };
    }
    if (row.batch < node.batch) {
      const batches = node.batch - row.batch;
      this.#log.error(
        { batches },
        "The database has gone back to an earlier state: what was stored in it last is lost",
      );
      node.batch = row.batch;
    }
    return "unstored";
  }

  /** Asks until there is an answer. @throws when it is closed meanwhile */
  async #answered<T extends object>({ text, values }: Statement): Promise<T[]> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#connection.rows<T>(text, values);
      } catch (error) {
        if (this.#isClosed) throw error;
        if (!isLost(error)) await this.#pause(failures);
      }
    }
  }

  async #pause(failures: number): Promise<"unstored"> {
    await this.#pauses.after(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    return "unstored";
  }
}

function takenOf(surveyIds: readonly number[]): Statement {
  return {
    text: `SELECT id FROM survey WHERE id = ANY($1::bigint[])
           UNION ALL SELECT -id FROM waiting WHERE id = ANY($2::bigint[])`,
    values: [
      numbers(surveyIds.filter((id) => id > 0)),
      numbers(surveyIds.filter((id) => id < 0).map((id) => -id)),
    ],
  };
}

function stored(surveys: readonly (number | null)[]): EngineAnswer {
  return { ok: true, surveys, more: false };
}

function failed(error: unknown): EngineAnswer {
  return { ok: false, busy: false, message: reasonOf(error) };
}
