import { join } from "node:path";
import { systemPartOf } from "../../base/release/system-report.ts";
import { overwriteFile, whileFolderWritable } from "../../base/system/fat-files.ts";
import { textOf } from "../../base/system/files.ts";
import { type Run, runProgram } from "../../base/system/program.ts";

const BOOT = "boot/firmware";
const RESULT = "SETUP-RESULT.txt";
/** A file with a sentence about the Wi-Fi, from tallydeck-wifi.service. */
const SAID = "run/tallydeck-wifi/result";
/** Begins the part of the report about the Wi-Fi, behind the one about files. */
const HEADING = "The Wi-Fi:";

/**
 * Writes on the card what came of the Wi-Fi: whether a password is right shows later than that it is well-formed. The
 * report of changed settings begins without this part.
 */
export function reportWifi({ root, run = runProgram }: { root: string; run?: Run }): void {
  const path = join(root, BOOT, RESULT);
  const report = textOf(path) ?? "";
  const after = withWifiPart(report, (textOf(join(root, SAID)) ?? "").trim());
  if (after === report) return;
  whileFolderWritable(join(root, BOOT), run, () => overwriteFile(path, after));
}

/** Replaces the part about the Wi-Fi. Lines end in CRLF, for old versions of Windows' Notepad. */
function withWifiPart(report: string, sentence: string): string {
  const system = systemPartOf(report);
  const before = report.slice(0, report.length - system.length);
  const at = before.search(new RegExp(`(?:\r?\n)?${HEADING}\r?\n`));
  const settings = at < 0 ? before : before.slice(0, at);
  const part = sentence === "" ? "" : `\r\n${HEADING}\r\n  ${sentence}\r\n`;
  return settings + part + system;
}
