import type { Engine, EngineEvents, FileEngine, FileOptions } from "./engine.ts";
import { openFile, openShared, type SharedOptions, type Writer, writerTo } from "./engines.ts";
import { FleetClock } from "./fleet-clock.ts";
import { LocalData } from "./local-data.ts";
import { Numbers, type NumbersOptions } from "./numbers.ts";
import { Upkeep } from "./settling/upkeep.ts";
import { FleetAdminToken, writerToBoth } from "./shared-writes.ts";
import type { SharedWriteName } from "./writes.ts";

export type { SiteKey } from "./counting.ts";
export { nobodyCalled } from "./counts/nobody.ts";
export { documentsChange, documentsIn, documentsOf, settingOfSite } from "./documents.ts";
export type { Space, StoreFigures, Unusable } from "./engine.ts";
export { shownDatabase } from "./engines.ts";
export { readAbout } from "./imports/about.ts";
export { storageUnavailable } from "./intake/commit-group.ts";
export { LIVE_STEP_MS } from "./intake/live-views.ts";
export { HitsEncoder, onceHash } from "./intake/once.ts";
// The first door, for rooms that count, show, watch and run. `desk` is the second one, for work on the data itself.
export type { LocalData } from "./local-data.ts";
export type { Numbers } from "./numbers.ts";
export { heldAt } from "./places/confirmed.ts";
export type { FeedQuery } from "./places/feed.ts";
export type { PlaceFacts } from "./places/judge.ts";
export {
  KNOWN_PLACES,
  PLACE_ALARMS,
  PLACE_HOMES,
  PLACE_STATES,
  type PlaceAlarmBody,
  type PlaceBody,
  type PlaceHome,
  type PlaceState,
} from "./places/kinds.ts";
export type { Disobeyed } from "./places/obey.ts";
export {
  MAX_CURSOR,
  PLACE_HELLO,
  type PlaceHello,
  type PlaceMonth,
  type PlaceSite,
  type PlaceSurvey,
  type PlaceUnit,
} from "./places/unit.ts";
export { type Filter, MAX_RANGE_DAYS, type SurveyFilter } from "./queries.ts";
export type { Accepts, Answer, Asker, Lane } from "./reads/answer.ts";
export { CROSS_FIELDS } from "./reports.ts";
export { SITE_ALARMS } from "./sites/alarms.ts";
export {
  type Directory,
  EMPTY_DIRECTORY,
  type RuleOutcome,
  type ShareOutcome,
  type SiteInput,
  type SiteOutcome,
  type SiteRecord,
  type SiteRules,
} from "./sites/directory.ts";
export { ADMIN_TOKEN, DAY_ZONE, KINDS_OF_SITES, SITES, SURVEY_LABELS } from "./sites/kinds.ts";
export { MAX_SHARES, SHARE_USES, type SiteShare, sharesOf } from "./sites/shares.ts";
export { ruledValues } from "./sites/value-rules.ts";
export type { SourceNumber } from "./snapshot.ts";
export { SourceUnclear, sourceNamed } from "./sources.ts";
export { openCursor } from "./surveys/page.ts";
export type { Threads } from "./threads/threads.ts";

/** The numbers of a fleet; `clock` is that of this machine. */
interface FleetOptions extends NumbersOptions, Omit<SharedOptions, "clock" | "log"> {
  /** The time (epoch ms) that it is where the database says `said`. */
  databaseNow?: (said: number) => number;
}

/** Opens the numbers where nothing is kept on this machine. @throws {Refusal} as `Store.open` does */
export async function openNumbers(options: FleetOptions): Promise<Numbers> {
  const ofFleet = { ...options, clock: new FleetClock(options) };
  const numbers = new Numbers(ofFleet, true);
  numbers.begin(await openShared(ofFleet, numbers.events));
  return numbers;
}

type OneOptions = NumbersOptions & FileOptions;
/** The data folder; and where the numbers are, if not there. */
type StoreOptions = OneOptions &
  Pick<FleetOptions, "nodeName" | "databaseNow"> & { databaseUrl?: string | undefined };

/** Openers of engines; tests have their own. */
interface Openers {
  readonly file: typeof openFile;
  readonly shared: typeof openShared;
}

interface Doors {
  readonly local: LocalData;
  readonly numbers: Numbers;
  readonly write: Writer<SharedWriteName>;
}

/** All data of a box, by two doors: that of this machine alone, and the numbers, be they in the same file or in a database elsewhere. */
export class Store implements Doors {
  readonly local: LocalData;
  readonly numbers: Numbers;
  /** Changes of both: all or none. */
  readonly write: Writer<SharedWriteName>;
  /** Whether the numbers are in a database elsewhere. */
  readonly hasFleet: boolean;

  private constructor({ local, numbers, write }: Doors, hasFleet: boolean) {
    this.local = local;
    this.numbers = numbers;
    this.write = write;
    this.hasFleet = hasFleet;
  }

  /**
   * Opens the data.
   * @throws {DatabaseRefused} with a sentence for the owner; Refusal `invalid_config`
   */
  static async open(
    options: StoreOptions,
    open: Openers = { file: openFile, shared: openShared },
  ): Promise<Store> {
    const { databaseUrl } = options;
    if (databaseUrl === undefined) return new Store(await openOne(options, open), false);
    return new Store(await openTwo({ ...options, databaseUrl }, open), true);
  }

  /** Does all upkeep that is due; resolves when done. */
  async upkeep(): Promise<void> {
    const all = new Set([this.numbers.upkeep, this.local.upkeep]);
    await Promise.all([...all].map((upkeep) => upkeep.anew()));
  }

  /** Commits open hits, and closes the data. @returns the number of hits that could not be stored */
  async close(): Promise<number> {
    const closed = this.numbers.close();
    await this.local.close(closed);
    return closed;
  }
}

/** Both doors to one file. */
async function openOne(options: OneOptions, open: Openers): Promise<Doors> {
  const { log } = options;
  const numbers = new Numbers(options, false);
  const file = await open.file(options, numbers.events);
  numbers.begin(file);
  const around = (replace: () => Promise<void>) => numbers.replace(replace);
  const local = new LocalData({ file, upkeep: numbers.upkeep, log, around });
  return { local, numbers, write: writerTo(file, log) };
}

/** A door to the file, which may have numbers from before the fleet, and one to the fleet's database. */
async function openTwo(options: OneOptions & FleetOptions, open: Openers): Promise<Doors> {
  const { clock, log, retentionDays, detailDays } = options;
  const { declared: _, dayZone: __, ...ofBox } = options;
  const ofFleet = { ...options, clock: new FleetClock(options) };
  const numbers = new Numbers(ofFleet, true);
  const { directory: tell, damaged } = numbers.events;
  const writers = {
    local: writerTo({ send: (request) => file.send(request) }, log),
    fleet: writerTo({ send: (request) => fleet.send(request) }, log),
  };
  const token = new FleetAdminToken({ ...writers, tell });
  const file: FileEngine = await open.file(ofBox, {
    ...UNHEARD,
    damaged,
    directory: (directory) => token.hearBox(directory),
  });
  const fleet: Engine = await open
    .shared(ofFleet, {
      ...numbers.events,
      directory: (directory) => token.hearFleet(directory),
    })
    .catch(async (error) => {
      await file.close();
      throw error;
    });
  numbers.begin(fleet);
  const zone = () => numbers.zone;
  const upkeep = new Upkeep({
    engine: () => file,
    clock,
    log,
    zone,
    retentionDays,
    detailDays,
    isShared: false,
  });
  upkeep.begin();
  const around = async (replace: () => Promise<void>) => {
    await replace();
    await token.keep();
  };
  const local = new LocalData({ file, upkeep, log, around });
  const sites = () => numbers.directory.sites;
  return { local, numbers, write: writerToBoth({ ...writers, token, sites }) };
}

/** Listeners for the box's own file beside a fleet, in which nothing is counted. */
const UNHEARD: Omit<EngineEvents, "directory" | "damaged"> = {
  opened: () => {},
  refused: () => {},
  counted: () => {},
  live: () => {},
  room: () => {},
  views: () => new Map(),
  asked: () => [],
};
