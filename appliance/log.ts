import pino, { type Logger } from "pino";
import pretty from "pino-pretty";

export type Log = Logger;

/** Plain lines for people and for the journal; never a token, an address or a visitor's value. */
export function createLog(destination: NodeJS.WritableStream = process.stderr): Log {
  return pino(
    { base: null },
    pretty({
      destination,
      colorize: false,
      ignore: "time",
      singleLine: true,
    }),
  );
}

export function silentLog(): Log {
  return pino({ level: "silent" });
}
