import { type BatchData, type CountGroup, NOBODY, type SurveyRow } from "../counting.ts";
import { groupsOf, isCounter, waitingCounts } from "../counts/group.ts";
import { masked } from "../counts/nobody.ts";
import { Columns } from "./columns.ts";
import type { Prepared, Writer } from "./committer.ts";
import type { Connection, Statement } from "./connection.ts";
import type { Node } from "./node.ts";
import { surveyStatements } from "./surveys.ts";
import { type DayTally, Tallies } from "./tally.ts";
import type { IdOf, Values } from "./values/values.ts";

type Unsure = Extract<CountGroup["stamp"], { boot: string }>;
type Exists = (site: number) => boolean;

interface CountWriterOptions {
  readonly node: Node;
  readonly connection: Pick<Connection, "all">;
  readonly values: Values;
  /** Tells the sites that are there; others are written so that the time tells nothing. */
  readonly exists: Exists;
}

/** Writes batches as counts by day, and as what waits for the clock. */
export class CountWriter implements Writer<BatchData> {
  readonly #options: CountWriterOptions;

  constructor(options: CountWriterOptions) {
    this.#options = options;
  }

  prepare(batch: BatchData): Prepared {
    const { node, values, exists } = this.#options;
    const tallies = new Tallies();
    const waiting = new Columns<[number, number, string, number, number, number, string]>();
    for (const sent of batch.log.flatMap(groupsOf)) {
      // Nobody's are masked already.
      const group = exists(sent.site) || sent.site === NOBODY ? sent : masked(sent);
      if ("hour" in group.stamp) tallies.add(group, group.stamp.hour);
      else waiting.add(...waitingRow(group, group.stamp, node.id));
    }
    const days = tallies.all();
    return {
      numbers: 1,
      statements: async (ids) => {
        const idOf = await values.resolve(days);
        return [
          node.gate,
          ...countStatements(node.id, days, idOf),
          ...(waiting.size > 0 ? [{ text: WAIT, values: waiting.values() }] : []),
          ...surveyStatements(batch, { node: node.id, ids, exists }),
        ];
      },
    };
  }

  async drawIds(surveys: readonly SurveyRow[]): Promise<number[]> {
    const drawn = surveys.map(({ stamp }): Statement => {
      const table = "hour" in stamp ? "survey" : "waiting";
      return { text: `SELECT nextval('${table}_id_seq') * ${table === "survey" ? 1 : -1} AS id` };
    });
    const rows = (await this.#options.connection.all(drawn)) as { id: number }[][];
    return rows.map(([row]) => row?.id ?? 0);
  }

  get lastBatch(): Statement[] {
    return [this.#options.node.lastBatch];
  }

  get hello(): Statement {
    return this.#options.node.hello;
  }

  /** Values may be gone with a database that has fallen back, or that has taken nothing. */
  forget(): void {
    this.#options.values.forget();
  }
}

function waitingRow(
  group: CountGroup,
  { boot, at, savedClock }: Unsure,
  node: number,
): [number, number, string, number, number, number, string] {
  const data = JSON.stringify(waitingCounts(group));
  return [group.site, node, boot, at, savedClock, group.hits, data];
}

/** What it takes to add tallies to what a node has counted. */
export function countStatements(
  node: number,
  tallies: readonly DayTally[],
  idOf: IdOf,
): Statement[] {
  const counts = new Columns<[number, number, number, number]>();
  const totals = new Columns<[number, string, number, number]>();
  for (const tally of tallies) {
    const { site, day } = tally;
    // Several values may be counted as OTHER, and a statement must not meet a row twice.
    const byId = new Map<number, number>();
    for (const [dimension, values] of tally.counts) {
      let sum = 0;
      for (const [text, n] of values) {
        const id = idOf(tally, dimension, text);
        byId.set(id, (byId.get(id) ?? 0) + n);
        sum += n;
      }
      if (isCounter(dimension)) totals.add(site, dimension, day, sum);
    }
    for (const [id, n] of byId) counts.add(site, day, id, n);
  }
  return [
    ...(counts.size > 0 ? [{ text: COUNT, values: [node, ...counts.values()] }] : []),
    ...(totals.size > 0 ? [{ text: DAY_TOTAL, values: [node, ...totals.values()] }] : []),
  ];
}

export const COUNT = `
  INSERT INTO count (site, day, node, value, n)
  SELECT site, day, $1::bigint, value, n
  FROM unnest($2::int[], $3::int[], $4::bigint[], $5::bigint[]) AS w (site, day, value, n)
  ON CONFLICT (site, day, node, value) DO UPDATE SET n = count.n + excluded.n`;

export const DAY_TOTAL = `
  INSERT INTO day_total (site, counter, day, node, n)
  SELECT site, counter, day, $1::bigint, n
  FROM unnest($2::int[], $3::text[], $4::int[], $5::bigint[]) AS w (site, counter, day, n)
  ON CONFLICT (site, counter, day, node) DO UPDATE SET n = day_total.n + excluded.n`;

const WAIT = `
  INSERT INTO waiting (site, node, boot, at, saved_clock, hits, data)
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])`;
