import { setTimeout as pause } from "node:timers/promises";

/** A service that is attacked, and the addresses of its visitors. */
export interface Target {
  /** The collector's, and the owner's listener where there is one to reach. */
  readonly origin: string;
  readonly control: string | undefined;
  readonly site: string;
  readonly token: string;
  /** Blocks of addresses of attackers and of honest visitors. */
  readonly attackers: string;
  readonly visitors: string;
}

/** The target of one attack, and its bounds. */
export interface Field {
  readonly target: Target;
  /** Attacks that last do so until then, on the clock of `performance`. */
  readonly until: number;
  /** 1 for the whole attack, less for a part of it. */
  readonly scale: number;
  readonly random: () => number;
}

/** Orders for the attackers' thread. */
export interface AttackOrders extends Pick<Field, "target" | "scale"> {
  readonly names: readonly string[];
  readonly seconds: number;
  readonly seed: number;
}

/** A measurement, as a row of the table. */
export type Figure = readonly [measure: string, seen: string | number];

/** The answers that somebody got meanwhile. */
export interface Seen {
  readonly figures: readonly Figure[];
  /** Answers that were not as they should be, in sentences. */
  readonly problems: readonly string[];
}

/**
 * Ends at `field.until` or sooner. Connections it holds stay open: they end with its thread.
 */
export type Attack = (field: Field) => Promise<readonly Figure[]>;

/** `count` times the scale, at least one. */
export function scaled(count: number, { scale }: Field): number {
  return Math.max(1, Math.round(count * scale));
}

/** Does work once, and again until the attack is over, with so many milliseconds between two begins at least. */
export async function again(
  field: Field,
  everyMs: number,
  work: () => Promise<void>,
): Promise<void> {
  do {
    const next = performance.now() + everyMs;
    await work();
    await pause(Math.max(0, Math.min(next, field.until) - performance.now()));
  } while (!isOver(field));
}

export function isOver({ until }: Field): boolean {
  return performance.now() >= until;
}

/** The frequency of each value, the most frequent first: `429 × 58, 401 × 4`. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => `${value} × ${count}`)
    .join(", ");
}

/** `length` characters of `a-z0-9`. */
export function word(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join("");
}
