/** Random numbers that a seed repeats (mulberry32). */
export function seeded(seed: number): {
  random: () => number;
  below: (limit: number) => number;
  pick: <T>(from: readonly [T, ...T[]]) => T;
} {
  let state = seed | 0;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(random() * limit);
  return { random, below, pick: (from) => from[below(from.length)] ?? from[0] };
}
