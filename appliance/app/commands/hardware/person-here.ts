import { createInterface } from "node:readline";
import { Signal } from "../../../base/signal.ts";
import type { Person } from "../../../deck/hardware/person.ts";
import { CommandFailed, type Terminal } from "../command.ts";

/** The person at this terminal. @throws {CommandFailed} where there is none */
export function personHere({ out, onStop }: Terminal): { readonly person: Person; close(): void } {
  if (!process.stdin.isTTY)
    throw new CommandFailed("It asks you to press keys and to answer. Run it in a terminal.");
  const [typed, stopped] = [new Signal<string>(), new Signal()];
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => typed.emit(line));
  // The end of the input is one as well.
  lines.on("close", () => stopped.emit());
  const stop = () => stopped.emit();
  const forget = onStop(stop);
  // The terminal was closed.
  process.once("SIGHUP", stop);
  return {
    person: { say: out, typed, stopped },
    close() {
      forget();
      process.off("SIGHUP", stop);
      lines.close();
    },
  };
}
