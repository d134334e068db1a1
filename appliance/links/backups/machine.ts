import { DAY_MS, dayOf, HOUR_MS } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import type { Decision } from "../../base/tasks/task-runner.ts";
import { isOfFolder } from "./mark.ts";
import type { BackupRecord, FolderMark, GoodBackup, TargetKind, TargetRecord } from "./record.ts";

interface BackupFacts {
  readonly wanted: readonly TargetKind[];
  /** The wanted ones that can be written to now: a stick may be somewhere else. */
  readonly present: readonly TargetKind[];
  readonly folder?: string | undefined;
  readonly now: number;
  readonly isSure: boolean;
  readonly zone: DayZone;
}

export interface BackupTask {
  readonly kind: TargetKind;
}

export type BackupOutcome =
  | {
      readonly kind: "good";
      readonly good: GoodBackup;
      readonly files: readonly GoodBackup[];
      readonly mark?: FolderMark | undefined;
    }
  | { readonly kind: "failed"; readonly why: string };

/** The hour of the night, after that in which clocks change. */
const HOUR = 3;
/** The pause before the second try, doubled for each further one. */
const FIRST_PAUSE_MS = 10 * 60_000;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;
/** The time without a good backup after which people are told. */
const TOLD_MS = 7 * DAY_MS;

const CUT: BackupOutcome = { kind: "failed", why: "The machine stopped in the middle of it." };

/** The next backup, and the record with targets that have come and gone. Pure. */
export function nextBackup(
  kept: BackupRecord,
  facts: BackupFacts,
): Decision<BackupRecord, BackupTask> {
  const { present, now, isSure, zone } = facts;
  if (!isSure) return { record: kept };
  const record = inUse(kept, facts);
  const ahead: number[] = [];
  for (const target of record.targets) {
    if (!present.includes(target.kind)) continue;
    const at = dueAt(target, zone, now);
    if (at <= now) return { record, task: { kind: target.kind } };
    ahead.push(at);
  }
  return { record, ...(ahead.length > 0 && { wakeAt: Math.min(...ahead) }) };
}

/**
 * A target is in use from the moment that it is there for as long as it is wanted. Another path is another folder, which
 * knows nothing of the backups in the one before.
 */
function inUse(kept: BackupRecord, { wanted, present, folder, now }: BackupFacts): BackupRecord {
  const targets = wanted.flatMap((kind): TargetRecord[] => {
    const known = kept.targets.find((each) => each.kind === kind);
    if (known !== undefined && isOfFolder(known, folder)) return [known];
    const anew = { kind, since: now, tries: 0, triedAt: 0, why: "", good: null, files: [] };
    return present.includes(kind) ? [anew] : [];
  });
  return { targets };
}

export function dueAt({ good, tries, triedAt }: TargetRecord, zone: DayZone, now: number): number {
  // A clock that was ahead once must not keep a machine from its backups.
  const isDue = good === null || good.at < lastNight(zone, now) || good.at > now + DAY_MS;
  if (!isDue) return nextNight(zone, now);
  if (tries === 0 || triedAt > now) return now;
  return triedAt + Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/** The record before a backup: it stays where a power cut hides the end, so that the next start waits. */
export function beforeBackup(record: BackupRecord, task: BackupTask, now: number): BackupRecord {
  const begun = record.targets.map((target) =>
    target.kind === task.kind ? { ...target, tries: target.tries + 1 } : target,
  );
  return afterBackup({ targets: begun }, task, CUT, now);
}

export function afterBackup(
  { targets }: BackupRecord,
  { kind }: BackupTask,
  outcome: BackupOutcome,
  now: number,
): BackupRecord {
  return {
    targets: targets.map((target): TargetRecord => {
      if (target.kind !== kind) return target;
      if (outcome.kind === "failed") return { ...target, triedAt: now, why: outcome.why };
      const { good, files, mark } = outcome;
      return { ...target, tries: 0, triedAt: now, why: "", good, files, ...(mark && { mark }) };
    }),
  };
}

/** The record with all targets due at once, after a change of what they may have failed by. */
export function triedAnew({ targets }: BackupRecord): BackupRecord {
  return { targets: targets.map((target) => ({ ...target, tries: 0, triedAt: 0 })) };
}

export function overdue({ targets }: BackupRecord, now: number): TargetRecord[] {
  return targets.filter(({ since, good }) => now - Math.max(since, good?.at ?? 0) > TOLD_MS);
}

/** The last time until `now` at which backups are due. */
function lastNight(zone: DayZone, now: number): number {
  const wall = zone.wall(now);
  const today = dayOf(wall) * DAY_MS + HOUR * HOUR_MS;
  return now - (wall - (today <= wall ? today : today - DAY_MS));
}

/** The next such time, an hour off where summer time begins or ends before it. */
function nextNight(zone: DayZone, now: number): number {
  const wall = zone.wall(now);
  const today = dayOf(wall) * DAY_MS + HOUR * HOUR_MS;
  return now + ((today > wall ? today : today + DAY_MS) - wall);
}
