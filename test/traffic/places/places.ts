import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import { formatDay } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { SystemClock } from "../../../appliance/base/system/system-clock.ts";
import { ALL_MONTHS, firstDayOf } from "../../../appliance/store/blocks/month.ts";
import { monthsOf, sumsOf } from "../../../appliance/store/copy/reading.ts";
import type { NumbersOptions } from "../../../appliance/store/numbers.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { FleetDb } from "../../../appliance/store/postgres/db.ts";
import type { Transaction } from "../../../appliance/store/sql.ts";
import { backUp } from "../../../appliance/store/sqlite/copies/backup.ts";
import { restore } from "../../../appliance/store/sqlite/copies/restore.ts";
import { databaseFile, openForReading } from "../../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../../appliance/store/sqlite/db.ts";
import { type Numbers, openNumbers, Store } from "../../../appliance/store/store.ts";
import { changesAfter } from "../../../appliance/traffic/places/changes.ts";
import { type Line, PlaceFetcher, placeChange } from "../../../appliance/traffic/places/fetcher.ts";
import { Homes, homesChange, homesOf } from "../../../appliance/traffic/places/homes.ts";
import { newPlace } from "../../../appliance/traffic/places/places.ts";
import { encodedUnits, unitsIn } from "../../../appliance/traffic/places/unit-codec.ts";
import type { EngineName } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { giveBackDatabase, sharedPostgres, takeDatabase } from "../../helpers/postgres.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { until } from "../../helpers/until.ts";

const BEGAN = Date.parse("2026-03-04T09:00:00Z");

/** Views by `origin site day path`. */
type Counts = Map<string, number>;

/** The days for which a side keeps counts; see NumbersOptions. */
type Keeping = Partial<Pick<NumbersOptions, "retentionDays" | "placeKeepDays">>;

/** The faults of a line to a place. */
interface BadLine {
  /** Changes the stream, or ends it. */
  readonly bend?: (bytes: Buffer) => Buffer;
  /** Happens after the first unit, which further ones follow. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** A Tallydeck in virtual time, that counts, and may be a place or a home. */
export class SimulatedSide {
  readonly name: string;
  readonly engine: EngineName;
  clock = new FakeClock(BEGAN);
  numbers!: Numbers;
  /** The views that it has answered itself, under the origin it had; a restore takes some back. */
  counted: Counts = new Map();
  /** The same, and what restores took back. */
  readonly answered: Counts = new Map();
  #close: () => Promise<unknown> = async () => {};
  #boots = 0;
  readonly #folder: string;
  readonly #keeping: Keeping;
  #database: string | undefined;
  #backup: Counts | undefined;

  constructor(name: string, engine: EngineName, keeping: Keeping = {}) {
    this.name = name;
    this.engine = engine;
    this.#keeping = keeping;
    this.#folder = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  }

  async boot(isSure = true): Promise<void> {
    const now = this.clock.now();
    this.clock = new FakeClock(now, { sure: isSure, boot: `${this.name} ${++this.#boots}` });
    const { clock } = this;
    const options = {
      clock,
      retentionDays: 400,
      ...this.#keeping,
      detailDays: 10,
      threads: reusedThreads,
      log: silentLog(),
    };
    if (this.engine === "SQLite") {
      const space = { free: 2 ** 40, total: 2 ** 41 };
      const store = await Store.open({
        ...options,
        dataDir: this.#folder,
        space: async () => space,
      });
      await store.local.cameUp(async () => {});
      this.numbers = store.numbers;
      this.#close = () => store.close();
    } else {
      this.#database ??= await takeDatabase();
      const server = await sharedPostgres();
      const databaseUrl = server.url({ database: this.#database });
      this.numbers = await openNumbers({
        ...options,
        databaseUrl,
        nodeName: this.name,
        databaseNow: () => clock.now(),
      });
      this.#close = () => this.numbers.close();
    }
    await this.wait(until(() => this.numbers.ready));
  }

  async stop(): Promise<void> {
    await this.wait(this.#close());
  }

  async restart(isSure = true): Promise<void> {
    await this.stop();
    await this.boot(isSure);
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.#database !== undefined) await giveBackDatabase(this.#database);
  }

  /** Time passes while a promise takes long. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    void promise.then(done, done);
    await Promise.race([promise.catch(() => {}), setTimeout(20)]);
    while (!isDone) {
      this.clock.advance(2_000);
      await Promise.race([promise.catch(() => {}), setTimeout(10)]);
    }
    return promise;
  }

  /** Reads what is stored, beside the service. */
  async read<T>(task: (sql: Transaction) => Promise<T>): Promise<T> {
    if (this.#database === undefined) {
      const db = new SqliteDb(openForReading(databaseFile(this.#folder)));
      const answer = await db.transaction(task, { read: true });
      await db.close();
      return answer;
    }
    return this.#others((db) => db.transaction(task, { read: true }));
  }

  async #others<T>(task: (db: FleetDb) => Promise<T>): Promise<T> {
    const server = await sharedPostgres();
    const settings = parseDatabaseUrl(server.url({ database: this.#database ?? "" }));
    const connection = new Connection(settings, { clock: new SystemClock(), role: "chores" });
    const answer = await task(new FleetDb(connection));
    await connection.close();
    return answer;
  }

  origin(): Promise<string> {
    return this.read(async (sql) => (await sql.own()).origin);
  }

  /** Counts views of a path. */
  async count(site: string, path: string, views: number): Promise<void> {
    const number =
      this.numbers.directory.sites.find(({ id }) => id === site)?.key ?? assert.fail(site);
    const hit = { kind: "view", flags: 0, values: [["path", path]] } as const;
    const day = formatDay(this.numbers.zone.today(this.clock.now()));
    const answers = Array.from({ length: views }, () => this.numbers.count(number, hit));
    await this.wait(Promise.all(answers));
    // Time passes faster here than a database answers: it may be answered before it is stored.
    const { numbers } = this;
    await this.wait(until(() => numbers.figures.waitingHits === 0 && !numbers.figures.unavailable));
    const key = [await this.origin(), site, day, path];
    addCount(this.counted, key, views);
    addCount(this.answered, key, views);
  }

  /** The clock is set, and turns out to be right: what waited for it is filed. */
  async setClock(): Promise<void> {
    if (this.clock.sure) return;
    this.clock.becomeSure(this.clock.now());
    await this.wait(this.numbers.upkeep.anew());
  }

  async backUp(): Promise<void> {
    if (this.engine !== "SQLite") return;
    await backUp(databaseFile(this.#folder), join(this.#folder, "backup.db"), DOCUMENT_KINDS);
    this.#backup = new Map(this.counted);
  }

  /** Goes back to its backup; a fleet's standby is promoted, which lacks nothing. */
  async goBack(): Promise<boolean> {
    if (this.engine === "SQLite") {
      if (this.#backup === undefined) return false;
      await this.stop();
      await restore(join(this.#folder, "backup.db"), databaseFile(this.#folder), {
        kinds: DOCUMENT_KINDS,
        tryStart: async () => {},
      });
      this.counted = new Map(this.#backup);
      await this.boot();
      return true;
    }
    await this.stop();
    await this.#others((db) => db.rows("UPDATE generation SET place = 'elsewhere/1'"));
    await this.boot();
    return true;
  }

  /** All that is stored, of every source: of its own counts, and of those that came. */
  stored(): Promise<Counts> {
    return this.read(async (sql) => {
      const counts: Counts = new Map();
      const sites = await sql.rows<{ key: number; id: string }>("SELECT key, id FROM site");
      const sources = [
        await sql.own(),
        ...(await sql.rows<{ number: number; origin: string }>(
          "SELECT number, origin FROM source",
        )),
      ];
      for (const { number, origin } of sources)
        for (const { key, id } of sites) {
          const which = { site: key, source: number };
          for (const { block, days } of await monthsOf(sql.snapshot, which, ALL_MONTHS, "detail"))
            for (const day of days) {
              const at = day - firstDayOf(block.month);
              const { texts = [], days: tables = [] } = block.dimensions.get("path") ?? {};
              let sum = 0;
              tables[at]?.each((value, { views }) => {
                addCount(counts, [origin, id, formatDay(day), texts[value] ?? ""], views);
                sum += views;
              });
              assert.equal(sumsOf(block, at).get("pv"), sum);
            }
        }
      return counts;
    });
  }

  /** A way for a home to ask it as a place is asked: by frames, as from a line. */
  asked(home: Pick<SimulatedSide, "name">, line: BadLine = {}): Line["changes"] {
    const { bend = (bytes) => bytes } = line;
    const units = (...[, after, signal]: Parameters<Line["changes"]>) =>
      this.#units(home.name, { after, signal, ...line });
    return async function* (...question) {
      const parts: Buffer[] = [];
      for await (const part of encodedUnits(units(...question), "1.0.0")) parts.push(part);
      yield* unitsIn(Readable.from([bend(Buffer.concat(parts))]));
    };
  }

  async *#units(
    home: string,
    { after, signal, meanwhile }: BadLine & { after: string; signal: AbortSignal },
  ) {
    const invited = (await this.wait(homesOf(this.numbers))).find(({ id }) => id === home);
    if (invited !== undefined)
      await this.wait(new Homes(this.numbers, silentLog()).asked(invited, after));
    for (;;) {
      const units = changesAfter(this.numbers, home, after, signal);
      const first = await this.wait(units.next());
      // A database may be slower than time passes here.
      if (first.done) continue;
      yield first.value;
      if (meanwhile === undefined) {
        await units.return(undefined);
        return;
      }
      await meanwhile();
      for (;;) {
        const { done, value } = await this.wait(units.next());
        if (done) return;
        yield value;
      }
    }
  }

  /** Invites a home, whose questions are noted from then on. */
  async invite(name: string): Promise<void> {
    const put = [{ id: name, body: { name, hash: "00", madeAt: 0, askedAt: null } }];
    await this.again(() => this.numbers.write("changePlaces", [homesChange({ put })]));
  }

  /** Knows a place from now on. @returns its id here */
  async addPlace(name: string): Promise<void> {
    const about = { name, address: `https://${name}.example`, token: "t", makesSites: false };
    const body = newPlace(about);
    await this.again(() => this.numbers.write("changePlaces", [placeChange(name, body)]));
  }

  /** Fetches once from a place. @returns whether nothing more is to be fetched */
  async fetch(name: string, changes: Line["changes"]): Promise<boolean> {
    const fetcher = this.fetcher(name, changes);
    return this.again(() => fetcher.once());
  }

  /** A database may be slower than time passes here. */
  async again<T>(task: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await this.wait(task());
      } catch (error) {
        if (!(error instanceof Refusal && error.code === "storage_unavailable")) throw error;
      }
  }

  fetcher(name: string, changes: Line["changes"]): PlaceFetcher {
    return new PlaceFetcher({
      id: name,
      numbers: this.numbers,
      line: { changes, tell: async () => [] },
      clock: this.clock,
      log: silentLog(),
      random: () => 0,
    });
  }
}

function addCount(counts: Counts, key: readonly string[], n: number): void {
  const name = key.join(" ");
  counts.set(name, (counts.get(name) ?? 0) + n);
}

/** Fetches until all that a place has is at home. */
export async function caughtUp(home: SimulatedSide, place: SimulatedSide): Promise<void> {
  for (let last = ""; ; ) {
    await home.fetch(place.name, place.asked(home));
    const states = await home.wait(home.numbers.read("shared", { kind: "place_state" }));
    const state = states.find(({ id }) => id === place.name);
    // All of it is to be fetched anew.
    if (state === undefined) continue;
    const { cursor } = JSON.parse(state.body);
    const { log, survey, pass } = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const now = JSON.stringify([log, survey]);
    if (now === last && pass === undefined) return;
    last = now;
  }
}
