import type { Sheet } from "./files/input.ts";
import type { Format } from "./format.ts";
import { ga4 } from "./ga4.ts";
import { goatcounterCsv, goatcounterJson } from "./goatcounter.ts";
import { ACCESS_LOG, accessLog, type LogOptions } from "./logs/access-log.ts";
import { matomo } from "./matomo.ts";
import { plausible } from "./plausible.ts";
import { tallydeck } from "./tallydeck.ts";
import { umami } from "./umami.ts";

/** The exports of other tools, and our own. */
const EXPORTS: readonly Format[] = [
  tallydeck,
  plausible,
  goatcounterJson,
  goatcounterCsv,
  umami,
  matomo,
  ga4,
];

/** The names of all formats, for people. */
export const FORMAT_NAMES: readonly string[] = [...EXPORTS.map(({ name }) => name), ACCESS_LOG];

/**
 * The format of files: the first that recognises them.
 * @throws {ImportRefused} where a file only looks like one, with the right way to export
 */
export function formatOf(sheets: readonly Sheet[], logs: LogOptions): Format | undefined {
  return [...EXPORTS, accessLog(logs)].find((format) => format.recognises(sheets));
}
