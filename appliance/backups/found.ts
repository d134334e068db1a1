import { readBackupName } from "./names.ts";
import type { BackupTarget } from "./targets/target.ts";
import type { FoundBackup } from "./view.ts";

/**
 * The newest backup of another machine at a target, for one that becomes that machine again; undefined without one.
 * @param id of this machine
 * @throws {TargetProblem}
 */
export async function newestOfOthers(
  target: BackupTarget,
  id: string,
  signal: AbortSignal,
): Promise<FoundBackup | undefined> {
  const found = (await target.list(signal)).flatMap(({ name, bytes }): FoundBackup[] => {
    const read = readBackupName(name);
    if (read === undefined || read.id === id || bytes === 0) return [];
    const { file, at, machine } = read;
    return [{ file, at, machine, bytes }];
  });
  return found.sort((a, b) => b.at - a.at)[0];
}
