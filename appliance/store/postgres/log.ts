import type { Clock } from "../../base/clock.ts";
import type { BatchData, SiteKey, SurveyRow } from "../counting.ts";
import { EMPTY_BATCH } from "../log/rewriting.ts";
import type { Statement } from "../sql.ts";
import { takeSurvey, withdrawSurvey } from "../surveys/statements.ts";
import type { Node } from "./node.ts";
import { SurveyIds } from "./surveys.ts";

/** A batch as the log takes it: encoded ones, each of which becomes a row. */
export interface LogBatch extends Pick<BatchData, "surveys" | "withdraw"> {
  readonly log: readonly Uint8Array[];
}

/** A batch that is to be written. */
export interface PreparedBatch {
  /** How many numbers of its node it takes. */
  readonly numbers: number;
  /**
   * Its transaction: only the next number of its node passes, and its surveys stand last.
   * @param surveyIds of its surveys, in order
   */
  statements(surveyIds: readonly number[]): readonly Statement[];
}

interface LogWriterOptions {
  readonly node: Node;
  /** Tells the sites that are there; responses for others are written so that the time tells nothing. */
  readonly exists: (site: SiteKey) => boolean;
  readonly clock: Clock;
  /** 0–1 */
  readonly random: () => number;
}

/**
 * Writes batches to the log of their node. Only the next number passes, and each number once: what the
 * log has, and what was folded already, is refused.
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
    // Responses without hits have a number, too: by it a batch is found again.
    const bodies = batch.log.length > 0 ? batch.log : [EMPTY_BATCH];
    return {
      numbers: bodies.length,
      statements: (ids) => [
        ...bodies.map((body, at) => ({
          text: APPEND,
          values: [node.id, node.batch + 1 + at, body],
        })),
        ...batch.withdraw.map(withdrawSurvey),
        ...batch.surveys.flatMap((survey, at) =>
          takeSurvey(survey, Math.abs(ids[at] ?? 0), exists),
        ),
      ],
    };
  }

  /** Those of responses that wait for the clock are below zero. */
  drawIds(surveys: readonly SurveyRow[]): number[] {
    return surveys.map(({ stamp }) => ("hour" in stamp ? 1 : -1) * this.#ids.draw());
  }

  /**
   * A transaction that tells the number of the node's last batch: the highest `n` that it answers. The
   * first statement answers nothing where the database does not know the node. It waits for a batch
   * that is still being committed, for it locks what that has locked; only a statement after it sees
   * what came of that. And it writes, so that its answer waits as a commit does.
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
 * Locks the node's row, so that of two who send the same number one waits for the other, and so that
 * nothing is folded meanwhile: of a row that was changed, the newest state counts. It fails, and all
 * behind it, unless a row was added.
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

/** How many batches nodes have committed, of those that fit a condition. */
export function batchesOf(which: string): string {
  return `
    SELECT coalesce(sum(coalesce(last.n, folded.n)), 0) FROM folded LEFT JOIN LATERAL (
      SELECT n FROM log WHERE log.node = folded.node ORDER BY n DESC LIMIT 1
    ) AS last ON true
    WHERE folded.${which}`;
}
