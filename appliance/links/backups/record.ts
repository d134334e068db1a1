import { documentKind, NUMBER, objectOf, orNull, TEXT } from "../../base/documents.ts";
import type { TargetRecord } from "./view.ts";

export interface BackupRecord {
  readonly targets: readonly TargetRecord[];
}

const GOOD = objectOf({ file: TEXT, at: NUMBER, bytes: NUMBER });

/** The targets in use, written before each backup and after it. */
export const BACKUP_RECORD = documentKind<BackupRecord>(
  "backup_record",
  objectOf({
    targets: {
      type: "array",
      items: objectOf(
        {
          kind: TEXT,
          since: NUMBER,
          tries: NUMBER,
          triedAt: NUMBER,
          why: TEXT,
          good: orNull(GOOD),
          files: { type: "array", items: GOOD },
        },
        { mark: objectOf({ folder: TEXT, file: TEXT }) },
      ),
    },
  }),
  { bound: { count: 1, bytes: 131_072, together: 131_072 }, inBackup: "left" },
);
