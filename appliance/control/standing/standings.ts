import type { Clock } from "../../base/clock.ts";
import type { StorageState } from "../../deck/face/notices.ts";
import type { Warning } from "../../store/reports.ts";
import type { WayIn } from "../routes/box/public-address.ts";
import type { UpdateSource } from "../routes/box/update.ts";
import type { BackupWatch } from "./backup-watch.ts";
import type { PlaceWatch } from "./place-watch.ts";
import { publicStanding } from "./public-standing.ts";
import { updatesOnBoard } from "./update-standing.ts";

interface Sources {
  clock: Clock;
  address: WayIn;
  updates: UpdateSource | undefined;
  backupWatch: BackupWatch;
  placeWatch: PlaceWatch;
  warnings: () => readonly Warning[];
}

export function standings({ clock, address, updates, backupWatch, placeWatch, warnings }: Sources) {
  return {
    storage: () => storageState(warnings()),
    publicAddress: publicStanding(address),
    updates: updates && updatesOnBoard(updates, clock),
    backups: backupWatch,
    places: placeWatch,
  };
}

function storageState(warnings: readonly Warning[]): StorageState | undefined {
  if (warnings.includes("storage_unavailable")) return "stuck";
  if (warnings.includes("storage_failing")) return "failing";
  return warnings.includes("storage_full") ? "full" : undefined;
}
