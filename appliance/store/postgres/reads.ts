import type { PassedOver } from "../counts/block-reading.ts";
import { type ReadState, Reads } from "../reads/reads.ts";
import type { Db, Transaction } from "../sql.ts";
import { batchesOf } from "./log.ts";

/** The most sites of a settlement, for which no hit waits here; a batch may have thousands. */
const MAX_SITES = 10_000;

/**
 * The questions to a database that many share.
 * @param madeAnew how often its connection was made anew: a promoted standby may lack the newest rows, and then uses the
 *   same numbers for others
 * @param passedOver is called for blocks that cannot be read
 */
export function fleetReads(
  db: Pick<Db, "transaction">,
  madeAnew: () => number,
  passedOver?: PassedOver,
): Reads {
  return new Reads(
    db,
    {
      state: (sql) => stateOf(sql, madeAnew()),
      async settling(sql) {
        // The watch draws it within moments.
        return (await sql.epoch()) === null ? null : { maxSites: MAX_SITES };
      },
    },
    passedOver,
  );
}

/** The state in which a transaction finds the data. @param madeAnew as of `fleetReads` */
export async function stateOf(sql: Transaction, madeAnew: number): Promise<ReadState> {
  const [state] = await sql.rows<{ server: string }>(STATE);
  const epoch = await sql.epoch();
  return {
    version: JSON.stringify([state, epoch]),
    server: [state?.server, epoch, madeAnew].join(),
  };
}

/** SQL whose answer changes with everything that is counted, settled or erased. */
const STATE = `
  SELECT pg_postmaster_start_time()::text AS server, (${batchesOf("node IS NOT NULL")}) AS batches,
    (SELECT n FROM generation) AS generation`;
