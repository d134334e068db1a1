/** `stick`: a USB stick of a box; `folder`: one that the configuration names; `webdav`: an address. */
export type TargetKind = "stick" | "folder" | "webdav";

/** A backup that was read back and was good. */
export interface GoodBackup {
  readonly file: string;
  /** The time that it was made, in epoch milliseconds. */
  readonly at: number;
  readonly bytes: number;
}

/** A file of ours in a folder, which is not there while its disk is not mounted. */
export interface FolderMark {
  readonly folder: string;
  readonly file: string;
}

/** A target that is in use, and what became of its backups. */
export interface TargetRecord {
  readonly kind: TargetKind;
  readonly since: number;
  /** Tries since the last good one, and the time of the last; 0 before any. */
  readonly tries: number;
  readonly triedAt: number;
  /** The reason that the last try failed, as a sentence; empty where it did not. */
  readonly why: string;
  readonly good: GoodBackup | null;
  /** The backups of this machine there, as of the last good one; the newest first. */
  readonly files: readonly GoodBackup[];
  /** The mark of a folder; undefined before its first good backup, and where an earlier release made that. */
  readonly mark?: FolderMark;
}

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
