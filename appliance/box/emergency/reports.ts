import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { ELGATO_MODELS } from "../../deck/usb/elgato-models.ts";

/** The reports for digits on decks of Elgato, by model: scripts/make-digits records them from the driver. */
export const DIGITS_FILE = new URL("digits.json.br", import.meta.url);

export interface DigitReports {
  /** The place in each report of the byte that names the key. */
  readonly keyAt: number;
  /** That byte of each key, row by row. */
  readonly keys: readonly number[];
  /** The reports for each digit, and for a dark key, in base64. */
  readonly pictures: readonly (readonly string[])[];
}

/** Digits stand in rows of three, which every deck has. */
const DIGITS_A_ROW = 3;
const DARK = 10;

/**
 * The reports by which an Elgato deck shows six digits on its keys, three a row, and darkens the others; undefined for a
 * deck that cannot.
 * @param product the id on USB
 */
export function codeReports(product: number, code: string): Buffer[] | undefined {
  const model = ELGATO_MODELS.find(({ usb }) => usb.some((id) => id.product === product));
  const places = model?.slots.filter(({ kind }) => kind === "key") ?? [];
  const [first] = places;
  if (model === undefined || first === undefined) return undefined;
  const { keyAt, keys, pictures } = digitsOf(model.id);
  return places.flatMap((place, index) => {
    const [column, row] = [place.column - first.column, place.row - first.row];
    const digit = column < DIGITS_A_ROW ? code[row * DIGITS_A_ROW + column] : undefined;
    return (pictures[Number(digit ?? DARK)] ?? []).map((base64) => {
      const report = Buffer.from(base64, "base64");
      report[keyAt] = keys[index] ?? 0;
      return report;
    });
  });
}

function digitsOf(model: string): DigitReports {
  return JSON.parse(brotliDecompressSync(readFileSync(DIGITS_FILE)).toString())[model];
}
