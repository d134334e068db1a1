import type { Statement } from "./connection.ts";

/** Ids stay exact as numbers, and two of them differ. */
const IDS = 2 ** 48;

/**
 * A process that counts. Its batches are numbered; the number of the last one is in the database,
 * written in the transaction of that batch.
 */
export class Node {
  readonly id: number;
  /** How people call it. */
  readonly name: string;
  /** The number of the last batch that is committed. */
  batch = 0;

  /** @param random 0–1 */
  constructor(name: string, random: () => number) {
    this.id = 1 + Math.floor(random() * (IDS - 1));
    this.name = name;
  }

  /** Makes its row, or says that it lives. */
  get hello(): Statement {
    return {
      text: `INSERT INTO node (id, name, batch, seen_at) VALUES ($1, $2, $3, now())
             ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      values: [this.id, this.name, this.batch],
    };
  }

  /** The next batch: fails, and all behind it, unless that has the number after the last. */
  get gate(): Statement {
    return {
      text: `WITH passed AS (
               UPDATE node SET batch = $2::bigint, seen_at = now()
               WHERE id = $1 AND batch = $2::bigint - 1 RETURNING id)
             SELECT 1 / count(*) AS passed FROM passed`,
      values: [this.id, this.batch + 1],
    };
  }

  /** It tells of no views any more, and is gone for all who ask when it was seen last. */
  get goodbye(): Statement {
    return {
      text: "UPDATE node SET live = NULL, seen_at = to_timestamp(0) WHERE id = $1",
      values: [this.id],
    };
  }

  /**
   * Answers the number of the last batch. It writes, for the answer is to wait for what a commit waits
   * for: a standby may not have yet what a read here already shows. And it waits for a batch that is
   * still being committed.
   */
  get lastBatch(): Statement {
    return {
      text: "UPDATE node SET seen_at = now() WHERE id = $1 RETURNING batch AS n",
      values: [this.id],
    };
  }
}
