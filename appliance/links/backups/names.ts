/** A backup of ours, as its file says it. */
export interface BackupName {
  readonly file: string;
  /** The time that it was made, in epoch milliseconds; whole seconds. */
  readonly at: number;
  /** The name of its machine in the network, like `kitchen`. */
  readonly machine: string;
  /** The id of that machine: eight digits, hexadecimal. */
  readonly id: string;
}

/** Ends the name of a file that is not whole yet. */
export const PART_END = ".part";
/** Ends that of a file by which a folder is known again. */
export const MARK_END = ".mark";
const FORM =
  /^tallydeck-(\d{4}-\d{2}-\d{2})-(\d{2})(\d{2})(\d{2})Z-([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)-([0-9a-f]{8})\.db$/;

/**
 * The name of a backup's file: names sort by the time, and no file system has to tell upper from lower case.
 * @param machine a name of the network; what is no part of one is left out
 * @param id eight digits, hexadecimal
 */
export function backupName(at: number, machine: string, id: string): BackupName {
  const [day = "", time = ""] = new Date(at).toISOString().slice(0, 19).split("T");
  const label =
    machine
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, "-")
      .slice(0, 63)
      .replaceAll(/^-+|-+$/g, "") || "tallydeck";
  const file = `tallydeck-${day}-${time.replaceAll(":", "")}Z-${label}-${id}.db`;
  return { file, at: at - (((at % 1_000) + 1_000) % 1_000), machine: label, id };
}

/** The parts of the name of a file; undefined where it is no backup of ours. */
export function readBackupName(file: string): BackupName | undefined {
  const [, day, hour, minute, second, machine = "", id = ""] = FORM.exec(file) ?? [];
  if (day === undefined) return undefined;
  const text = `${day}T${hour}:${minute}:${second}.000Z`;
  const at = Date.parse(text);
  // A day like the 31st of February is none of ours.
  if (Number.isNaN(at) || new Date(at).toISOString() !== text) return undefined;
  return { file, at, machine, id };
}

/** Whether a file is called like a backup of this machine, with such an end. */
export function isNamedBy(file: string, id: string, end: string): boolean {
  return file.endsWith(end) && readBackupName(file.slice(0, -end.length))?.id === id;
}
