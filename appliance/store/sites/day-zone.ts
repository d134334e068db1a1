import { DayZone, UTC_DAYS, type ZoneSetting, zoneAhead } from "../../base/day-zone.ts";
import { ONLY } from "../../base/documents.ts";
import type { Change } from "../changes.ts";
import { documentsChange } from "../documents.ts";
import type { Directory } from "./directory.ts";
import { DAY_ZONE } from "./kinds.ts";

interface ZonePlan {
  readonly change: Change;
  /** Sentences for the owner. */
  readonly sentences: readonly string[];
}

const NO_CHANGE: ZonePlan = { change: { documents: [] }, sentences: [] };

/**
 * Plans another zone of days. It holds from its next midnight on, and at once in a database without sites.
 * @param now epoch milliseconds
 */
export function planZone(directory: Directory, wanted: string | undefined, now: number): ZonePlan {
  const { dayZone, sites, retired } = directory;
  if (wanted === undefined || wanted === dayZone?.zone) return NO_CHANGE;
  if (sites.length + retired.length === 0) return planOf({ zone: wanted, before: null });
  const setting = new DayZone(dayZone ?? UTC_DAYS).changedTo(wanted, now);
  const ahead = zoneAhead(setting, now);
  return ahead === undefined ? planOf(setting) : planOf(setting, ahead);
}

function planOf(setting: ZoneSetting, ...sentences: string[]): ZonePlan {
  return { change: zoneChange(setting), sentences };
}

/** The change after which days begin by a zone. */
export function zoneChange(setting: ZoneSetting): Change {
  return { documents: [documentsChange(DAY_ZONE, { put: [{ id: ONLY, body: setting }] })] };
}

/** Whether the first site may name the zone: none has been named, and no day was counted. */
export function zonePending({ dayZone, unknownZone, sites, retired }: Directory): boolean {
  return dayZone === null && unknownZone === undefined && sites.length + retired.length === 0;
}

/**
 * The same where many share a database: the first one names the zone, and none changes it by its
 * own settings alone.
 */
export function planFleetZone(
  directory: Directory,
  wanted: string | undefined,
  now: number,
): ZonePlan {
  const { dayZone, unknownZone } = directory;
  const named = dayZone?.zone ?? unknownZone;
  if (named === undefined || wanted === undefined || wanted === named)
    return planZone(directory, wanted, now);
  return {
    ...NO_CHANGE,
    sentences: [
      `DAY_ZONE says ${wanted}, but all who count into this database go by ${named}${dayZone === null ? "" : ", and so does this one"}. To change it for all: tallydeck migrate --day-zone ${wanted}`,
    ],
  };
}

/**
 * The sentence for the owner about a zone that this machine does not know.
 */
export function unknownZoneSentence(zone: string): string {
  return `Days are to be those of ${zone}, a time zone that this machine does not know: here they are UTC's until it does. Update Tallydeck, or name another with DAY_ZONE.`;
}
