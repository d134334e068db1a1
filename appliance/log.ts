import pino, { type Logger } from "pino";

export type Log = Logger;

/**
 * A line for each thing the owner might want to know, for people and for the journal:
 * `warn: Little space is left {"free":1024}`. Never a token, an address or a visitor's value.
 */
export function createLog(write: (line: string) => void): Log {
  return pino({ base: null, timestamp: false }, { write: (json) => write(plainLine(json)) });
}

export function silentLog(): Log {
  return pino({ level: "silent" });
}

function plainLine(json: string): string {
  const { level, msg, ...details } = JSON.parse(json) as { level: number; msg?: string };
  const name = pino.levels.labels[level] ?? "info";
  const more = Object.keys(details).length === 0 ? "" : ` ${JSON.stringify(details)}`;
  return `${name}: ${msg ?? ""}${more}`;
}
