import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../base/refusal.ts";
import { connect, isSqliteError } from "./database.ts";
import { DatabaseRefused, FILE } from "./refused.ts";

const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;
/** Marks folders that many users share, like /tmp. */
const STICKY = 0o1000;
const LOCK = "service.lock";
const WHEREABOUTS = "service.json";
/** A look at the lock holds it for less than a moment. */
const LOOK_MS = 250;
/** Our files in a data folder. A folder that has one of them is ours. */
const OUR_FILES = /^(?:tallydeck\.db|service\.(?:lock|json))/;

/**
 * Makes a data folder where there is none; one that is ours already is closed to other users.
 * @throws {DatabaseRefused} with a sentence for the owner
 */
export function makeDataDir(dataDir: string): void {
  if (existsSync(dataDir)) tighten(dataDir);
  else makeFolder(dataDir);
}

/** Earlier versions left this to the umask. A folder that others use, too, stays as it is. */
function tighten(dataDir: string): void {
  try {
    const ours = readdirSync(dataDir).filter((name) => OUR_FILES.test(name));
    if (ours.length === 0) return;
    restrict(realpathSync(dataDir), OWN_FOLDER);
    for (const name of ours) restrict(join(dataDir, name), OWN_FILE);
  } catch {
    // The next step reports missing permissions in a better sentence.
  }
}

/** Opens no file: SQLite's locks of this process on it would end with that. */
function restrict(path: string, mode: number): void {
  const found = lstatSync(path);
  const isOurs = found.uid === process.geteuid?.() && !found.isSymbolicLink();
  const isShared = (found.mode & STICKY) !== 0;
  if (isOurs && !isShared && (found.mode & 0o777) !== mode) chmodSync(path, mode);
}

function makeFolder(dataDir: string): void {
  if (existsSync(dataDir)) return;
  // Folders are made one by one: with `recursive`, Node hangs below /proc.
  makeFolder(dirname(dataDir));
  try {
    mkdirSync(dataDir, { mode: OWN_FOLDER });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseRefused({
      file: dataDir,
      says: `The folder ${FILE} cannot be made (${code}). Name another with --data-dir.`,
    });
  }
}

/**
 * Claims a data folder for one process. SQLite's lock on an empty database serves, for the kernel
 * releases it however the process ends.
 * @returns a function that gives it back
 * @throws {Refusal} `data_in_use`, and DatabaseRefused
 */
export function lockDataDir(dataDir: string): () => void {
  const db = connect(join(dataDir, LOCK), { timeout: LOOK_MS });
  try {
    // The journal is in memory: a full disk must not prevent the lock.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (isSqliteError(error, "SQLITE_BUSY"))
      throw new Refusal(
        "data_in_use",
        `A Tallydeck service is running on ${dataDir}. Stop it first, or name another folder with --data-dir.`,
      );
    throw error;
  }
  forgetWhereabouts(dataDir);
  return () => db.close();
}

/** The file where the process that has claimed the data folder may write down how it is reached. */
export function runtimeInfoFile(dataDir: string): string {
  return join(dataDir, WHEREABOUTS);
}

/** A process that was killed has left its whereabouts, which would be taken for the next one's. */
function forgetWhereabouts(dataDir: string): void {
  try {
    rmSync(runtimeInfoFile(dataDir), { force: true });
  } catch {
    // A disk that is read-only: the claim counts more.
  }
}

/** Whether a process has claimed the data folder. */
export function isClaimed(dataDir: string): boolean {
  const file = join(dataDir, LOCK);
  if (!existsSync(file)) return false;
  const db = connect(file, { readonly: true, timeout: 0 });
  try {
    db.pragma("schema_version");
    return false;
  } catch (error) {
    if (isSqliteError(error, "SQLITE_BUSY")) return true;
    throw error;
  } finally {
    db.close();
  }
}
