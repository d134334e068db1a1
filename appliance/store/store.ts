import { MAX_DETAIL_BYTES } from "../base/bounds.ts";
import type { Day } from "../base/calendar.ts";
import { type Clock, every } from "../base/clock.ts";
import { DayZone, UTC_DAYS } from "../base/day-zone.ts";
import type { Log } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { Refusal } from "../base/refusal.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { NOBODY, type SiteKey } from "./counting.ts";
import { EndedReads } from "./ended-reads.ts";
import type { Opened, StoreFigures } from "./engine.ts";
import { type EngineOptions, type Engines, openEngines } from "./engines.ts";
import { storageUnavailable } from "./intake/commit-group.ts";
import { Intake } from "./intake/intake.ts";
import { LiveViews } from "./live-views.ts";
import type { Hit } from "./log/record.ts";
import {
  isBoxQuery,
  type QueryInput,
  type QueryName,
  type QueryResult,
  type SettlementQuery,
} from "./queries.ts";
import { type Asker, ReaderEnded, ReadQueue, readRefused } from "./read-queue.ts";
import type { EndedRead, Warning } from "./reports.ts";
import { detailFrom } from "./settling/folding.ts";
import { unknownZoneSentence, zonePending } from "./sites/day-zone.ts";
import { type Directory, EMPTY_DIRECTORY } from "./sites/directory.ts";
import type { Unusable } from "./sqlite/health.ts";
import type { Space } from "./sqlite/room.ts";
import { FLEET_LOOK_MS, type Prepared, UPKEEP_EVERY_MS, Upkeep } from "./upkeep.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

export { nobodyCalled } from "./counts/nobody.ts";
export { changeDocuments, documentsChange, documentsOf } from "./documents.ts";
export { LIVE_STEP_MS } from "./live-views.ts";
export { MAX_RANGE_DAYS, type SurveyFilter } from "./queries.ts";
export { ALARM_SINCE, SITE_ALARMS } from "./sites/alarms.ts";
export type { Directory, SiteInput, SiteOutcome, SiteRecord } from "./sites/directory.ts";
// The other folders know these from behind the door.
export type { Exchange } from "./sqlite/copies/exchange.ts";
export type { Unusable } from "./sqlite/health.ts";
export { openCursor } from "./surveys/cursor.ts";
export { SURVEY_LABELS } from "./surveys/labels.ts";

/** Hits that wait when the store closes have this long to be stored. */
const LAST_COMMIT_MS = 8_000;

const NOT_KEPT =
  "What was restored could not be read as a dashboard reads it; the data from before stays for now";

/** Detail takes at most this part of the disk. */
const DETAIL_SHARE = 1 / 4;

interface StoreOptions extends EngineOptions {
  retentionDays: number;
  /** Days for which it is kept what came together in a view; 0 for none. */
  detailDays: number;
  clock: Clock;
  log: Log;
  /** Called whenever damage to the data was met. */
  onUnusable?: (why: Unusable) => void;
  /** Called with each database that is in use from then on. */
  onOpened?: (opened: Opened) => void;
  /** Called when a database elsewhere will not have us; it is told in the log unless given. */
  onRefused?: (why: Refusal) => void;
}

/** The one door to the data: counts and surveys in, reports out. */
export class Store {
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  directory: Directory = EMPTY_DIRECTORY;
  /** By which days begin, as of now. */
  zone = new DayZone();
  readonly directoryChanged = new Signal<Directory>();
  /** Hits were committed. */
  readonly counted = new Signal();
  /** Views of the last five minutes; never stored. */
  readonly live: LiveViews;
  readonly #options: StoreOptions;
  readonly #intake: Intake;
  readonly #upkeep: Upkeep;
  readonly #reads = new ReadQueue();
  /** Reads of the box's own data do not wait for a database elsewhere. */
  readonly #boxReads = new ReadQueue();
  readonly #endedReads: EndedReads;
  readonly #stops: Cancel[] = [];
  #engines: Engines | undefined;
  #cursorSecret: Uint8Array = new Uint8Array();
  #isClosed = false;
  /** The first upkeep of the file that is there. */
  #firstUpkeep = Promise.resolve(true);
  /** The next one that runs by itself; never resolves once the store is closed. */
  #nextUpkeep = Promise.withResolvers<boolean>();
  /** Set while the file is replaced. */
  #pause: Promise<void> | undefined;
  /** How often another file took the place of the database. */
  #replaced = 0;

  private constructor(options: StoreOptions) {
    const { clock, log, retentionDays } = options;
    this.#options = options;
    this.live = new LiveViews(clock);
    this.#endedReads = new EndedReads(clock);
    const zone = () => this.zone;
    this.#intake = new Intake({
      clock,
      zone,
      log,
      send: (request) => this.#engine.send(request),
      lowSpace: () => this.#engine.lowSpace,
      onCommitted: ({ bytes, areLate }) => {
        this.counted.emit();
        this.#upkeep.committed(bytes);
        // The upkeep that began when the clock became sure did not find them.
        if (areLate && !this.#isClosed) void this.#upkeep.anew();
      },
    });
    this.#upkeep = new Upkeep({
      clock,
      zone,
      log,
      retentionDays,
      send: async (request) => {
        await this.#pause;
        return this.#engine.send(request);
      },
      settlement: async (asked) => {
        await this.#engine.takeLease();
        const { detailDays } = this.#options;
        const [maxDetailBytes, { lowSpace }] = [await this.#maxDetailBytes(), this.#engine];
        return this.#settlement({ ...asked, detailDays, maxDetailBytes, lowSpace });
      },
    });
  }

  /**
   * Opens the data.
   * @throws {DatabaseRefused} with a sentence for the owner.
   */
  static async open(options: StoreOptions): Promise<Store> {
    const store = new Store(options);
    await store.#open();
    store.#begin();
    return store;
  }

  /** False until the database has answered once: nothing can be counted or read until then. */
  get ready(): boolean {
    return this.#engine.ready;
  }

  get figures(): StoreFigures {
    const { ready, figures: database } = this.#engine;
    return { ...this.#intake.figures, ready, unavailable: this.#intake.unavailable, database };
  }

  /** True where the numbers are in a database elsewhere; data of this box is in its file, if it has one. */
  get hasFleet(): boolean {
    return this.#opened.hasFleet;
  }

  /** 32 bytes that seal the cursors of the survey export; none before the database has answered. */
  get cursorSecret(): Uint8Array {
    return this.#cursorSecret;
  }

  /** Counts a hit; resolves when it may be answered. See Intake. */
  count(site: SiteKey | null, hit: Hit): Promise<void> {
    // No promise of its own: hits are many, and those of a batch share one.
    if (this.#pause === undefined) return this.#count(site, hit);
    return this.#siteAfterPause(site).then((settled) => this.#count(settled, hit));
  }

  #count(site: SiteKey | null, hit: Hit): Promise<void> {
    if (hit.kind === "view") this.live.count(site ?? NOBODY);
    return this.#intake.count(site, hit);
  }

  /** @throws {Refusal} `storage_unavailable`, `surveys_full` when it was not stored */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#engine.lowSpace) throw storageUnavailable();
    const settled = this.#pause ? await this.#siteAfterPause(site) : site;
    return this.#intake.addSurvey(settled, version, payload);
  }

  /**
   * Runs a named query, when it is the asker's turn; the box itself asks unless told.
   * @throws {Refusal} `reads_busy`, `read_failed`, `storage_unavailable`; `too_much` for an hour after
   *   it ended the reader
   */
  async read<Q extends QueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker: Asker = { lane: "box" },
  ): Promise<QueryResult<Q>> {
    const asked = this.#replaced;
    const isOwn = asker.lane === "box";
    for (;;) {
      // Not in its turn, where it would hold up those who are told at once.
      if (isOwn) await this.#pause;
      this.#endedReads.refuse(query, input);
      const turn = await this.#readsOf(query).run(asker, async () => {
        // A site may have another number by now, and the token that was shown may open it no more.
        if (!isOwn && this.#isOther(asked)) throw readRefused("replaced");
        // The one before may have been the same.
        this.#endedReads.refuse(query, input);
        return this.#pause === undefined ? { result: await this.#ask(query, input) } : undefined;
      });
      if (turn !== undefined) return turn.result;
    }
  }

  async #ask<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    try {
      return await this.#engine.read(query, input);
    } catch (error) {
      if (error instanceof ReaderEnded) {
        const { question } = this.#endedReads.note(query, input);
        this.#options.log.warn({ question }, "A question ended the reader; it rests for an hour");
      }
      throw error;
    }
  }

  /** Questions that ended the reader within the last hour, newest first; each is refused until its hour is over. */
  get endedReads(): EndedRead[] {
    return this.#endedReads.list();
  }

  /**
   * Runs a named write; resolves when it is committed and `directory` knows it.
   * @throws {Refusal} `storage_unavailable`, `deck_limit`, `alarm_limit`: nothing was changed
   */
  async write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    await this.#pause;
    const answer = await this.#engine.send({ kind: "write", name, input });
    if (!answer.ok && answer.refused !== undefined)
      throw new Refusal(answer.refused, answer.message);
    if (!answer.ok) {
      this.#options.log.error({ reason: answer.message }, "A change could not be stored");
      throw storageUnavailable();
    }
    return answer.result as WriteResult<W>;
  }

  /** The first day that keeps what came together, on this one; Infinity for none. */
  detailFrom(today: Day): Day {
    const { detailDays, retentionDays } = this.#options;
    return detailFrom({ today, detailDays, retentionDays });
  }

  /** The problems that the box has now. */
  get warnings(): readonly Warning[] {
    const warnings: Warning[] = [];
    if (this.#engine.lowSpace) warnings.push("storage_full");
    if (this.#intake.unavailable || !this.ready) warnings.push("storage_unavailable");
    if (!this.#options.clock.sure) warnings.push("clock_not_set");
    return warnings;
  }

  /** Whether the first site may name the zone by which days begin. */
  get asksZone(): boolean {
    return zonePending(this.directory);
  }

  /** Does all upkeep that is due; resolves when done. Runs by itself every ten minutes. */
  upkeep(): Promise<void> {
    return this.#upkeep.anew();
  }

  /** Free and total bytes where the data is. */
  space(): Promise<Space> {
    return this.#files.space();
  }

  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then; hits wait meanwhile and count for the site of the same id. A file that was swapped
   * in and takes no commit is given up again for the one before, which else stays until `cameUp`.
   * @throws {Refusal} `storage_unavailable`, DatabaseRefused, and whatever `replace` throws
   */
  async replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    await this.#pause;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = promise;
    try {
      await this.#replaceFile(replace);
    } finally {
      if (!this.#opened.hasFleet) this.live.clear();
      this.#pause = undefined;
      this.#replaced++;
      this.#endedReads.clear();
      resolve();
    }
    this.#firstUpkeep = this.#upkeep.once();
  }

  /**
   * All that a start reads of the data was read: once an upkeep has done all that was due and all else that may be
   * asked was answered, too, what was there before a restore goes. Never rejects.
   * @param ask asks all that a dashboard asks
   */
  async cameUp(ask: () => Promise<void>): Promise<void> {
    const asked = this.#replaced;
    const isOver = () => this.#isClosed || this.#isOther(asked) || !this.#files.isOnTrial;
    for (
      let isWhole = await this.#firstUpkeep;
      !isOver();
      isWhole = await this.#nextUpkeep.promise
    ) {
      if (!isWhole) continue;
      try {
        await ask();
        if (!isOver()) this.#files.keepFile();
        return;
      } catch (error) {
        const reason = messageOf(error);
        this.#options.log.warn({ reason }, NOT_KEPT);
      }
    }
  }

  /** Resolves when the engine has come to it; nothing is written. Never resolves when it hangs. */
  async alive(): Promise<void> {
    // While another file takes the database's place there is no engine to ask.
    if (this.#pause === undefined) await this.#engine.send({ kind: "ping" });
  }

  /** Commits what is open and closes the database. @returns how many hits could not be stored */
  async close(): Promise<number> {
    this.#isClosed = true;
    this.#upkeep.close();
    for (const stop of this.#stops) stop();
    await this.#pause;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    // A database that is away may keep a commit open for as long as it is.
    const cancel = this.#options.clock.after(LAST_COMMIT_MS, resolve);
    await Promise.race([this.#intake.drain(), late]);
    cancel();
    await this.#engine.close();
    const hits = this.#intake.figures.waitingHits;
    if (hits > 0 || this.#intake.unavailable)
      this.#options.log.error({ hits }, "What waited in memory could not be stored and is lost");
    return hits;
  }

  get #opened(): Engines {
    if (this.#engines === undefined) throw new Error("the store is not open");
    return this.#engines;
  }

  get #files(): NonNullable<Engines["files"]> {
    const { files } = this.#opened;
    if (files === undefined) throw new Error("nothing is kept on this machine");
    return files;
  }

  get #engine(): Engines["engine"] {
    return this.#opened.engine;
  }

  #readsOf(query: QueryName): ReadQueue {
    return this.#opened.hasFleet && isBoxQuery(query) ? this.#boxReads : this.#reads;
  }

  async #open(): Promise<void> {
    const { onOpened, onUnusable, log } = this.#options;
    let said = "";
    const tell = ({ message }: Refusal) => {
      // It is met each time that the database is tried.
      if (message !== said) log.error(message);
      said = message;
    };
    const { onRefused = tell } = this.#options;
    this.#engines = await openEngines(this.#options, {
      directory: (directory) => {
        const { unknownZone } = directory;
        if (unknownZone !== undefined && unknownZone !== this.directory.unknownZone)
          log.warn(unknownZoneSentence(unknownZone));
        this.directory = directory;
        this.zone = new DayZone(directory.dayZone ?? UTC_DAYS);
        this.directoryChanged.emit(directory);
      },
      opened: (opened) => {
        this.#cursorSecret = opened.cursorSecret;
        onOpened?.(opened);
      },
      refused: onRefused,
      counted: () => this.counted.emit(),
      live: (others) => {
        this.live.hear(others);
        // Views of the last five minutes are told later than what was counted.
        if (others.length > 0) this.counted.emit();
      },
      damaged: (why) => onUnusable?.(why),
      room: () => this.#intake.retry(),
      views: () => this.live.own(),
      asked: () => this.live.asked(),
    });
  }

  #begin(): void {
    const { clock } = this.#options;
    this.#stops.push(
      every(clock, UPKEEP_EVERY_MS, () => void this.#tend()),
      clock.becameSure.on(() => void this.#upkeep.anew()),
    );
    if (this.hasFleet)
      this.#stops.push(every(clock, FLEET_LOOK_MS, () => void this.#upkeep.look()));
    this.#firstUpkeep = this.#upkeep.once();
  }

  async #tend(): Promise<void> {
    const { resolve } = this.#nextUpkeep;
    const isWhole = await this.#upkeep.once();
    this.#nextUpkeep = Promise.withResolvers();
    resolve(isWhole);
  }

  /** The next settlement, which can be sent as long as it is about the file that is there. */
  async #settlement(query: SettlementQuery): Promise<Prepared | null> {
    const asked = this.#replaced;
    const settlement = await this.read("settlement", query);
    if (settlement === null) return null;
    return {
      settlement,
      send: (request) => {
        // Blocks of another file have the same names.
        if (this.#isOther(asked)) throw readRefused("replaced");
        return this.#engine.send(request);
      },
    };
  }

  async #maxDetailBytes(): Promise<number> {
    // A database elsewhere has a disk of its own, which this machine cannot see.
    const files = this.#opened.hasFleet ? undefined : this.#opened.files;
    const space = await files?.space().catch(() => undefined);
    if (files === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(MAX_DETAIL_BYTES, DETAIL_SHARE * (space?.total ?? Number.POSITIVE_INFINITY));
  }

  /** Whether another file has taken, or takes, the place of the one that was there then. */
  #isOther(asked: number): boolean {
    return this.#pause !== undefined || this.#replaced !== asked;
  }

  /** The same site once the file is replaced, where it may have another number or be gone. */
  async #siteAfterPause(key: SiteKey | null): Promise<SiteKey | null> {
    const id = this.directory.sites.find((site) => site.key === key)?.id;
    await this.#pause;
    return this.directory.sites.find((site) => site.id === id)?.key ?? null;
  }

  async #replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    const { hasFleet } = this.#opened;
    if (!hasFleet) {
      await this.#intake.drain();
      if (this.#intake.unavailable) throw storageUnavailable();
    }
    await this.#files.replaceFile(replace);
  }
}
