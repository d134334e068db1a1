/**
 * Root's part of updates, which systemd starts with a verb. The units say when it runs, and which files it may change.
 * They have little memory, so each verb loads only the modules it needs.
 */

import { setTimeout } from "node:timers/promises";
import { entryOf } from "../../base/input/json.ts";
import { thisBox } from "./box.ts";

const VERBS: Readonly<Record<string, (device: string) => Promise<void> | void>> = {
  /** Runs at every start of the machine: tallydeck-update-start.service. */
  async boot() {
    const { boot } = await import("./boot.ts");
    const { reportOnCard } = await import("./card-report.ts");
    const box = thisBox();
    if (await boot(box)) await reportOnCard(box);
  },
  /** Serves requests of the service: tallydeck-update.service. */
  async requests() {
    const { answerRequests } = await import("./requests.ts");
    await answerRequests(thisBox());
  },
  /** Reads a new USB stick, given its name below /dev: tallydeck-stick@.service. */
  async stick(device) {
    const { answerStick } = await import("./requests.ts");
    await answerStick(thisBox(), device);
  },
  /** Runs while a release is being tried: tallydeck-trial.service. */
  async trial() {
    const { runTrial } = await import("./trial.ts");
    await runTrial(thisBox(), { ...(await watch()), sleep: (ms) => setTimeout(ms) });
  },
  /** Runs before a box is armed: tallydeck-facts.service. */
  async "note-facts"() {
    const { noteFacts, thisMachine } = await import("./facts.ts");
    await noteFacts(thisMachine());
  },
  /** Runs in the minutes after a start: tallydeck-start-check.service. */
  async "check-start"() {
    const { checkStart } = await import("./retreat.ts");
    await checkStart(thisBox(), await watch());
  },
  /** Runs each day: tallydeck-slot-check.service. */
  async "check-slot"() {
    const { checkSlot } = await import("./slot.ts");
    await checkSlot(thisBox());
  },
  /** Runs before the service, where a copy of its data waits: tallydeck-data-back.service. */
  async "settle-copy"() {
    const { settleCopy } = await import("./data-copy.ts");
    settleCopy(thisBox());
  },
};

async function watch() {
  const { readFacts, thisMachine } = await import("./facts.ts");
  const machine = thisMachine();
  return {
    look: () => readFacts(machine),
    uptime: () => Number(process.hrtime.bigint()) / 1e6,
  };
}

const [verb = "", device = ""] = process.argv.slice(2);
const run = entryOf(VERBS, verb);
if (run === undefined) {
  console.error(`Say what to do: ${Object.keys(VERBS).sort().join(", ")}.`);
  process.exitCode = 2;
} else await run(device);
