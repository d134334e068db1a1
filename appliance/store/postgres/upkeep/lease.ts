import type { Clock } from "../../../base/clock.ts";
import type { Sql, Statement } from "../../sql.ts";
import type { Node } from "../node.ts";

const NAME = "upkeep";
const LEASE = "interval '60 seconds'";

/** The lease in the database, while this node holds it. `term` changes with each change of the holder. */
export interface Held {
  readonly term: number;
}

/**
 * The lease for upkeep, which one node does at a time. It ends when its holder gives no sign of life. The row is
 * locked until the end of the transaction that takes it.
 */
export class Lease {
  readonly #node: Node;
  readonly #clock: Clock;
  #held: Held | undefined;
  /** Monotonic ms up to which the time it was held is added to the time run. */
  #toldUntil = 0;

  constructor(node: Node, clock: Clock) {
    this.#node = node;
    this.#clock = clock;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Takes it or keeps it. @returns false when another node holds it */
  async take(sql: Sql): Promise<boolean> {
    const rows = await sql.rows<Held>(
      // No node waits for the row, or locks it, while another holds the lease.
      `INSERT INTO lease (name, holder, term, until)
       SELECT '${NAME}', $1::bigint, 1, now() + ${LEASE} WHERE NOT EXISTS (
         SELECT 1 FROM lease WHERE name = '${NAME}' AND holder <> $1::bigint AND until >= now())
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
         term = CASE WHEN lease.holder = excluded.holder THEN lease.term ELSE lease.term + 1 END
       WHERE lease.holder = excluded.holder OR lease.until < now()
       RETURNING term`,
      [this.#node.id],
    );
    this.heard(rows);
    return this.isHeld;
  }

  /** Extends a lease that is held. Pass the answer to `heard`. */
  get keep(): Statement {
    return {
      text: `UPDATE lease SET until = now() + ${LEASE}
             WHERE name = '${NAME}' AND holder = $1 RETURNING term`,
      values: [this.#node.id],
    };
  }

  heard([held]: readonly Held[]): void {
    if (held?.term !== this.#held?.term) this.#toldUntil = this.#clock.monotonic();
    this.#held = held;
  }

  /** Frees the lease for another node. */
  get release(): Statement {
    return {
      text: `UPDATE lease SET until = now() WHERE name = '${NAME}' AND holder = $1`,
      values: [this.#node.id],
    };
  }

  /** Milliseconds for which it was held, beyond those of `told`. */
  get heldMs(): number {
    return this.isHeld ? Math.floor(this.#clock.monotonic() - this.#toldUntil) : 0;
  }

  told(ms: number): void {
    this.#toldUntil += ms;
  }
}
