import { stripVTControlCharacters } from "node:util";
import { FIELD_LIMITS } from "../../base/input/deck-fields.ts";
import { DRAWABLE } from "./drawable.ts";

interface CleanText {
  /** The text, of characters of the key font and `\n`; at most 256 code points. */
  text: string;
  /** The number of characters that became `?`, since the font lacks them. */
  replaced: number;
  /** Whether anything was cut after the 256th character. */
  truncated: boolean;
}

// Carries no ink and takes no room: controls, zero-width and direction marks, variation selectors.
const INVISIBLE = /^[\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;
const SPACE = /^[\t\p{Zs}]$/u;
const LINE_BREAK = /\r\n?|[\u2028\u2029]/gu;

const FOLDS: readonly (readonly [characters: string, plain: string])[] = [
  ["‘’‚‛′", "'"],
  ["“”„‟″", '"'],
  ["\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"],
  ["•", "·"],
  ["€", "EUR"],
  ["™", "TM"],
];

const FOLDED = new Map(
  FOLDS.flatMap(([characters, plain]) => [...characters].map((one) => [one, plain] as const)),
);

const DRAWN = new RegExp(
  `^[${DRAWABLE.replace(/[0-9a-f]+/g, "\\u{$&}").replaceAll(" ", "")}]$`,
  "u",
);

/**
 * Whether a key can draw it: letters and signs of Latin, Greek and Cyrillic, arrows, ticks and the
 * like; nothing that has a plain form, which reads the same and is drawn in one font.
 */
export function isDrawable(character: string): boolean {
  return DRAWN.test(character) && !FOLDED.has(character);
}

/** Reduces a text to characters that a key can show, and reports the losses. */
export function cleanText(raw: string): CleanText {
  /** The characters, undefined for one that the font lacks. */
  const characters: (string | undefined)[] = [];
  const shown = stripVTControlCharacters(raw.normalize("NFC"));
  for (const character of shown.replace(LINE_BREAK, "\n")) {
    const plain = fold(character);
    if (plain === undefined) characters.push(plain);
    else characters.push(...plain);
  }
  const kept = characters.slice(0, FIELD_LIMITS.text);
  return {
    text: kept.map((one) => one ?? "?").join(""),
    replaced: kept.filter((one) => one === undefined).length,
    truncated: characters.length > FIELD_LIMITS.text,
  };
}

/** The drawable form of one character: empty when it carries nothing, undefined when there is none. */
function fold(character: string): string | undefined {
  if (character === "\n" || isDrawable(character)) return character;
  if (SPACE.test(character)) return " ";
  if (INVISIBLE.test(character)) return "";
  return FOLDED.get(character) ?? compatible(character);
}

/** The letters and digits that a sign stands for, where keys can draw these: `CO₂`, `℃`, `ﬁ`. */
function compatible(character: string): string | undefined {
  const plain = [...character.normalize("NFKC")].map((one) =>
    SPACE.test(one) ? " " : (FOLDED.get(one) ?? one),
  );
  const isDrawn = plain.join("") !== character && [...plain.join("")].every(isShown);
  return isDrawn ? plain.join("") : undefined;
}

const isShown = (character: string) => character === " " || isDrawable(character);
