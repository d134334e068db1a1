import type { GoodBackup, TargetRecord } from "./record.ts";

export interface TargetView extends TargetRecord {
  readonly isPresent: boolean;
  readonly isRunning: boolean;
  /** The time of the next backup; null while it is not known. */
  readonly next: number | null;
  /** Whether there was no good one for a week. */
  readonly isOverdue: boolean;
}

export interface FoundBackup extends GoodBackup {
  readonly machine: string;
}
