/** Finds the most similar word for a mistyped one. */

/** Letters for each slip that is forgiven. */
const LETTERS_A_SLIP = 3;

/**
 * The sentence after a word that is not known, with the space before it: ` Did you mean sites?`, or
 * nothing where no known word is near.
 */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word.toLowerCase(), known);
  return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

function nearest(word: string, known: Iterable<string>): string | undefined {
  let [best, fewest] = [undefined as string | undefined, Number.POSITIVE_INFINITY];
  for (const candidate of known) {
    const most = Math.floor(Math.max(word.length, candidate.length) / LETTERS_A_SLIP);
    // The distance is at least the difference of the lengths, so that a long word costs nothing.
    if (Math.abs(word.length - candidate.length) > most) continue;
    const slips = slipsBetween(word, candidate);
    if (slips <= most && slips < fewest) [best, fewest] = [candidate, slips];
  }
  return best;
}

/** Letters left out, put in, mistaken, or swapped with the next: Damerau's distance between two words. */
function slipsBetween(one: string, other: string): number {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const at = (from: readonly number[] | undefined, n: number) => from?.[n] ?? 0;
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last?.at(-1) ?? 0;
}
