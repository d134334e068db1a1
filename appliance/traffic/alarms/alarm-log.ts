import { type Documents, documentKind, ONLY } from "../../base/documents.ts";
import {
  type Fitting,
  listOf,
  NUMBER,
  objectOf,
  oneAmong,
  orNull,
  TEXT,
} from "../../base/input/schema.ts";
import type { SiteAlarm } from "./alarms.ts";
import { ALARM_KINDS, type AlarmKind } from "./state.ts";

/** An alarm of a site that stood at some time; times are epoch milliseconds. */
const PAST_ALARM = objectOf({
  /** Its id of then. */
  site: TEXT,
  kind: oneAmong<AlarmKind>(...ALARM_KINDS),
  since: NUMBER,
  /** Null while it stands. */
  until: orNull(NUMBER),
});
export type PastAlarm = Fitting<typeof PAST_ALARM>;

/** The last alarms of all sites, oldest first. */
const MOST = 500;

const KEPT_ALARMS = objectOf({ alarms: listOf(PAST_ALARM, MOST) });
type KeptAlarms = Fitting<typeof KEPT_ALARMS>;

export const ALARM_LOG = documentKind("alarm_log", KEPT_ALARMS, {
  bound: { count: 1, bytes: 131_072, together: 131_072 },
  inBackup: "left",
});

/** Keeps when alarms of sites stood, for who asks later. */
export class AlarmLog {
  readonly #documents: Documents<KeptAlarms>;
  #alarms: readonly PastAlarm[];

  private constructor(documents: Documents<KeptAlarms>, alarms: readonly PastAlarm[]) {
    this.#documents = documents;
    this.#alarms = alarms;
  }

  static async open(documents: Documents<KeptAlarms>): Promise<AlarmLog> {
    const [stored] = await documents.list();
    return new AlarmLog(documents, stored?.body.alarms ?? []);
  }

  /** Notes that an alarm begins or is over. One that cannot be stored is known until the end of the process. */
  note({ site, kind, state, since }: SiteAlarm, now: number): void {
    const isSame = (each: PastAlarm) => each.site === site && each.kind === kind;
    this.#alarms =
      state === "firing"
        ? [...this.#alarms, { site, kind, since, until: null }].slice(-MOST)
        : this.#alarms.map((each) =>
            isSame(each) && each.until === null ? { ...each, until: now } : each,
          );
    this.#documents.change({ put: [{ id: ONLY, body: { alarms: this.#alarms } }] }).catch(() => {});
  }

  /** The alarms of a site that stood at some time of a span, oldest first. */
  within(site: string, from: number, until: number): PastAlarm[] {
    return alarmsWithin(this.#alarms, site, from, until);
  }
}

/** The alarms of a site, of all these, that stood at some time of a span. */
export function alarmsWithin(
  alarms: readonly PastAlarm[],
  site: string,
  from: number,
  until: number,
): PastAlarm[] {
  return alarms.filter(
    (each) =>
      each.site === site && each.since < until && (each.until === null || each.until > from),
  );
}
