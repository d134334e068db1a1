import type { Statement } from "../sql.ts";

/** Ids stay exact as numbers, and two of them differ. */
const IDS = 2 ** 48;

/** A process that counts. Its batches are numbered, see LogWriter. */
export class Node {
  readonly id: number;
  /** The name that people give it. */
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
      text: `INSERT INTO node (id, name, seen_at) VALUES ($1, $2, now())
             ON CONFLICT (id) DO UPDATE SET seen_at = now()`,
      values: [this.id, this.name],
    };
  }

  /** Removes the live views of the node, and marks it as gone. */
  get goodbye(): Statement {
    return {
      text: "UPDATE node SET live = NULL, seen_at = to_timestamp(0) WHERE id = $1",
      values: [this.id],
    };
  }
}
