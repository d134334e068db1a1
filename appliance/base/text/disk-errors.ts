/**
 * Errors of the disk of the data. `read` and `write`: of its blocks. `device`: the card or disk itself does not
 * answer. `data`: the file system of the data is damaged. `files`: another one on it, like that of the system.
 */
export const DISK_ERRORS = ["write", "read", "device", "data", "files"] as const;
export type DiskError = (typeof DISK_ERRORS)[number];

/** The errors as sentences for the owner. */
export const DISK_ERROR_WORDS: Readonly<Record<DiskError, string>> = {
  write: "It did not take what was written to it",
  read: "It did not give back what is on it",
  device: "It did not answer in time, or at all",
  data: "The file system with the data found that it is damaged",
  files: "A file system with the system’s own files found that it is damaged",
};
