/** A problem that the box has while it answers. */
export type Warning =
  | "storage_full"
  | "storage_unavailable"
  | "storage_failing"
  | "clock_not_set"
  // Warnings about the public address, which do not affect counts.
  | "certificate_expires"
  | "unreached"
  | "update_failed"
  | "backup_overdue"
  | "place_silent";

/** Warnings as sentences for the owner. */
export const WARNINGS: Readonly<Record<Warning, string>> = {
  storage_full:
    "The machine is almost out of space. Known pages and sources are still counted, new ones go to “(other)”. Free some space, or lower RETENTION_DAYS.",
  storage_unavailable:
    "The machine cannot write to its storage. Counts wait in its memory and are lost if it loses power: check its disk or memory card.",
  storage_failing:
    "The memory card or disk of the machine reports errors, and may lose what is on it. Make a backup now, then put the machine onto another one. The Web UI says more, under “Machine”.",
  clock_not_set:
    "The clock of the machine is not set. Counts are kept and will be filed under their right day once its clock is set.",
  certificate_expires:
    "The certificate of the public address ends soon, and the machine could not renew it. The Web UI says why, under “Machine”.",
  unreached:
    "Visitors do not reach the machine by its public address, so pages on https:// are not counted. The Web UI says what to do, under “Machine”.",
  update_failed:
    "An update of the box came to nothing, and it runs the release it ran before. The Web UI says why, under “Machine”.",
  backup_overdue:
    "There was no good backup of the machine for a week. The Web UI says why, under “Machine”.",
  place_silent:
    "Nothing comes from another place that counts, so its numbers are missing here. The Web UI says why, under “Machine”, “Places”.",
};
