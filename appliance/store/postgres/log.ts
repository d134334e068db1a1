import type { Clock } from "../../base/clock.ts";
import type { BatchData, SiteKey } from "../counting.ts";
import { failOnce, holdOnce, noteOnce } from "../intake/once.ts";
import { EMPTY_BATCH } from "../log/rewriting.ts";
import type { Statement } from "../sql.ts";
import { takeSurvey } from "../surveys/statements.ts";
import type { Node } from "./node.ts";
import { SurveyIds } from "./surveys.ts";

/** A batch as the log takes it: encoded ones, each of which becomes a row. */
export interface LogBatch extends Pick<BatchData, "surveys" | "once"> {
  readonly log: readonly Uint8Array[];
}

/** A batch that is to be written. */
export interface PreparedBatch {
  /** The count of its node's numbers that it uses up. */
  readonly numbers: number;
  /**
   * The statements of its transaction: only the next number of its node passes, and its surveys stand last.
   * @param surveyIds of its surveys, in order
   */
  statements(surveyIds: readonly number[]): readonly Statement[];
}

interface LogWriterOptions {
  readonly node: Node;
  /** Whether a site exists. Responses for others are written, too, so that the time shows nothing. */
  readonly exists: (site: SiteKey) => boolean;
  readonly clock: Clock;
  /** 0–1 */
  readonly random: () => number;
}

/**
 * Writes batches to the log of their node. Only the next number is accepted, and each number once: a number that the
 * log has, or that was folded, is refused.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #ids: SurveyIds;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#ids = new SurveyIds(options.clock, options.random);
  }

  prepare(batch: LogBatch): PreparedBatch {
    const { node, exists } = this.#options;
    const { once } = batch;
    // Responses without hits have a number, too: by it a batch is found again.
    const bodies = batch.log.length > 0 ? batch.log : [EMPTY_BATCH];
    return {
      numbers: bodies.length,
      statements: (ids) => [
        ...(once === undefined ? [] : [holdOnce(once), failOnce(once), noteOnce(once)]),
        ...bodies.map((body, at) => ({
          text: APPEND,
          values: [node.id, node.batch + 1 + at, body],
        })),
        ...batch.surveys.flatMap((survey, at) => takeSurvey(survey, ids[at] ?? 0, exists)),
      ],
    };
  }

  /** Draws ids for so many responses. */
  drawIds(count: number): number[] {
    return Array.from({ length: count }, () => this.#ids.draw());
  }

  /**
   * A transaction that finds the number of the node's last batch, the highest `n` in its answers. The first
   * statement returns no row where the database does not know the node. It takes the same lock as a commit, and so
   * waits for one that is still running; the statement after it sees the outcome. It also writes, so that its answer
   * waits for standbys as a commit does.
   */
  get lastBatch(): Statement[] {
    const values = [this.#options.node.id];
    return [
      { text: LOOK_UP, values },
      { text: LAST_IN_LOG, values },
    ];
  }

  /** Makes the node known. */
  get hello(): Statement {
    const { node } = this.#options;
    return { text: HELLO, values: [node.id, node.batch] };
  }
}

/**
 * Adds a batch. It locks the node's row, so that a second sender of the same number waits, and nothing is folded
 * meanwhile; after the wait, the newest state of the row counts. Unless a row is added, this fails, and so does the
 * rest of the transaction.
 */
export const APPEND = `
  WITH passed AS (
    SELECT node FROM folded
    WHERE node = $1::bigint AND n < $2::bigint AND (n = $2::bigint - 1
      OR EXISTS (SELECT 1 FROM log WHERE log.node = $1::bigint AND log.n = $2::bigint - 1))
    FOR UPDATE
  ), added AS (
    INSERT INTO log (node, n, body, source)
    SELECT node, $2::bigint, $3::bytea, (SELECT source FROM generation) FROM passed RETURNING n
  )
  SELECT 1 / count(*) AS passed FROM added`;

export const LOOK_UP = "UPDATE folded SET n = n WHERE node = $1::bigint RETURNING n";

export const LAST_IN_LOG = "SELECT n FROM log WHERE node = $1::bigint ORDER BY n DESC LIMIT 1";

export const HELLO = `
  INSERT INTO folded (node, n) VALUES ($1::bigint, $2::bigint) ON CONFLICT (node) DO NOTHING`;

/** SQL for the number of batches that nodes have committed. @param which a condition for nodes */
export function batchesOf(which: string): string {
  return `
    SELECT coalesce(sum(coalesce(last.n, folded.n)), 0) FROM folded LEFT JOIN LATERAL (
      SELECT n FROM log WHERE log.node = folded.node ORDER BY n DESC LIMIT 1
    ) AS last ON true
    WHERE folded.${which}`;
}
