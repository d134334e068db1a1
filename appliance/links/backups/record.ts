import { documentKind } from "../../base/documents.ts";
import {
  type Fitting,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  type SchemaOf,
  TEXT,
} from "../../base/input/schema.ts";

/** `stick`: a USB stick of a box; `folder`: one that the configuration names; `webdav`: an address. */
export type TargetKind = "stick" | "folder" | "webdav";

/** A backup that was read back and was good, and the time that it was made, in epoch milliseconds. */
const GOOD = objectOf({ file: TEXT, at: NUMBER, bytes: NUMBER });
export type GoodBackup = Fitting<typeof GOOD>;

/** A file of ours in a folder, which is not there while its disk is not mounted. */
const MARK = objectOf({ folder: TEXT, file: TEXT });
export type FolderMark = Fitting<typeof MARK>;

/** A target that is in use, and what became of its backups. */
const TARGET = objectOf(
  {
    kind: TEXT as SchemaOf<TargetKind>,
    since: NUMBER,
    /** Tries since the last good one, and the time of the last; 0 before any. */
    tries: NUMBER,
    triedAt: NUMBER,
    /** The reason that the last try failed, as a sentence; empty where it did not. */
    why: TEXT,
    good: orNull(GOOD),
    /** The backups of this machine there, as of the last good one; the newest first. */
    files: listOf(GOOD),
  },
  {
    /** The mark of a folder; undefined before its first good backup, and where an earlier release made that. */
    mark: MARK,
  },
);
export type TargetRecord = Fitting<typeof TARGET>;

const RECORD = objectOf({ targets: listOf(TARGET) });
export type BackupRecord = Fitting<typeof RECORD>;

/** The targets in use, written before each backup and after it. */
export const BACKUP_RECORD = documentKind("backup_record", RECORD, {
  bound: { count: 1, bytes: 131_072, together: 131_072 },
  inBackup: "left",
});
