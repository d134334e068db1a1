import pino, { type Logger } from "pino";

export type Log = Logger;

/** A thing that went wrong, without its details. */
export interface LoggedProblem {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
}

const RECENT = 50;
const WARN = pino.levels.values.warn ?? 40;

/** The last warnings and errors, for a diagnosis. */
export class RecentProblems {
  readonly #now: () => number;
  readonly #problems: LoggedProblem[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(level: string, message: string): void {
    this.#problems.push({ at: this.#now(), level, message });
    if (this.#problems.length > RECENT) this.#problems.shift();
  }

  /** Oldest first. */
  list(): readonly LoggedProblem[] {
    return [...this.#problems];
  }
}

/**
 * A line for each thing the owner might want to know, for people and for the journal:
 * `warn: Little space is left {"free":1024}`. Never a token, an address or a visitor's value.
 */
export function createLog(write: (line: string) => void, recent = new RecentProblems()): Log {
  return pino({ base: null, timestamp: false }, { write: (json) => write(keep(json, recent)) });
}

export function silentLog(): Log {
  return pino({ level: "silent" });
}

function keep(json: string, recent: RecentProblems): string {
  const { level, msg = "", ...details } = JSON.parse(json) as { level: number; msg?: string };
  const name = pino.levels.labels[level] ?? "info";
  if (level >= WARN) recent.add(name, msg);
  const more = Object.keys(details).length === 0 ? "" : ` ${JSON.stringify(details)}`;
  return `${name}: ${msg}${more}`;
}
