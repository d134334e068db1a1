import { planFleetZone, planZone } from "../../sites/day-zone.ts";
import type { Transaction } from "../connection/sql.ts";
import { readRevisedDirectory } from "./directory.ts";
import { carryOutLocked, lockDirectory } from "./site-changes.ts";

interface NamedZone {
  /** Undefined leaves it as it is. */
  readonly zone: string | undefined;
  /** It may take the place of the zone that all others go by. */
  readonly forAll?: boolean;
  /** The time (epoch ms) that it is where the database says `said`. */
  readonly databaseNow?: (said: number) => number;
}

/**
 * Lets days be counted by another zone, where none was named before, or `forAll`.
 * @returns notes for the owner on it, a sentence each
 */
export async function nameZone(
  sql: Transaction,
  { zone, forAll = false, databaseNow = (said) => said }: NamedZone,
): Promise<readonly string[]> {
  if (zone === undefined) return [];
  // A node that has nothing to change holds up no other.
  if ((await readRevisedDirectory(sql)).directory.dayZone?.zone === zone) return [];
  const directory = await lockDirectory(sql);
  const [clock] = await sql.rows<{ now: number }>("SELECT extract(epoch FROM now()) * 1000 AS now");
  const plan = forAll ? planZone : planFleetZone;
  const { changes, sentences } = plan(directory, zone, databaseNow(clock?.now ?? 0));
  await carryOutLocked(sql, changes);
  return sentences;
}
