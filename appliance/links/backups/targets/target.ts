import type { Readable } from "node:stream";

/** A file at a target, of whomever. */
export interface TargetFile {
  readonly name: string;
  readonly bytes: number;
}

/**
 * A place for backups: one folder, of which nothing but the named files is touched. All functions reject with
 * `TargetProblem`, and with it where the signal is aborted.
 */
export interface BackupTarget {
  /**
   * Opens the folder, makes it where it is not there yet, and lists its files.
   * @param isMade false where one that is not there is not made: it has no files
   */
  list(signal: AbortSignal, isMade?: boolean): Promise<TargetFile[]>;
  /** Writes a new file; it is on the medium when this resolves. @param bytes its size */
  write(name: string, content: Readable, bytes: number, signal: AbortSignal): Promise<void>;
  /** Reads a file from the medium, chunk by chunk. */
  read(name: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Gives a file its name, where no other has it. */
  rename(from: string, to: string, signal: AbortSignal): Promise<void>;
  /** Removes a file; one that is not there is no problem. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}

/** The failure of a target; the message is a sentence for people. */
export class TargetProblem extends Error {}

export const MOST_FILES = 10_000;
