/** The source of randomness; the system's own unless a test hands in one with a seed. */
export interface Random {
  bytes(size: number): Buffer;
  /** A whole number from 0 to `end`, without it. */
  int(end: number): number;
}

/** A number from 0 to 1, without it, like `Math.random`. */
export function fraction({ int }: Pick<Random, "int">): number {
  return int(2 ** 32) / 2 ** 32;
}
