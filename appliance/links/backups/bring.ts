import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { DayZone } from "../../base/day-zone.ts";
import { notKept } from "./keeping.ts";
import type { BackupOutcome } from "./machine.ts";
import { hasMark, type MarkedFolder, notMarked, openMarked } from "./mark.ts";
import { type BackupName, isNamedBy, PART_END, readBackupName } from "./names.ts";
import type { GoodBackup } from "./record.ts";
import { digestOf, hashed } from "./targets/hashed.ts";
import { type BackupTarget, TargetProblem } from "./targets/target.ts";

/** A backup of this machine, opened and checked, in a file of its own. */
export interface MadeBackup {
  readonly bytes: number;
  /** Its content, once. */
  content(): AsyncIterable<Uint8Array>;
  /** The file is gone after it. */
  close(): Promise<void>;
}

interface BringOptions {
  readonly target: BackupTarget;
  /** Where the target is a folder in which a disk should be mounted. */
  readonly marked?: MarkedFolder | undefined;
  readonly name: BackupName;
  readonly zone: DayZone;
  /** Makes the backup, once the target has answered. */
  readonly make: () => Promise<MadeBackup>;
  readonly signal: AbortSignal;
}

/** The backups of a target that are told of, more than one machine keeps. */
const MOST_TOLD = 32;

/**
 * Brings a backup to a target: written under a name of its own, read back and compared, and named only then. After that
 * those that are not kept any more go. Nothing is removed but backups of this machine.
 * @throws {TargetProblem} where it could not be; the backups before are still there
 */
export async function uploadBackup(options: BringOptions): Promise<BackupOutcome> {
  const { target, marked, name, zone, make, signal } = options;
  const { files: before, mark } =
    marked === undefined
      ? { files: await target.list(signal), mark: undefined }
      : await openMarked(target, marked, name, signal);
  for (const file of before)
    if (isNamedBy(file.name, name.id, PART_END)) await target.remove(file.name, signal);
  const made = await make();
  const part = name.file + PART_END;
  try {
    const sent = createHash("sha256");
    await target.write(part, Readable.from(hashed(made.content(), sent)), made.bytes, signal);
    if (!sent.digest().equals(await digestOf(target.read(part, signal), made.bytes)))
      throw new TargetProblem(
        "What was read back is not what was written. The medium is damaged, or smaller than it says: use another.",
      );
    await target.rename(part, name.file, signal);
  } catch (error) {
    await target.remove(part, signal).catch(() => {});
    throw error;
  } finally {
    await made.close();
  }
  const after = await target.list(signal, mark === undefined);
  if (mark !== undefined && !hasMark(after, mark)) {
    await target.remove(name.file, signal).catch(() => {});
    throw notMarked();
  }
  const isThere = after.some((file) => file.name === name.file && file.bytes === made.bytes);
  if (!isThere)
    throw new TargetProblem(
      "The backup was written, and is not there. Check what else uses this place.",
    );
  const own = after.flatMap(({ name: file, bytes }): (BackupName & GoodBackup)[] => {
    const read = readBackupName(file);
    return read?.id === name.id ? [{ ...read, bytes }] : [];
  });
  const gone = new Set<string>();
  for (const { file } of notKept(own, zone, name.at)) {
    await target.remove(file, signal);
    gone.add(file);
  }
  const files = own
    .filter(({ file }) => !gone.has(file))
    .sort((a, b) => b.at - a.at)
    .slice(0, MOST_TOLD)
    .map(({ file, at, bytes }): GoodBackup => ({ file, at, bytes }));
  return { kind: "good", good: { file: name.file, at: name.at, bytes: made.bytes }, files, mark };
}
