import { readFileSync } from "node:fs";
import { KEY_FONT, MORE_FONTS, TURNED } from "../../appliance/deck/face/fonts.ts";
import { codePointsOf } from "./cmap.ts";

const HEADER = [
  "/**",
  " * The characters that the fonts of the keys have, as ranges of hexadecimal code points. Made by",
  " * scripts/make-drawable; do not edit.",
  " */",
  "export const DRAWABLE =",
];

/** Pictures, private use and writing of which the fonts have pieces only. */
const BEYOND = 0x2c00;
const LATIN_D = { first: 0xa720, last: 0xa7ff };
/** A character that stands on its own; marks are not joined with their letters on keys. */
const SIGN = /^[ \p{L}\p{N}\p{P}\p{S}]$/u;
/** Fractions are made of the first two: they reach over their neighbours. The others are blank, too high and too wide. */
const UNFIT = new Set("⁄∕\u2800Ǚῒ");
const COLORFUL = /^[\p{Emoji_Presentation}\p{Default_Ignorable_Code_Point}]$/u;
const LINE = 90;

function isMeant(code: number): boolean {
  const character = String.fromCodePoint(code);
  const isNear = code < BEYOND || (code >= LATIN_D.first && code <= LATIN_D.last);
  return isNear && SIGN.test(character) && !COLORFUL.test(character) && !UNFIT.has(character);
}

/** The code points that both weights can draw, ascending. */
function drawable(): number[] {
  const [strong, plain] = (["strong", "plain"] as const).map(
    (weight) =>
      new Set(
        [KEY_FONT[weight], ...MORE_FONTS[weight]].flatMap((file) => [
          ...codePointsOf(readFileSync(file)),
        ]),
      ),
  );
  const turned = [...TURNED.keys()].flatMap((sign) => sign.codePointAt(0) ?? []);
  return [...(strong ?? []), ...turned]
    .filter((code) => (plain?.has(code) || turned.includes(code)) && isMeant(code))
    .sort((a, b) => a - b);
}

function rangesOf(codes: readonly number[]): string[] {
  const ranges: { first: number; last: number }[] = [];
  for (const code of codes) {
    const open = ranges.at(-1);
    if (open?.last === code - 1) open.last = code;
    else ranges.push({ first: code, last: code });
  }
  return ranges.map(({ first, last }) =>
    first === last ? first.toString(16) : `${first.toString(16)}-${last.toString(16)}`,
  );
}

function linesOf(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length + 1 > LINE) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

const lines = linesOf(rangesOf(drawable())).map((line, i) => `  "${i === 0 ? "" : " "}${line}"`);
process.stdout.write(`${[...HEADER, lines.join(" +\n")].join("\n")};\n`);
