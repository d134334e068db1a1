import { randomBytes } from "node:crypto";
import { BOUNDS } from "../../../base/bounds.ts";
import { isText } from "../../../base/input/json.ts";
import type { SiteKey } from "../../counting.ts";
import { readAbout } from "../../imports/about.ts";
import { OWN_SOURCE, type SourceNumber } from "../../snapshot.ts";
import { sourceOfOrigin } from "../../sources.ts";
import type { Transaction } from "../../sql.ts";
import { type CountRules, Sum } from "../../transfer/counts.ts";
import {
  type Check,
  isBlob,
  isCount,
  isCounter,
  isDay,
  isOrigin,
  isRowId,
  isShortText,
  isSurvey,
  isTime,
  isWhole,
} from "../../transfer/values.ts";
import type { Database } from "../database.ts";
import { type Row, type TableRule, untrustedRows } from "./untrusted-rows.ts";

const SOURCE_KINDS: readonly unknown[] = ["copy", "here", "import", "place"];
/** The largest id that SQLite itself may have given a row: ids that follow it have room below the schema's bound. */
const LAST_OWN_ID = 2 ** 48;

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const OF_SURVEY = { site: isWhole, version: isWhole, payload: isText };
const isResponse = ({ version, payload }: Row) => isSurvey(version, payload);

const RULES = {
  meta: {
    columns: {
      key: isText,
      value: (value) => isTime(value) || /^[0-9a-f]{64}$/.test(String(value)),
    },
    where: ["key IN ('cursor_secret', 'run_ms')"],
    check: ({ key, value }) => isTime(value) === (key === "run_ms"),
  },
  source: {
    columns: {
      number: (value) => isWhole(value) && value !== OWN_SOURCE,
      origin: isOrigin,
      kind: (value) => SOURCE_KINDS.includes(value),
      name: isShortText,
      run_at: orNull(isTime),
      about: orNull((value) => readAbout(String(value)) !== null),
    },
    bound: BOUNDS.sources,
    size: "octet_length(name) + coalesce(octet_length(about), 0)",
  },
  // Marks may be of the time before the service first ran.
  counted_day: { columns: { day: isDay, run_ms: Number.isSafeInteger } },
  log: {
    columns: { source: isWhole, body: isBlob },
    bound: BOUNDS.log,
    size: "octet_length(body)",
  },
  past: { columns: { site: isWhole, source: isWhole, counter: isCounter, n: isCount } },
  survey_day: { columns: { site: isWhole, day: isDay, n: isWhole } },
  survey: {
    columns: {
      ...OF_SURVEY,
      id: (value) => isWhole(value) && Number(value) <= LAST_OWN_ID,
      source: isWhole,
      number: orNull(isRowId),
      day: isDay,
    },
    bound: { bytes: 8_192 },
    check: isResponse,
  },
  waiting_survey: {
    columns: { ...OF_SURVEY, boot: isShortText, at: isTime, saved_clock: isTime },
    bound: BOUNDS.waitingSurveys,
    size: "octet_length(boot) + octet_length(payload)",
    check: isResponse,
  },
} as const satisfies Readonly<Record<string, TableRule>>;

/** A table that is copied row by row. */
type Table = keyof typeof RULES;

const ORIGIN = "SELECT value FROM meta WHERE key = 'origin' AND octet_length(value) <= 32";
const ORIGIN_BYTES = 8;

/** A backup and the database that it is copied into. Sites and sources of rows get their new numbers. */
export class RowCopier {
  readonly from: Database;
  readonly to: Transaction;
  /** Refuses the backup for a row of a table. */
  readonly refuse: (table: string, why: string) => never;
  /** Old number → new number. */
  readonly sites: ReadonlyMap<unknown, SiteKey>;
  /** The sum of all counts. */
  readonly #sum = new Sum();
  readonly #sources = new Map<unknown, SourceNumber>();
  /** Sources whose counts are of another tool. */
  readonly imports: Set<SourceNumber> = new Set();
  #made = 0;

  constructor(
    from: Database,
    to: Transaction,
    sites: ReadonlyMap<unknown, SiteKey>,
    refuse: (table: string, why: string) => never,
  ) {
    this.from = from;
    this.to = to;
    this.sites = sites;
    this.refuse = refuse;
  }

  /** The rules that counts of a table are judged by. */
  rulesOf(table: string): CountRules {
    return { isText: isShortText, sum: this.#sum, refuse: (why) => this.refuse(table, why) };
  }

  /** Rows as the backup has them. */
  rows(table: Table): Generator<Row> {
    const isLeft = (row: Row) => "site" in row && !this.sites.has(row.site);
    const refuse = (why: string) => this.refuse(table, why);
    return untrustedRows(this.from, table, RULES[table], refuse, isLeft);
  }

  /** Copies a table whose rows need no more. */
  async table(table: Table): Promise<void> {
    for (const row of this.rows(table)) await this.add(table, row);
  }

  /** Adds a row of the backup, with its site and source as they are here. */
  async add(table: Table, row: Row): Promise<void> {
    const here = {
      ...row,
      ...("site" in row && { site: this.sites.get(row.site) }),
      ...("source" in row && { source: await this.sourceOf(row.source, table) }),
    };
    const names = Object.keys(here);
    const places = names.map((_, i) => `$${i + 1}`);
    await this.to.rows(`INSERT INTO ${table} (${names}) VALUES (${places})`, Object.values(here));
  }

  /** Adds a source. @returns the number that it has here */
  async addSource({ number: was, origin, kind, name, run_at, about }: Row): Promise<SourceNumber> {
    const [{ number } = { number: 0 }] = await this.to.rows<{ number: SourceNumber }>(
      "INSERT INTO source (origin, kind, name, run_at, about) VALUES ($1, $2, $3, $4, $5) RETURNING number",
      [origin, kind, name, run_at, about],
    );
    this.#sources.set(was, number);
    if (kind === "import") this.imports.add(number);
    return number;
  }

  /**
   * The new number of a source. The counts of the backup's own database become a source, too, with the origin of that
   * database: it may live on, and a later copy of it must find the counts that are here. A number without a row is
   * damaged, or its row is; it counts as a source all the same.
   * @throws as `refuse` for a value that is no number, and where there are too many sources
   */
  async sourceOf(was: unknown, table: string): Promise<SourceNumber> {
    const known = this.#sources.get(was);
    if (known !== undefined) return known;
    if (!isWhole(was) || this.#made++ > BOUNDS.sources.count)
      return this.refuse(table, "of a source that is not there");
    const noted = was === OWN_SOURCE ? this.from.prepare(ORIGIN).pluck().get() : undefined;
    const isFree =
      isOrigin(noted) && (await sourceOfOrigin(this.to.rows, String(noted))) === undefined;
    const origin = isFree ? noted : randomBytes(ORIGIN_BYTES).toString("hex");
    const about = { kind: "here", name: "before a restore", run_at: null, about: null };
    return this.addSource({ number: was, origin, ...about });
  }
}
