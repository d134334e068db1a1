import type { Clock } from "../../base/clock.ts";
import { readDocument } from "../../base/documents.ts";
import type { Transaction } from "../sql.ts";
import { readPlaceCursor } from "./cursor.ts";
import { PLACE_HOMES, type PlaceHeld } from "./kinds.ts";

/** A home has so long to confirm what it was sent, before the log is settled without it. */
const HOLD_MS = 10_000;

interface Confirmed {
  readonly log: ReadonlyMap<number, number>;
  /** Monotonic ms. */
  readonly at: number;
}

/**
 * The part of the log that homes have: each tells by its next question. Settling goes no further for a few seconds, so that a
 * home that keeps up is sent batches, and never days, which are much more.
 */
export class ConfirmedLog {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #homes = new Map<string, Confirmed>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** A home asks for what came after a cursor. */
  asked(home: string, after: string): void {
    const cursor = readPlaceCursor(after);
    const before = this.#homes.get(home);
    this.#homes.delete(home);
    // Days that are sent are of blocks: the log may go on into them.
    if (cursor === undefined || cursor.pass !== undefined) return;
    const log = new Map(cursor.log.map(([node = 0, n = 0]) => [node, n]));
    const isSame =
      before?.log.size === log.size && [...log].every(([node, n]) => before.log.get(node) === n);
    // One that asks for the same again and again does not hold it up.
    this.#homes.set(home, { log, at: isSame ? before.at : this.#clock.monotonic() });
  }

  /** It is sent something now. */
  answered(home: string): void {
    const its = this.#homes.get(home);
    if (its !== undefined) this.#homes.set(home, { ...its, at: this.#clock.monotonic() });
  }

  /** It waits for what is to be settled. */
  left(home: string): void {
    this.#homes.delete(home);
  }

  /** Nothing is held any more: hits that waited for the clock come as days, to each of them. */
  release(): void {
    this.#homes.clear();
  }

  /** Node → the number of its log up to which it may be settled; undefined where all may. */
  get upTo(): ReadonlyMap<number, number> | undefined {
    const now = this.#clock.monotonic();
    let least: Map<number, number> | undefined;
    for (const [home, { log, at }] of this.#homes) {
      if (now - at > HOLD_MS) {
        this.#homes.delete(home);
        continue;
      }
      const others = least;
      // A node that one of them does not know yet is not settled at all.
      least = new Map(
        [...log].flatMap(([node, n]) => {
          const other = others === undefined ? n : others.get(node);
          return other === undefined ? [] : [[node, Math.min(n, other)] as const];
        }),
      );
    }
    return least;
  }
}

/** The part that a home has which asks with a cursor; undefined while it is sent days. */
export function heldAt(after: string): PlaceHeld | undefined {
  const cursor = readPlaceCursor(after);
  if (cursor === undefined || cursor.pass !== undefined) return undefined;
  const { origin, epoch, runMs } = cursor;
  return { origin, epoch, runMs };
}

/** All that was settled before is at every home, by the time run (ms): 0 where there is no home, or one has not said it. */
export async function heldByHomes(sql: Transaction, runMs: number): Promise<number> {
  const rows = await sql.rows<{ id: string; body: string }>(
    "SELECT id, body FROM document WHERE kind = $1 AND body IS NOT NULL",
    [PLACE_HOMES.name],
  );
  if (rows.length === 0) return 0;
  const [{ origin }, epoch] = [await sql.own(), await sql.epoch()];
  const all = rows.map(({ id, body }) => {
    const { held } = readDocument(PLACE_HOMES, id, body);
    // One that is ahead of us speaks of data that were ours before.
    const isOurs = held?.origin === origin && held.epoch === epoch && held.runMs <= runMs;
    return isOurs ? held.runMs : 0;
  });
  return Math.min(...all);
}
