import { join } from "node:path";
import { overwriteFile } from "../base/fat-files.ts";
import { textOf } from "../base/files.ts";
import { systemPart, systemPartOf, withSystemPart } from "../release/system-report.ts";
import { BOOT, type Box } from "./box.ts";
import { whileWritable } from "./fat.ts";
import { toldOf } from "./tell.ts";

const REPORT = "SETUP-RESULT.txt";

/**
 * Says in the report on the card what runs, and how to start the other system from any computer. Once a
 * change, and of what config.txt starts only: nothing is written in a trial or on a visit.
 */
export async function reportOnCard(box: Box): Promise<void> {
  const told = toldOf(box);
  if (told?.mode !== "normal") return;
  const path = join(box.root, BOOT, REPORT);
  const [report, system] = [textOf(path) ?? "", systemPart(told)];
  if (systemPartOf(report) === system) return;
  try {
    await whileWritable(box, () => overwriteFile(path, withSystemPart(report, system)));
  } catch (error) {
    // The box runs as well without.
    box.warn(`${REPORT} could not be written: ${(error as Error).message}`);
  }
}
