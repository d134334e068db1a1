import { DayZone } from "../../../base/day-zone.ts";
import { type CountGroup, NOBODY, type SiteKey } from "../../counting.ts";
import { type Waiting, waitingGroup } from "../../counts/group.ts";
import type { UpkeepTime } from "../../queries.ts";
import { countStatements } from "../batch.ts";
import { numbers } from "../columns.ts";
import type { Connection, Sql } from "../connection.ts";
import type { Node } from "../node.ts";
import { Tallies } from "../tally.ts";
import type { Values } from "../values/values.ts";
import type { Lease } from "./lease.ts";

const FILED_PER_STEP = 100;

interface Row {
  readonly id: number;
  readonly site: SiteKey;
  readonly boot: string;
  readonly at: number;
  readonly savedClock: number;
  readonly data: string;
}

/** A condition, of parameters. */
interface Which {
  readonly which: string;
  readonly values: readonly unknown[];
}

interface FilingOptions {
  readonly connection: Connection;
  readonly node: Node;
  readonly values: Values;
  readonly lease: Lease;
  readonly exists: (site: SiteKey) => boolean;
}

/** Files what waited for a clock: its own by each node, and that of nodes that are gone by who does upkeep. */
export class Filing {
  readonly #options: FilingOptions;

  constructor(options: FilingOptions) {
    this.#options = options;
  }

  /** @returns false when nothing is to be filed */
  async own(time: UpkeepTime): Promise<boolean> {
    const { node } = this.#options;
    const isKnown = time.bootedAt !== null;
    return isKnown && this.#file({ which: "node = $1", values: [node.id] }, time, false);
  }

  async ofOthers(time: UpkeepTime): Promise<boolean> {
    const { node } = this.#options;
    const isGone = `node <> $1 AND NOT EXISTS (SELECT 1 FROM node
      WHERE node.id = waiting.node AND seen_at > now() - interval '1 day')`;
    if (time.bootedAt !== null) return this.#file({ which: isGone, values: [node.id] }, time, true);
    // What came in this boot, before a restart, can be told its time later.
    const values = [node.id, time.boot];
    return this.#file({ which: `${isGone} AND boot <> $2`, values }, time, true);
  }

  async #file(
    { which, values: of }: Which,
    time: UpkeepTime,
    withLease: boolean,
  ): Promise<boolean> {
    const { connection, lease } = this.#options;
    const rows = await connection.rows<Row>(
      `SELECT id, site, boot, at, saved_clock AS "savedClock", data FROM waiting
       WHERE ${which} ORDER BY id LIMIT ${FILED_PER_STEP}`,
      of,
    );
    if (rows.length === 0) return false;
    const tallies = this.#tallies(rows, time);
    const { values } = this.#options;
    values.forget();
    const idOf = await values.resolve(tallies);
    const counts = countStatements(this.#options.node.id, tallies, idOf);
    await connection.transaction(async (sql) => {
      if (withLease && !(await lease.take(sql))) return;
      const gone = await sql.rows("DELETE FROM waiting WHERE id = ANY($1::bigint[]) RETURNING id", [
        numbers(rows.map(({ id }) => id)),
      ]);
      // A survey was taken back meanwhile: the next step knows.
      if (gone.length !== rows.length) throw new Error("what waited is not all there any more");
      await sql.all(counts);
      await this.#addSurveys(sql, rows, time);
    });
    return true;
  }

  #tallies(rows: readonly Row[], time: UpkeepTime) {
    const tallies = new Tallies();
    const zone = new DayZone(time.zone);
    for (const row of rows) {
      const data = JSON.parse(row.data) as Waiting;
      if (data.kind !== "counts" || !this.#isThere(row.site)) continue;
      const group: Pick<CountGroup, "site" | "views" | "counts"> = {
        site: row.site,
        ...waitingGroup(data),
      };
      tallies.add(group, zone.hourAt(receivedAt(row, time)));
    }
    return tallies.all();
  }

  async #addSurveys(sql: Sql, rows: readonly Row[], time: UpkeepTime): Promise<void> {
    const zone = new DayZone(time.zone);
    for (const row of rows) {
      const data = JSON.parse(row.data) as Waiting;
      if (data.kind !== "survey" || !this.#isThere(row.site)) continue;
      await sql.rows("INSERT INTO survey (site, version, day, payload) VALUES ($1, $2, $3, $4)", [
        row.site,
        data.version,
        zone.today(receivedAt(row, time)),
        data.payload,
      ]);
    }
  }

  #isThere(site: SiteKey): boolean {
    return site === NOBODY || this.#options.exists(site);
  }
}

/** Epoch ms. */
function receivedAt({ boot, at, savedClock }: Row, time: UpkeepTime): number {
  const isKnown = boot === time.boot && time.bootedAt !== null;
  return isKnown ? time.bootedAt + at : savedClock;
}
