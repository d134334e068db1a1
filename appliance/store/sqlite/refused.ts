import { Refusal } from "../../base/refusal.ts";
import type { Flaw } from "../engine.ts";

/** A placeholder for the file's name in sentences. */
export const FILE = "{file}";

/** A problem of a database, or of its place. */
export interface DatabaseProblem {
  readonly file: string;
  /** A sentence or two, with FILE where its name belongs. */
  readonly says: string;
  /** The flaw of the file; undefined when it is not the file that is wrong. */
  readonly flaw?: Flaw | undefined;
  /** Whether restoring a backup repairs it. */
  readonly needsBackup?: boolean;
}

/** A database that this version cannot use; the message says what to do. */
export class DatabaseRefused extends Refusal {
  readonly about: DatabaseProblem;

  constructor(about: DatabaseProblem, backupAdvice = OWN_BACKUP) {
    const problem = about.says.replaceAll(FILE, () => about.file);
    super("invalid_backup", about.needsBackup ? `${problem} ${backupAdvice}` : problem, {
      problem,
    });
    this.about = about;
  }

  get flaw(): Flaw | undefined {
    return this.about.flaw;
  }

  /** The same error under the name by which people know the file. */
  named(file: string, backupAdvice?: string): DatabaseRefused {
    return new DatabaseRefused({ ...this.about, file }, backupAdvice);
  }
}

/** The advice that mends the box's own data. */
const OWN_BACKUP = "Restore a backup with `tallydeck restore FILE`.";
