import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { readBackupName } from "./names.ts";
import type { BackupTarget } from "./targets/target.ts";
import type { FoundBackup } from "./view.ts";

/** The most backups of a machine that are offered: its newest may be damaged. */
const MOST_OF_ONE = 3;
const MOST = 24;

/**
 * The newest backups of other machines at a target, the newest first, for one that becomes such a machine again. Those
 * from the future, made while a clock was wrong, come last: they are no newest ones.
 * @param id of this machine
 * @throws {TargetProblem}
 */
export async function backupsOfOthers(
  target: BackupTarget,
  { id, clock, signal }: { id: string; clock: Pick<Clock, "now" | "sure">; signal: AbortSignal },
): Promise<FoundBackup[]> {
  const found = (await target.list(signal)).flatMap(({ name, bytes }): FoundBackup[] => {
    const read = readBackupName(name);
    if (read === undefined || read.id === id || bytes === 0) return [];
    const { file, at, machine } = read;
    return [{ file, at, machine, bytes }];
  });
  const isAhead = ({ at }: FoundBackup) => clock.sure && at > clock.now() + DAY_MS;
  const counts = new Map<string, number>();
  return found
    .sort((a, b) => Number(isAhead(a)) - Number(isAhead(b)) || b.at - a.at)
    .filter(({ file }) => {
      const of = readBackupName(file)?.id ?? "";
      const count = (counts.get(of) ?? 0) + 1;
      counts.set(of, count);
      return count <= MOST_OF_ONE;
    })
    .slice(0, MOST);
}
