import type { Day } from "../../base/calendar.ts";
import { every } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { SiteAlarms } from "../../store/reports.ts";
import type { Numbers, SiteKey } from "../../store/store.ts";
import { BASELINE_DAYS, baselineOf } from "./baseline.ts";
import { alarmSentence } from "./sentence.ts";
import { ALARM_KINDS, type AlarmKind, type AlarmState } from "./state.ts";
import { type AlarmChange, AlarmWatch, LOOK_EVERY_MS, type WatchedSite } from "./watch.ts";

/** The begin or end of an alarm of a site. Each is reported once, also over restarts. */
export interface SiteAlarm {
  /** The id of the site. */
  readonly site: string;
  readonly kind: AlarmKind;
  readonly state: AlarmChange["state"];
  /** The begin of the silence or rush, epoch milliseconds. */
  readonly since: number;
  readonly sentence: string;
}

interface AlarmsOptions {
  numbers: Pick<
    Numbers,
    "clock" | "directory" | "directoryChanged" | "live" | "read" | "write" | "warnings" | "zone"
  >;
  /** Sends an alarm to the owner's URL. Resolves at the end, even after a failure. */
  send: (webhook: string, alarm: SiteAlarm) => Promise<unknown>;
}

const HOURS = 24;
const OFF: AlarmState = { state: "off", since: null };

/** A site that alarms of something. */
interface Watched {
  readonly id: string;
  readonly key: SiteKey;
  settings: SiteAlarms;
  readonly watch: AlarmWatch;
  /** Undefined until it was read. */
  history: { from: Day; hours: number[]; sessions: number[] } | undefined;
  knowledge: WatchedSite | undefined;
}

/** Watches sites whose alarms are on: it looks once a minute, and learns once an hour. */
export class Alarms {
  /** An alarm began or is over. */
  readonly changed = new Signal<SiteAlarm>();
  readonly #options: AlarmsOptions;
  readonly #stops: Cancel[];
  #sites = new Map<string, Watched>();
  #hour = 0;
  /** Reads run one after the other. */
  #reading: Promise<void> = Promise.resolve();
  #telling: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: AlarmsOptions) {
    this.#options = options;
    // Sites come and go, and a restore may replace all of them.
    this.#stops = [
      options.numbers.directoryChanged.on(() => void this.reload()),
      every(options.numbers.clock, LOOK_EVERY_MS, () => this.#look()),
    ];
    void this.reload();
  }

  stateOf(site: string, kind: AlarmKind): AlarmState {
    const watched = this.#sites.get(site);
    if (watched === undefined || !watched.settings[kind]) return OFF;
    const { watch, knowledge } = watched;
    return {
      state: watch.phase(kind, { baseline: knowledge?.baseline }),
      since: watch.since.get(kind) ?? null,
    };
  }

  /** The alarm of a site that stands now, the first of its kinds; undefined while all is well. */
  standing(site: string): AlarmKind | undefined {
    return ALARM_KINDS.find((kind) => this.stateOf(site, kind).state === "firing");
  }

  /**
   * Applies the settings. Resolves when they are in force. Settings that cannot be read stay as they were.
   */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#reload()).catch(() => {});
    return this.#reading;
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  async #reload(): Promise<void> {
    if (this.#isClosed) return;
    const { numbers } = this.#options;
    const rows = await numbers.read("siteAlarms", undefined);
    const before = this.#sites;
    const sites = new Map<string, Watched>();
    for (const { id, key } of numbers.directory.sites) {
      const row = rows.find(({ site }) => site === key);
      if (row === undefined || !(row.silence || row.rush)) continue;
      const { silence, rush, webhook } = row;
      const settings = { silence, rush, webhook };
      const known = before.get(id);
      if (known?.key === key) sites.set(id, Object.assign(known, { settings }));
      else
        sites.set(id, {
          id,
          key,
          settings,
          watch: new AlarmWatch(standingOf(row)),
          history: undefined,
          knowledge: undefined,
        });
    }
    this.#sites = sites;
    for (const site of before.values()) this.#endWhatIsOff(site, sites.get(site.id));
    await this.#learn();
  }

  /** Ends alarms that were switched off, and reports it. */
  #endWhatIsOff(site: Watched, now: Watched | undefined): void {
    for (const kind of ALARM_KINDS) {
      const since = site.watch.since.get(kind);
      if (since === undefined || (now === site && now.settings[kind])) continue;
      site.watch.since.delete(kind);
      const sentence = `${site.id}: this alarm is switched off.`;
      this.#tell(site, { site: site.id, kind, state: "resolved", since, sentence });
    }
  }

  #look(): void {
    const { numbers } = this.#options;
    const { clock } = numbers;
    const now = clock.now();
    const isSound = numbers.warnings.length === 0;
    for (const site of this.#sites.values()) {
      if (site.knowledge === undefined) continue;
      const look = { now, monotonic: clock.monotonic(), live: numbers.live.of(site.key), isSound };
      for (const change of site.watch.look(look, site.knowledge)) this.#happened(site, change);
    }
    const hour = numbers.zone.hourAt(now);
    // Hours that the clock cannot name are no history.
    if (hour === this.#hour || !clock.sure) return;
    this.#hour = hour;
    this.#reading = this.#reading.then(() => this.#learn()).catch(() => {});
  }

  #happened(site: Watched, change: AlarmChange): void {
    const { kind, state, since } = change;
    if (!site.settings[kind]) {
      // It is watched for the sake of the other.
      site.watch.since.delete(kind);
      return;
    }
    // An alarm that cannot be stored still holds in memory; the store reports its error.
    void this.#options.numbers
      .write("saveAlarmSince", { site: site.key, kind, since: state === "firing" ? since : null })
      .catch(() => {});
    this.#tell(site, {
      site: site.id,
      kind,
      state,
      since,
      sentence: alarmSentence(site.id, change),
    });
  }

  #tell({ settings: { webhook } }: Watched, alarm: SiteAlarm): void {
    this.changed.emit(alarm);
    if (webhook === null) return;
    // Reports go out one by one, so that a begin precedes its end, even when all sites fall silent at once.
    this.#telling = this.#telling.then(async () => {
      if (!this.#isClosed) await this.#options.send(webhook, alarm);
    });
  }

  /** Reads the hours since the last reading. */
  async #learn(): Promise<void> {
    const { clock } = this.#options.numbers;
    // Without hours, nothing is judged before the clock is sure, either.
    if (!clock.sure) return;
    for (const site of this.#sites.values()) {
      if (this.#isClosed) return;
      await this.#learnOf(site, clock.now());
    }
  }

  async #learnOf(site: Watched, now: number): Promise<void> {
    const { zone } = this.#options.numbers;
    const today = zone.today(now);
    // Hours of another zone say nothing about those of this one.
    const first = Math.max(today - BASELINE_DAYS, zone.changeAt(now)?.from ?? 0);
    // The day before may have been read before it was over.
    const known = site.history === undefined ? undefined : knownUntil(site.history, first, today);
    const from = known === undefined ? first : known.from + known.sessions.length;
    const read = await this.#options.numbers.read("hourlyViews", {
      site: site.key,
      from,
      to: today,
    });
    site.history = {
      from: first,
      hours: [...(known?.hours ?? []), ...read.hours],
      sessions: [...(known?.sessions ?? []), ...read.sessions],
    };
    const { hours, sessions } = site.history;
    const history = { from: first, hours, sessions: sessions.reduce((sum, n) => sum + n, 0) };
    site.knowledge = {
      baseline: baselineOf(history, today, zone),
      from: first * HOURS,
      hours: hours.slice(0, zone.hourAt(now) - first * HOURS + 1),
    };
  }
}

/**
 * The part of a history that need not be read again: the days from `first` to two days before
 * `today`.
 */
function knownUntil(history: NonNullable<Watched["history"]>, first: Day, today: Day) {
  const skip = first - history.from;
  const days = Math.min(history.sessions.length - skip, today - 1 - first);
  if (skip < 0 || days <= 0) return undefined;
  return {
    from: first,
    hours: history.hours.slice(skip * HOURS, (skip + days) * HOURS),
    sessions: history.sessions.slice(skip, skip + days),
  };
}

function standingOf(row: {
  silenceSince: number | null;
  rushSince: number | null;
}): [AlarmKind, number][] {
  return ALARM_KINDS.flatMap((kind): [AlarmKind, number][] => {
    const since = kind === "silence" ? row.silenceSince : row.rushSince;
    return since === null ? [] : [[kind, since]];
  });
}

/** The request for an alarm: a POST of these fields as JSON. */
export function webhookRequest(url: string, fields: object) {
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(fields)),
  };
}
