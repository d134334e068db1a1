/** A place where a line may break without a space; it draws nothing. */
export const SOFT_BREAK = "\u200b";

export interface TextBox {
  width: number;
  height: number;
}

/** A font's proportions, in em. */
export interface Metrics {
  /** Width of a text at size 1. */
  width: (text: string) => number;
  capHeight: number;
  /**
   * The height of accents above the capitals, or descenders below the base line.
   */
  overhang: number;
  lineHeight: number;
}

/** Lines to draw and the size to draw them at, in pixels. */
interface FittedText {
  size: number;
  lines: string[];
}

export const MAX_LINES = 4;
const ELLIPSIS = "…";
const INVISIBLE_END = /[\s\u200b]+$/;

/**
 * Fits a text into a box in the largest possible size: first with whole words, then with broken ones, and at the smallest
 * size with an ellipsis.
 * @param min and `max` are the bounds of the size, in whole pixels
 */
export function fitText(
  text: string,
  box: TextBox,
  { min, max }: { min: number; max: number },
  metrics: Metrics,
): FittedText {
  const visible = text.replace(INVISIBLE_END, "");
  if (visible === "") return { size: max, lines: [] };
  const paragraphs = visible.split("\n").map(wordsOf);
  const wrapAt = (size: number) => wrap(paragraphs, box.width / size, metrics);
  const fits = (size: number, { lines }: Wrapped) => lines.length <= linesIn(box, size, metrics);

  // A word wider than the box would be broken, so larger sizes are skipped. One is added for rounding.
  const widest = Math.max(...paragraphs.flat().map((word) => metrics.width(word.trimStart())));
  for (let size = Math.min(max, Math.floor(box.width / widest) + 1); size >= min; size--) {
    const wrapped = wrapAt(size);
    if (!wrapped.broken && fits(size, wrapped)) return { size, lines: balance(size) };
  }

  const smallest = wrapAt(min);
  if (!fits(min, smallest)) {
    return { size: min, lines: cut(smallest.lines, linesIn(box, min, metrics)) };
  }
  // The text keeps the fewest breaks: pieces of words are harder to read than small words.
  let size = min;
  while (size < max) {
    const larger = wrapAt(size + 1);
    if (larger.lines.length > smallest.lines.length || !fits(size + 1, larger)) break;
    size += 1;
  }
  return { size, lines: wrapAt(size).lines };

  /** Lines of like length: narrows the column as long as that costs no line. */
  function balance(atSize: number): string[] {
    let { lines } = wrapAt(atSize);
    for (;;) {
      const widest = Math.max(...lines.map(metrics.width));
      const narrower = wrap(paragraphs, widest - 0.01, metrics);
      if (narrower.broken || narrower.lines.length > lines.length) return lines;
      lines = narrower.lines;
    }
  }

  function cut(lines: string[], count: number): string[] {
    const kept = lines.slice(0, count);
    kept.push(endInEllipsis(kept.pop() ?? "", box.width / min, metrics));
    return kept;
  }
}

/** One line, shortened until it ends in an ellipsis within `width` (em) when it is too long. */
export function fitLine(text: string, width: number, metrics: Metrics): string {
  return metrics.width(text) <= width ? text : endInEllipsis(text, width, metrics);
}

/** Height from the first line's capitals to the last base line, in em. */
export function blockHeight(lines: number, { capHeight, lineHeight }: Metrics): number {
  return capHeight + (lines - 1) * lineHeight;
}

/** The same with accents and descenders, in em. */
export function inkHeight(lines: number, metrics: Metrics): number {
  return blockHeight(lines, metrics) + 2 * metrics.overhang;
}

function linesIn(box: TextBox, size: number, metrics: Metrics): number {
  let lines = 0;
  while (lines < MAX_LINES && inkHeight(lines + 1, metrics) * size <= box.height) lines += 1;
  return lines;
}

interface Wrapped {
  lines: string[];
  /** Whether a word had to be broken. */
  broken: boolean;
}

/** Every word keeps the space before it: it counts within a line and falls away at its start. */
function wordsOf(paragraph: string): readonly string[] {
  return paragraph.match(/ *[^ \u200b]+/g) ?? [];
}

function wrap(
  paragraphs: readonly (readonly string[])[],
  width: number,
  metrics: Metrics,
): Wrapped {
  const lines: string[] = [];
  let broken = false;
  for (const words of paragraphs) if (wrapParagraph(words, lines, width, metrics)) broken = true;
  return { lines, broken };
}

/** Adds a paragraph's lines. @returns whether a word had to be broken */
function wrapParagraph(
  words: readonly string[],
  lines: string[],
  width: number,
  metrics: Metrics,
): boolean {
  let line = "";
  let broken = false;
  for (const word of words) {
    if (metrics.width(line + word) <= width) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line);
    const alone = word.trimStart();
    if (metrics.width(alone) <= width) {
      line = alone;
      continue;
    }
    const pieces = breakWord(alone, width, metrics);
    broken = true;
    line = pieces.pop() ?? "";
    lines.push(...pieces);
  }
  lines.push(line);
  return broken;
}

function breakWord(word: string, width: number, metrics: Metrics): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of word) {
    if (piece !== "" && metrics.width(piece + character) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...pieces, piece];
}

function endInEllipsis(line: string, width: number, metrics: Metrics): string {
  const characters = [...line];
  while (characters.length > 0 && metrics.width(characters.join("") + ELLIPSIS) > width) {
    characters.pop();
  }
  return characters.join("").trimEnd() + ELLIPSIS;
}
