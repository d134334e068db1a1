import { SystemClock } from "../../base/system/system-clock.ts";
import type { QueryInput, QueryName } from "../reads/reads.ts";
import { hostReader } from "../threads/thread-host.ts";
import { Connection } from "./connection/connection.ts";
import { Away, isLost, isWithoutTables, Lost, reasonOf, sqlStateOf } from "./connection/errors.ts";
import { SeenServers } from "./connection/place.ts";
import type { ConnectionSettings } from "./connection/url.ts";
import { FleetDb } from "./db.ts";
import { fleetReads } from "./reads.ts";

/** The time after a failed connection in which queries are refused without another try. */
const AWAY_MS = 1_000;
/** A connection that is lost within so long after the question was lost before it: the question is asked again. */
const SOON_MS = 5_000;

/** The database that a reader opens. */
export interface ReaderDatabase {
  readonly settings: ConnectionSettings;
  /** The servers that the process has seen, as `SeenServers` has them. */
  readonly seen: SharedArrayBuffer;
}

hostReader(({ settings, seen: memory }: ReaderDatabase, passedOver) => {
  const clock = new SystemClock();
  const seen = new SeenServers(memory);
  const connect = () => {
    const connection = new Connection(settings, { clock, role: "reads", seen });
    const madeAnew = () => connection.figures.reconnects;
    return { connection, reads: fleetReads(new FleetDb(connection), madeAnew, passedOver) };
  };
  let { connection, reads } = connect();
  let away: { error: unknown; until: number } | undefined;
  let isClosed = false;

  const ask = async (query: QueryName, input: QueryInput<QueryName>) => {
    const since = clock.monotonic();
    try {
      return await reads.read(query, input);
    } catch (error) {
      if (!(error instanceof Lost) || clock.monotonic() - since > SOON_MS) throw error;
      // The lost connection would pause first.
      await reconnect();
      return reads.read(query, input);
    }
  };
  const reconnect = async () => {
    await connection.close();
    // Another connection would never be closed, and the thread would live as long as that.
    if (!isClosed) ({ connection, reads } = connect());
  };
  return {
    async read(query, input) {
      if (away !== undefined && clock.monotonic() < away.until) throw away.error;
      away = undefined;
      try {
        return await ask(query, input);
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        away = { error, until: clock.monotonic() + AWAY_MS };
        await reconnect();
        throw error;
      }
    },
    explain(error) {
      // Missing tables are no damage: a start creates them once the database is there.
      const isAway = isLost(error) || isWithoutTables(error);
      if (!isAway && sqlStateOf(error) === undefined) return undefined;
      return { kind: "refused", reason: isAway ? "away" : "failed", message: reasonOf(error) };
    },
    close() {
      isClosed = true;
      return connection.close();
    },
  };
});
