import { fileURLToPath } from "node:url";
import type { Weight } from "./shapes.ts";

/** The package of each family; its licence stands at the top. */
const FAMILIES = {
  "ibm-plex-sans-condensed": import.meta.resolve("@fontsource/ibm-plex-sans-condensed/LICENSE"),
  "noto-sans": import.meta.resolve("@fontsource/noto-sans/LICENSE"),
  "noto-sans-symbols-2": import.meta.resolve("@fontsource/noto-sans-symbols-2/LICENSE"),
} as const;
type Family = keyof typeof FAMILIES;

const PLEX: Family = "ibm-plex-sans-condensed";
const NOTO: Family = "noto-sans";

const WEIGHTS: Readonly<Record<Weight, number>> = { strong: 600, plain: 500 };

/** Letters in further files of the key font, and letters of the second font. */
const MORE_LETTERS = [
  [PLEX, "latin-ext"],
  [PLEX, "vietnamese"],
  [NOTO, "cyrillic"],
  [NOTO, "cyrillic-ext"],
  [NOTO, "greek"],
  [NOTO, "greek-ext"],
  [NOTO, "latin-ext"],
] as const;

/** IBM Plex Sans Condensed: narrow, digits of one width, and no two characters look alike. */
export const KEY_FONT: Readonly<Record<Weight, string>> = {
  strong: fontFile(PLEX, "latin", WEIGHTS.strong),
  plain: fontFile(PLEX, "latin", WEIGHTS.plain),
};

/**
 * Fonts in turn for characters that the key font lacks. Signs have only one weight.
 */
export const MORE_FONTS: Readonly<Record<Weight, readonly string[]>> = {
  strong: moreFonts("strong"),
  plain: moreFonts("plain"),
};

/** Signs no font has, made of one that the key font has: turned clockwise, in quarters. */
export const TURNED: ReadonlyMap<string, { sign: string; quarters: number }> = new Map([
  ["→", { sign: "↑", quarters: 1 }],
  ["←", { sign: "↑", quarters: 3 }],
]);

const KEY_FONT_HAS = /^[\x20-\xff…–↑↓→←\u200b]*$/;

/** Whether the key font alone draws this text. */
export function isPlain(text: string): boolean {
  return KEY_FONT_HAS.test(text);
}

function moreFonts(weight: Weight): string[] {
  return [
    ...MORE_LETTERS.map(([family, subset]) => fontFile(family, subset, WEIGHTS[weight])),
    fontFile("noto-sans-symbols-2", "symbols", 400),
  ];
}

function fontFile(family: Family, subset: string, weight: number): string {
  const file = `files/${family}-${subset}-${weight}-normal.woff`;
  return fileURLToPath(new URL(file, FAMILIES[family]));
}
