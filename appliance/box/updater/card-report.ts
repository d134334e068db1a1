import { join } from "node:path";
import { systemPart, systemPartOf, withSystemPart } from "../../base/release/system-report.ts";
import { overwriteFile } from "../../base/system/fat-files.ts";
import { textOf } from "../../base/system/files.ts";
import { whileWritable } from "./boot-partition.ts";
import { BOOT_FOLDER, type Box } from "./box.ts";
import { readState } from "./state.ts";

const REPORT = "SETUP-RESULT.txt";

/**
 * Writes a report to the card: the running system, and how to start the other one with any computer. It is written
 * once for each change of the system that config.txt starts, and never in a trial or visit.
 */
export async function reportOnCard(box: Box): Promise<void> {
  const state = readState(box);
  if (state?.mode !== "normal") return;
  const path = join(box.root, BOOT_FOLDER, REPORT);
  const [report, system] = [textOf(path) ?? "", systemPart(state)];
  if (systemPartOf(report) === system) return;
  try {
    await whileWritable(box, () => overwriteFile(path, withSystemPart(report, system)));
  } catch (error) {
    // The box runs as well without.
    box.warn(`${REPORT} could not be written: ${(error as Error).message}`);
  }
}
