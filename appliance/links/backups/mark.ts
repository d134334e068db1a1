import { Readable } from "node:stream";
import { type BackupName, isNamedBy, MARK_END, readBackupName } from "./names.ts";
import type { FolderMark, TargetRecord } from "./record.ts";
import { type BackupTarget, type TargetFile, TargetProblem } from "./targets/target.ts";

/** A folder where a disk should be mounted, and what is known of its last backup. */
export interface MarkedFolder {
  readonly path: string;
  readonly last: TargetRecord | undefined;
}

/** An owner's file: this folder takes the place of the one before. */
const BY_HAND = "tallydeck.mark";

/**
 * Opens a folder that has our mark, and marks one without a backup before. Where its disk is not mounted, what is beneath
 * has no mark: a backup there would fill the system's own disk, and hide that there is none on the other.
 * @param name of the backup that is to be made
 * @throws {TargetProblem} also for another folder than that of the last backup; then it is as it was
 */
export async function openMarked(
  target: BackupTarget,
  { path, last }: MarkedFolder,
  name: BackupName,
  signal: AbortSignal,
): Promise<{ files: TargetFile[]; mark: FolderMark }> {
  const known = isOfFolder(last, path) ? last : undefined;
  const { good, mark } = known ?? { good: null };
  const files = await target.list(signal, good === null);
  if (mark !== undefined && hasMark(files, mark)) return { files, mark };
  const isRight = (file: TargetFile) =>
    file.name === BY_HAND ||
    (mark === undefined
      ? // A release before marks may have made these.
        readBackupName(file.name)?.id === name.id && file.bytes > 0
      : file.name === good?.file && file.bytes === good.bytes);
  if (good !== null && !files.some(isRight)) throw notMarked();
  const made: FolderMark = { folder: path, file: name.file + MARK_END };
  if (!hasMark(files, made)) await target.write(made.file, Readable.from([]), 0, signal);
  for (const { name: file } of files)
    if (file === BY_HAND || (isNamedBy(file, name.id, MARK_END) && file !== made.file))
      await target.remove(file, signal);
  return { files, mark: made };
}

export function hasMark(files: readonly TargetFile[], { file }: FolderMark): boolean {
  return files.some(({ name }) => name === file);
}

/** Whether a record tells of this folder, as one from before marks may. */
export function isOfFolder(
  record: TargetRecord | undefined,
  path: string | undefined,
): record is TargetRecord {
  return record !== undefined && (record.mark === undefined || record.mark.folder === path);
}

export function notMarked(): TargetProblem {
  return new TargetProblem(
    `The folder is not the one of the last backup: is its disk mounted? If it is another one on purpose, make an empty file ${BY_HAND} in it.`,
  );
}
