import { outcomeText } from "../text/update-outcome.ts";
import { otherSlot } from "./release.ts";
import type { UpdaterState } from "./updater-state.ts";

/** Begins the part of SETUP-RESULT.txt about the system itself, which is the last one. */
const HEADING = "The system on this card:";

/** The part of a report about the system; empty where it has none. */
export function systemPartOf(report: string): string {
  return report.slice(endOfSettings(report));
}

export function withSystemPart(report: string, system: string): string {
  return report.slice(0, endOfSettings(report)) + system;
}

function endOfSettings(report: string): number {
  const at = report.search(`\r?\n${HEADING}`);
  return at < 0 ? report.length : at;
}

/**
 * The part about the system for a person who puts the card into a reader, above all about starting the other system.
 * Lines end in CRLF, for old versions of Windows' Notepad.
 */
export function systemPart({
  running,
  other,
  last,
}: Pick<UpdaterState, "running" | "other" | "last">): string {
  const { slot, version } = running;
  const another = otherSlot(slot);
  return [
    "",
    HEADING,
    `  ${version} runs, from ${slot}/.`,
    ...(other === undefined
      ? []
      : [
          `  ${other.version} is in ${another}/. To start that instead, change os_prefix=${slot}/ to os_prefix=${another}/ in`,
          "  config.txt, on any computer.",
        ]),
    ...(last === undefined ? [] : [`  ${dayOf(last)}: ${outcomeText(last, version)}`]),
    "",
  ].join("\r\n");
}

function dayOf({ at }: NonNullable<UpdaterState["last"]>): string {
  return new Date(at * 1_000).toISOString().slice(0, 10);
}
