type Level = "info" | "warn" | "error";
type Details = Readonly<Record<string, unknown>>;

/** Logs a sentence, with or without details: values by name, or an error with its stack. */
type Say = {
  (message: string): void;
  (details: Details, message: string): void;
};

export type Log = Readonly<Record<Level, Say>>;

/** A thing that went wrong, without its details. */
interface LoggedProblem {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: Level;
  readonly message: string;
}

const RECENT = 50;

/** The last warnings and errors, for a diagnosis. */
export class RecentProblems {
  readonly #now: () => number;
  readonly #problems: LoggedProblem[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(level: Level, message: string): void {
    this.#problems.push({ at: this.#now(), level, message });
    if (this.#problems.length > RECENT) this.#problems.shift();
  }

  /** Oldest first. */
  list(): readonly LoggedProblem[] {
    return [...this.#problems];
  }
}

/**
 * A log with one line for each event that an owner may want to know, for people and for the journal:
 * `warn: Little space is left {"free":1024}`. It must have no token, address or value of a visitor.
 */
export function createLog(write: (line: string) => void, recent = new RecentProblems()): Log {
  const sayer =
    (level: Level): Say =>
    (first: string | Details, second?: string) => {
      const message = typeof first === "string" ? first : (second ?? "");
      const details = typeof first === "string" ? {} : first;
      if (level !== "info") recent.add(level, message);
      const more = Object.keys(details).length === 0 ? "" : ` ${JSON.stringify(details, readable)}`;
      write(`${level}: ${message}${more}`);
    };
  return { info: sayer("info"), warn: sayer("warn"), error: sayer("error") };
}

export function silentLog(): Log {
  return createLog(() => {});
}

/** JSON makes nothing of an error. */
function readable(_name: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}
