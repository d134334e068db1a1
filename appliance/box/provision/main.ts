/** Root's part of the owner's settings, which systemd starts with a verb. The units say when it runs, and which files it may change. */

import { appendFileSync } from "node:fs";
import { entryOf } from "../../base/input/json.ts";
import { askProgram, runProgram } from "../../base/system/program.ts";
import { changeTunnel } from "./asked-tunnel.ts";
import { keptSettings, mountedBelow, provisionBox } from "./box.ts";
import { jumpersOn } from "./jumpers/pins.ts";
import { changeMachine, noteMachine } from "./machine.ts";
import { answerReset, eraseData, type ResetBox } from "./reset.ts";
import { reportWifi } from "./wifi-report.ts";

const ROOT = "/";
const SCREEN = "/dev/tty1";

const VERBS: Readonly<Record<string, () => void>> = {
  /** Runs at every start of the machine, before the network: tallydeck-provision.service. */
  boot() {
    try {
      provisionBox({ root: ROOT, jumpersOn: () => jumpersOn(ROOT, askProgram) });
      noteMachine(ROOT, keptSettings(ROOT));
    } catch (error) {
      // The box still starts, with its earlier settings.
      console.error(`The settings could not be applied: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  },
  /** Runs when the owner changes the machine's own settings: tallydeck-machine.service. */
  machine: () => changeMachine({ root: ROOT, run: runProgram }),
  /** Runs when the owner changes the tunnel: tallydeck-tunnel.service. */
  tunnel: () => changeTunnel({ root: ROOT }),
  /** Runs when something came of the Wi-Fi: tallydeck-wifi-report.service. */
  "report-wifi": () => reportWifi({ root: ROOT }),
  /** Answers a wish for a reset: tallydeck-reset.service. */
  reset: () => answerReset(resetBox()),
  /** Runs at a start after one was decided: tallydeck-erase.service. */
  erase: () => eraseData(resetBox()),
};

function resetBox(): ResetBox {
  return { root: ROOT, run: runProgram, isMounted: mountedBelow(ROOT), say };
}

function say(line: string): void {
  console.error(line);
  try {
    appendFileSync(SCREEN, `\r\n${line}\r\n`);
  } catch {
    // A box without a screen needs none.
  }
}

const [verb = ""] = process.argv.slice(2);
const work = entryOf(VERBS, verb);
if (work === undefined) {
  console.error(`Say what to do: ${Object.keys(VERBS).sort().join(", ")}.`);
  process.exitCode = 2;
} else work();
