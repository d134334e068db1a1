import type { Day } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { DayZone, UTC_DAYS } from "../base/day-zone.ts";
import type { Log } from "../base/log.ts";
import type { Refusal } from "../base/refusal.ts";
import { Signal } from "../base/signal.ts";
import { NOBODY, type SiteKey } from "./counting.ts";
import type { Engine, EngineEvents, Opened, StoreFigures, Unusable } from "./engine.ts";
import { type Writer, writerTo } from "./engines.ts";
import { storageUnavailable } from "./intake/commit-group.ts";
import { Intake } from "./intake/intake.ts";
import { LiveViews } from "./intake/live-views.ts";
import { onceHash } from "./intake/once.ts";
import { decodeBatch, recordsOf } from "./log/batch.ts";
import type { EncodedHits, Hit } from "./log/record.ts";
import { ConfirmedLog } from "./places/confirmed.ts";
import type { DaysTake, PlaceTake } from "./places/take.ts";
import type { PlaceMonth } from "./places/unit.ts";
import type { Asker } from "./reads/answer.ts";
import type { FleetQueryName, QueryInput, QueryResult } from "./reads/reads.ts";
import type { Warning } from "./reports.ts";
import { detailFrom } from "./settling/folding.ts";
import { Upkeep } from "./settling/upkeep.ts";
import { unknownZoneSentence, zonePending } from "./sites/day-zone.ts";
import { type Directory, EMPTY_DIRECTORY } from "./sites/directory.ts";
import type { NumbersWriteName } from "./writes.ts";

/** Hits that wait when the store closes have this long to be stored. */
const LAST_COMMIT_MS = 8_000;

export interface NumbersOptions {
  retentionDays: number;
  /** Days that keep detail; 0 for none. */
  detailDays: number;
  /** Days of counts that a place keeps once its homes have them; as long as others unless given. */
  placeKeepDays?: number;
  clock: Clock;
  log: Log;
  /** Called whenever damage to the data was met. */
  onUnusable?: (why: Unusable) => void;
  /** Called with each database that is in use from then on. */
  onOpened?: (opened: Opened) => void;
  /** Called when a database elsewhere refuses us; the reason is logged unless given. */
  onRefused?: (why: Refusal) => void;
}

/** The door to the numbers: counts and surveys in, reports out. */
export class Numbers {
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  directory: Directory = EMPTY_DIRECTORY;
  /** The zone in which days begin now. */
  zone = new DayZone();
  readonly directoryChanged = new Signal<Directory>();
  /** Hits were committed. */
  readonly counted = new Signal();
  /** Views of the last five minutes; never stored. */
  readonly live: LiveViews;
  readonly upkeep: Upkeep;
  /** Runs a write. `directory` has the change once it resolves. */
  readonly write: Writer<NumbersWriteName>;
  /** The part of the log that homes of this place have. */
  readonly confirmed: ConfirmedLog;
  /** Callbacks for the engine. */
  readonly events: EngineEvents;
  /** The clock by which hits are counted: of this machine, or of the database of a fleet. */
  readonly clock: Clock;
  readonly #options: NumbersOptions;
  readonly #isShared: boolean;
  readonly #intake: Intake;
  #engine: Engine | undefined;
  #cursorSecret: Uint8Array = new Uint8Array();
  #isClosed = false;
  /** Pending while the numbers are replaced. */
  #pause: Promise<void> | undefined;

  /** @param isShared whether others count there, too */
  constructor(options: NumbersOptions, isShared: boolean) {
    const { clock, log, retentionDays, detailDays, placeKeepDays } = options;
    this.#options = options;
    this.#isShared = isShared;
    this.clock = clock;
    this.live = new LiveViews(clock);
    this.confirmed = new ConfirmedLog(clock);
    const zone = () => this.zone;
    this.#intake = new Intake({
      clock,
      zone,
      log,
      send: (request) => this.#opened.send(request),
      lowSpace: () => this.#opened.lowSpace,
      onCommitted: ({ bytes, areLate }) => {
        this.counted.emit();
        this.upkeep.committed(bytes);
        // The upkeep that began when the clock became sure did not find them.
        if (areLate && !this.#isClosed) void this.upkeep.anew();
      },
    });
    this.upkeep = new Upkeep({
      engine: () => this.#opened,
      clock,
      log,
      zone,
      retentionDays,
      detailDays,
      placeKeepDays,
      isShared,
      upTo: () => this.confirmed.upTo,
    });
    this.write = writerTo({ send: (request) => this.#opened.send(request) }, log);
    this.events = this.#events();
  }

  /** @param engine was opened with `events` */
  begin(engine: Engine): void {
    this.#engine = engine;
    this.upkeep.begin();
  }

  /** Whether the database has answered once. Before that nothing can be counted or read. */
  get ready(): boolean {
    return this.#opened.ready;
  }

  get figures(): StoreFigures {
    const { ready, figures: database } = this.#opened;
    return { ...this.#intake.figures, ready, unavailable: this.#intake.unavailable, database };
  }

  /** 32 bytes that seal the cursors of the survey export; none before the database has answered. */
  get cursorSecret(): Uint8Array {
    return this.#cursorSecret;
  }

  /** Counts a hit; resolves when it may be answered. See Intake. */
  count(site: SiteKey | null, hit: Hit): Promise<void> {
    // Counting adds no promise: hits are many, and those of a batch share one.
    if (this.#pause === undefined) return this.#count(site, hit);
    return this.#siteAfterPause(site).then((settled) => this.#count(settled, hit));
  }

  #count(site: SiteKey | null, hit: Hit): Promise<void> {
    if (hit.kind === "view") this.live.count(site ?? NOBODY);
    return this.#intake.count(site, hit);
  }

  /**
   * Counts hits of hours, in one transaction with the name of their batch. Resolves when they are stored.
   * @param name of the batch, unique among those of its site
   * @returns false where a batch of this name was counted before, and nothing of this one
   * @throws {Refusal} `storage_unavailable` when nothing was stored
   */
  async countOnce(name: string, { site, log, hits }: EncodedHits): Promise<boolean> {
    const { clock } = this;
    const settled = this.#pause ? await this.#siteAfterPause(site) : site;
    // Other data are in use by now, in which the site is another one: its sender brings the same again.
    if (settled !== site || !clock.sure || this.#opened.lowSpace) throw storageUnavailable();
    const batch = { log, hits, surveys: [], lowSpace: false };
    const once = { site, hash: onceHash(name) };
    const request = { kind: "commit", at: clock.monotonic(), batch: { ...batch, once } } as const;
    const answer = await this.#opened.send(request);
    if (!answer.ok) throw storageUnavailable();
    if (answer.isKnown) return false;
    this.counted.emit();
    this.upkeep.committed(log.reduce((sum, { length }) => sum + length, 0));
    return true;
  }

  /**
   * Counts what came from a place, once.
   * @param areLive whether its batches are of the last minute
   * @throws {Refusal} `storage_unavailable`: it may be counted, which its state shows; `source_limit`
   */
  async takePlace({ days, ...rest }: PlaceTake, areLive = false): Promise<boolean> {
    await this.#pause;
    if (this.#opened.lowSpace) throw storageUnavailable();
    const { place, home, name, before } = rest;
    const whose = { place, home, name, before };
    for (const month of days) if (!(await this.#takeDays(whose, month))) return false;
    if ((await this.write("takePlace", rest)) !== "taken") return false;
    if (areLive)
      for (const body of rest.log)
        for (const { kind, site, times } of recordsOf(decodeBatch(body)))
          if (kind === "view") this.live.count(site, times);
    this.counted.emit();
    this.upkeep.committed(rest.log.reduce((sum, { length }) => sum + length, 0));
    return true;
  }

  /** Days are merged beside counting, and merged again where something was settled meanwhile. */
  async #takeDays(whose: Omit<DaysTake, "days" | "merged">, month: PlaceMonth): Promise<boolean> {
    const { pieces, ...days } = month;
    const { origin, site, month: number } = days;
    const take = async () => {
      const input = { origin, site, month: number, pieces };
      const merged = await this.read("placeDays", input);
      // Settling folds beside counting, too; the write does what that has left in the log.
      if (merged === null && !isSettled) return "unsettled";
      return this.write("takePlaceDays", { ...whose, days, merged });
    };
    let isSettled = false;
    for (;;) {
      const taken = await this.upkeep.blocks.runExclusive(take);
      if (taken === "taken" || taken === "elsewhere") return taken === "taken";
      if (taken === "more") continue;
      await this.upkeep.anew();
      isSettled = true;
    }
  }

  /** @throws {Refusal} `storage_unavailable`, `surveys_full` when it was not stored */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#opened.lowSpace) throw storageUnavailable();
    const settled = this.#pause ? await this.#siteAfterPause(site) : site;
    return this.#intake.addSurvey(settled, version, payload);
  }

  /** Runs a named query, as ReadQueue does. */
  read<Q extends FleetQueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker?: Asker,
  ): Promise<QueryResult<Q>> {
    return this.#opened.reads.read(query, input, asker);
  }

  /** The first day that keeps detail; Infinity for none. */
  detailFrom(today: Day): Day {
    const { detailDays, retentionDays } = this.#options;
    return detailFrom({ today, detailDays, retentionDays });
  }

  /** The problems that there are with counting now. */
  get warnings(): readonly Warning[] {
    const warnings: Warning[] = [];
    if (this.#opened.lowSpace) warnings.push("storage_full");
    if (this.#intake.unavailable || !this.ready) warnings.push("storage_unavailable");
    // A database elsewhere that has not answered has not told the time, either: that is no clock to be set.
    if (this.ready && !this.clock.sure) warnings.push("clock_not_set");
    return warnings;
  }

  /** Whether the first site may name the zone by which days begin. */
  get asksZone(): boolean {
    return zonePending(this.directory);
  }

  /**
   * Commits open hits, and lets `replace` put other numbers in their place. Hits wait meanwhile, and then count for the
   * site with the same id.
   * @throws {Refusal} `storage_unavailable`, and the errors of `replace`
   */
  async replace(replace: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = promise;
    try {
      await this.#intake.drain();
      if (this.#intake.unavailable) throw storageUnavailable();
      await replace();
    } finally {
      this.live.clear();
      this.#pause = undefined;
      resolve();
    }
  }

  /** Commits open hits, and closes the database. @returns the number of hits that could not be stored */
  async close(): Promise<number> {
    this.#isClosed = true;
    this.upkeep.close();
    await this.#pause;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    // A database that is away may keep a commit open for as long as it is.
    const cancel = this.clock.after(LAST_COMMIT_MS, resolve);
    await Promise.race([this.#intake.drain(), late]);
    cancel();
    await this.#opened.close();
    const hits = this.#intake.figures.waitingHits;
    if (hits > 0 || this.#intake.unavailable)
      this.#options.log.error({ hits }, "What waited in memory could not be stored and is lost");
    return hits;
  }

  get #opened(): Engine {
    if (this.#engine === undefined) throw new Error("the store is not open");
    return this.#engine;
  }

  #events(): EngineEvents {
    const { onOpened, onUnusable, log } = this.#options;
    let said = "";
    const tell = ({ message }: Refusal) => {
      // The same error comes with each try of the database.
      if (message !== said) log.error(message);
      said = message;
    };
    const { onRefused = tell } = this.#options;
    return {
      directory: (directory) => this.#hear(directory),
      opened: (opened) => {
        this.#cursorSecret = opened.cursorSecret;
        onOpened?.(opened);
      },
      refused: onRefused,
      counted: () => this.counted.emit(),
      live: (others) => {
        this.live.hear(others);
        // The live views of others come later than their counts.
        if (others.length > 0) this.counted.emit();
      },
      damaged: (why) => onUnusable?.(why),
      room: () => this.#intake.retry(),
      views: () => this.live.own(),
      asked: () => this.live.asked(),
    };
  }

  #hear(directory: Directory): void {
    const { unknownZone } = directory;
    if (unknownZone !== undefined && unknownZone !== this.directory.unknownZone)
      this.#options.log.warn(unknownZoneSentence(unknownZone));
    const isDue = valuesDue(directory) !== valuesDue(this.directory);
    this.directory = directory;
    this.zone = new DayZone(directory.dayZone ?? UTC_DAYS);
    this.directoryChanged.emit(directory);
    // A fleet settles within a minute by itself, and its nodes would be in each other's way.
    if (isDue && !this.#isShared && this.#engine !== undefined && !this.#isClosed)
      void this.upkeep.anew();
  }

  /** The number of a site after the numbers were replaced: it may be another one, or the site is gone. */
  async #siteAfterPause(key: SiteKey | null): Promise<SiteKey | null> {
    const id = this.directory.sites.find((site) => site.key === key)?.id;
    await this.#pause;
    return this.directory.sites.find((site) => site.id === id)?.key ?? null;
  }
}

/** The values that are to be made one, by site. */
function valuesDue({ sites }: Directory): string {
  const due = sites.flatMap(({ key, valueRules }) =>
    valueRules === undefined || valueRules.due.length === 0 ? [] : [[key, valueRules.due]],
  );
  return JSON.stringify(due);
}
