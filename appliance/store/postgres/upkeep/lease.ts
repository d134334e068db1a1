import type { Sql, Statement } from "../../sql.ts";
import type { Node } from "../node.ts";

const NAME = "upkeep";
const LEASE = "interval '60 seconds'";

/**
 * The lease for upkeep, which one node does at a time. It ends when its holder gives no sign of life. The row is
 * locked until the end of the transaction that takes it.
 */
export class Lease {
  readonly #node: Node;
  #isHeld = false;

  constructor(node: Node) {
    this.#node = node;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes it or keeps it. @returns false when another node holds it */
  async take(sql: Sql): Promise<boolean> {
    const rows = await sql.rows(
      // No node waits for the row, or locks it, while another holds the lease.
      `INSERT INTO lease (name, holder, until)
       SELECT '${NAME}', $1::bigint, now() + ${LEASE} WHERE NOT EXISTS (
         SELECT 1 FROM lease WHERE name = '${NAME}' AND holder <> $1::bigint AND until >= now())
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
       WHERE lease.holder = excluded.holder OR lease.until < now()
       RETURNING holder`,
      [this.#node.id],
    );
    this.heard(rows);
    return this.isHeld;
  }

  /** Extends a lease that is held. Pass the answer to `heard`. */
  get keep(): Statement {
    return {
      text: `UPDATE lease SET until = now() + ${LEASE}
             WHERE name = '${NAME}' AND holder = $1 RETURNING holder`,
      values: [this.#node.id],
    };
  }

  heard(rows: readonly object[]): void {
    this.#isHeld = rows.length > 0;
  }

  /** Frees the lease for another node. */
  get release(): Statement {
    return {
      text: `UPDATE lease SET until = now() WHERE name = '${NAME}' AND holder = $1`,
      values: [this.#node.id],
    };
  }
}
