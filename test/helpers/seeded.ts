import { randomFrom } from "../../appliance/traffic/demo/random.ts";

/** The seed of tests, which `TEST_SEED=<n>` sets. */
export const TEST_SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Random numbers that a seed repeats. */
export function seeded(seed: number): {
  random: () => number;
  below: (limit: number) => number;
  pick: <T>(from: readonly [T, ...T[]]) => T;
} {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return { random, below, pick: (from) => from[below(from.length)] ?? from[0] };
}
