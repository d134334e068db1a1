import type { Format } from "./format.ts";
import { goatcounterCsv, goatcounterJson } from "./goatcounter.ts";
import type { Sheet } from "./input.ts";
import { plausible } from "./plausible.ts";
import { tallydeck } from "./tallydeck.ts";
import { umami } from "./umami.ts";

/** All formats; the first that recognises a file reads it. */
export const FORMATS: readonly Format[] = [
  tallydeck,
  plausible,
  goatcounterJson,
  goatcounterCsv,
  umami,
];

/** @throws {ImportRefused} where a file only looks like one, with the right way to export */
export function formatOf(sheets: readonly Sheet[]): Format | undefined {
  return FORMATS.find((format) => format.recognises(sheets));
}
