import { seeded, TEST_SEED } from "./seeded.ts";

/**
 * Whether soaks run whole: attacks, full sites and all seeds, as `./scripts/test --long` has it. The suite has a small round
 * of each.
 */
export const isLong = process.env.TEST_LONG === "1";

/** A sentence of a soak that has no small round: it is in `--long` alone. */
export function inLong(sentence: string, test: Mocha.AsyncFunc): Mocha.Test {
  // Mocha is asked only now: the boot tests use helpers without it.
  return (isLong ? it : it.skip)(sentence, test);
}

/** A quarter of all that a soak tries: another one with each seed. */
const SHARE = 4;

/** The entries of a table that are tried now. */
export function drawn<T>(table: Readonly<Record<string, T>>): [name: string, entry: T][] {
  return Object.entries(table).filter((_, at) => isDrawn(at));
}

/** Whether one of many that follow each other is tried now, by its number from 0. */
export function isDrawn(at: number): boolean {
  return isLong || at % SHARE === seeded(TEST_SEED).below(SHARE);
}

/** The one of alike entries that is tried now, or all of them in a long run. */
export function oneOf<T>(entries: readonly T[]): readonly T[] {
  const drawn = seeded(TEST_SEED).below(entries.length);
  return isLong ? entries : entries.slice(drawn, drawn + 1);
}

/** The length that a soak has now of its whole one. */
export function lasting(whole: number): number {
  return isLong ? whole : whole / SHARE;
}
