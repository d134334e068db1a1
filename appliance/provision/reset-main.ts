/** Root's part of a reset, which systemd starts with a verb: see tallydeck-reset.service and tallydeck-erase.service. */
import { appendFileSync } from "node:fs";
import { runProgram } from "../system/program.ts";
import { mountedBelow } from "./box.ts";
import { answerReset, eraseData, type ResetBox } from "./reset.ts";

const SCREEN = "/dev/tty1";

function say(line: string): void {
  console.error(line);
  try {
    appendFileSync(SCREEN, `\r\n${line}\r\n`);
  } catch {
    // A box without a screen needs none.
  }
}

const VERBS: Readonly<Record<string, (parts: ResetBox) => void>> = {
  answer: answerReset,
  erase: eraseData,
};

const [verb = ""] = process.argv.slice(2);
const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
if (work === undefined) {
  console.error(`Say what to do: ${Object.keys(VERBS).sort().join(", ")}.`);
  process.exitCode = 2;
} else work({ root: "/", run: runProgram, isMounted: mountedBelow("/"), say });
