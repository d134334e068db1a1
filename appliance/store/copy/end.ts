import { COUNTABLE, MAX_PARTS_OF_MONTH } from "../../base/bounds.ts";
import { bodyOf } from "../../base/documents.ts";
import { databaseUrl } from "../../base/input/database-url.ts";
import { Refusal } from "../../base/refusal.ts";
import type { Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { readAbout } from "../imports/about.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import { type Directory, readDirectory, type SiteRecord } from "../sites/directory.ts";
import { SITE_SETTINGS } from "../sites/kinds.ts";
import type { SourceNumber } from "../snapshot.ts";
import type { Transaction } from "../sql.ts";
import { NOT_OURS, Sum } from "../transfer/counts.ts";
import { soundSnapshot } from "../transfer/sound-snapshot.ts";
import {
  isCount,
  isCounter,
  isDay,
  isOrigin,
  isRowId,
  isShortText,
  isSurvey,
} from "../transfer/values.ts";
import {
  type CopiedSurvey,
  type CopyEngine,
  CopyRefused,
  type CopySite,
  type Opening,
  type Source,
  type Sums,
} from "./engine.ts";
import { KeptLog, monthsBySource, pastOf, pendingHits, type Which } from "./reading.ts";
import { knownSources, numberOf, sourcesOfSite } from "./sources.ts";

const TOO_MANY_PARTS = `SELECT 1 FROM block GROUP BY site, month, source
  HAVING count(*) > ${MAX_PARTS_OF_MONTH} LIMIT 1`;

/** A database that is copied from, or to, or compared. */
export class CopyEnd {
  /** The origin of new counts. */
  readonly origin: string;
  readonly name: string;
  readonly engine: CopyEngine;
  /** The log that is given elsewhere, which is checked; and the one that is compared, which is not. */
  readonly #logs = { given: new KeptLog(""), compared: new KeptLog("") };
  /** The sum of copied counts. It is bounded to a share, since there are other sources, and counts of the target. */
  readonly #given = new Sum(COUNTABLE.together / 4);

  constructor(engine: CopyEngine) {
    this.origin = engine.origin;
    this.name = engine.name;
    this.engine = engine;
  }

  /** @throws {CopyRefused} where it holds what is no block, and no batch */
  async readable<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      // The refusal is for documents beyond their bound.
      if (error instanceof Refusal) throw new CopyRefused(error.message, { cause: error });
      if (!(error instanceof RangeError)) throw error;
      throw new CopyRefused(
        `Some of what ${this.name} has counted cannot be read: ${error.message}. Restore a backup of it; then give the same command again.`,
        { cause: error },
      );
    }
  }

  /** The same of counts that are to be taken elsewhere. @throws {CopyRefused} where no hits could have made them, too */
  given<T>(task: (access: Transaction, log: KeptLog) => Promise<T>): Promise<T> {
    return this.read(async (access) => {
      const imports = await access.rows<{ number: SourceNumber }>(
        "SELECT number FROM source WHERE kind = 'import'",
      );
      const rules = {
        isText: isShortText,
        sum: this.#given,
        refuse: (why: string) => this.#refuse(why),
        imports: new Set(imports.map(({ number }) => number)),
      };
      const log = await this.#logOn(access, "given");
      const snapshot = soundSnapshot(access.snapshot, rules, log.looked);
      return task({ ...access, snapshot }, log);
    });
  }

  /** Runs reads on one snapshot, of counts that are compared. @throws {CopyRefused} as `readable` */
  compared<T>(task: (access: Transaction, log: KeptLog) => Promise<T>): Promise<T> {
    return this.read(async (access) => task(access, await this.#logOn(access, "compared")));
  }

  async #logOn(access: Transaction, use: "given" | "compared"): Promise<KeptLog> {
    const server = await this.engine.server(access);
    if (this.#logs[use].server !== server) this.#logs[use] = new KeptLog(server);
    return this.#logs[use];
  }

  #refuse(why: string): never {
    throw new CopyRefused(
      `Some of what ${this.name} has counted is ${why}. Restore a backup of it; then give the same command again.`,
    );
  }

  /** Runs reads on one snapshot. @throws {CopyRefused} as `readable` */
  read<T>(task: (access: Transaction) => Promise<T>): Promise<T> {
    return this.readable(() => this.engine.db.transaction(task, { read: true }));
  }

  /** Runs one transaction; `task` may run more than once. @throws {CopyRefused} as `readable` */
  transaction<T>(task: (access: Transaction) => Promise<T>): Promise<T> {
    return this.readable(() =>
      this.engine.db.transaction(async (sql) => {
        const result = await task(sql);
        // Readers that show numbers look at them again.
        await sql.rows(PASS_GENERATION);
        return result;
      }),
    );
  }

  sites(): Promise<readonly CopySite[]> {
    return this.read(async (access) => {
      const { sites, retired } = await readDirectory(access);
      const settings = new Map<string, Map<string, unknown>>();
      for (const kind of SITE_SETTINGS) {
        const rows = await access.rows<{ id: string; body: string }>(
          "SELECT id, body FROM document WHERE kind = $1",
          [kind.name],
        );
        for (const { id, body: text } of rows) {
          const body = bodyOf(kind, id, text);
          if (body === undefined) continue;
          const ofSite = settings.get(id) ?? new Map<string, unknown>();
          settings.set(id, ofSite.set(kind.name, body));
        }
      }
      const whole = (isRetired: boolean) => (site: SiteRecord) => ({
        ...site,
        retired: isRetired,
        settings: settings.get(String(site.key)) ?? new Map<string, unknown>(),
      });
      const all = [...sites.map(whole(false)), ...retired.map(whole(true))];
      const there = await access.rows<{ key: SiteKey }>("SELECT key FROM site");
      const keys = new Set(all.map(({ key }) => key));
      const ids = new Set(all.map(({ id }) => id));
      if (ids.size !== there.length || there.some(({ key }) => !keys.has(key)))
        this.#refuse(NOT_OURS);
      if ((await access.rows(TOO_MANY_PARTS)).length > 0)
        this.#refuse("one of more parts than a month has hours");
      return all;
    });
  }

  directory(): Promise<Directory> {
    return this.read(readDirectory);
  }

  /** The sources that it may have counts of. The first one is its own. */
  async sources(): Promise<readonly Source[]> {
    const sources = await this.read((access) => knownSources(access, this.name));
    const isSound = ({ origin, about }: Source) =>
      isOrigin(origin) && (about === null || readAbout(about) !== null);
    return sources.every(isSound) ? sources : this.#refuse(NOT_OURS);
  }

  /** The same of which there may be anything of a site. */
  sourcesOf(site: SiteKey): Promise<readonly Source[]> {
    return this.read((access) => sourcesOfSite(access, this.name, site));
  }

  /** The months with content of a site, by source, ascending. */
  months(
    site: SiteKey,
    sources: readonly Source[],
  ): Promise<ReadonlyMap<SourceNumber, readonly Month[]>> {
    const numbers = sources.map(({ number }) => number);
    return this.given(({ snapshot }, { tailOf }) =>
      monthsBySource(snapshot, site, numbers, tailOf),
    );
  }

  /** Responses of a source with ids after `after`, ascending. */
  async surveys(
    source: SourceNumber,
    after: number,
    limit: number,
  ): Promise<readonly CopiedSurvey[]> {
    const surveys = await this.read(({ rows }) =>
      rows<CopiedSurvey>(
        `SELECT id, source, coalesce(number, id) AS number, site, version, day, payload FROM survey
         WHERE id > $1 AND source = $2 AND site IN (SELECT key FROM site)
         ORDER BY id LIMIT $3`,
        [after, source, limit],
      ),
    );
    const isSound = ({ number, day, version, payload }: CopiedSurvey) =>
      isRowId(number) && isDay(day) && isSurvey(version, payload);
    return surveys.every(isSound) ? surveys : this.#refuse(NOT_OURS);
  }

  /** Counters of days past retention, that are to be taken elsewhere. */
  async givenPast(which: Which): Promise<Sums> {
    const past = await this.read(({ rows }) => pastOf(rows, which));
    const isSound = [...past].every(([counter, n]) => isCounter(counter) && isCount(n));
    return isSound ? past : this.#refuse(NOT_OURS);
  }

  /** The responses of an origin that are not here yet. */
  missingSurveys(
    origin: string,
    surveys: readonly CopiedSurvey[],
  ): Promise<readonly CopiedSurvey[]> {
    if (surveys.length === 0) return Promise.resolve([]);
    const numbers = surveys.map(({ number }) => number);
    return this.read(async (access) => {
      const rows = await access.rows<{ number: number }>(
        `SELECT coalesce(number, id) AS number FROM survey
         WHERE source = $1 AND site IN (SELECT key FROM site)
           AND (number BETWEEN $2 AND $3 OR (number IS NULL AND id BETWEEN $2 AND $3))`,
        [(await numberOf(access, origin)) ?? -1, Math.min(...numbers), Math.max(...numbers)],
      );
      const known = new Set(rows.map(({ number }) => number));
      return surveys.filter(({ number }) => !known.has(number));
    });
  }

  /** The number of hits and responses that wait for the clock. */
  waiting(): Promise<number> {
    return this.read(
      async ({ waitingSurveys, snapshot }) =>
        (await waitingSurveys()) + (await pendingHits(snapshot)),
    );
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

/**
 * Opens one end of a copy. A target is made where there is none.
 * @param where a data folder, or `postgres://…`
 * @throws {CopyRefused | Refusal} with a sentence for the owner
 */
export async function openEnd(where: string, opening: Opening): Promise<CopyEnd> {
  if (databaseUrl(where) === undefined)
    return new CopyEnd(
      await (await import("../sqlite/copies/open-folder.ts")).openFolder(where, opening),
    );
  return new CopyEnd(
    await (await import("../postgres/open-database.ts")).openDatabase(where, opening),
  );
}
