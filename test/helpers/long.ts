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
  const first = seeded(TEST_SEED).below(SHARE);
  return Object.entries(table).filter((_, at) => isLong || at % SHARE === first);
}
