import type { BatchData, Stamp } from "../../appliance/store/counting.ts";
import { WaitingHits } from "../../appliance/store/intake/waiting-hits.ts";
import type { Dimension, Hit } from "../../appliance/store/log/record.ts";
import type { World } from "./world.ts";

export type Values = Readonly<Partial<Record<Dimension, string>>>;

/** A view that says just this. */
export function viewOf(values: Values = {}, flags = 0): Hit {
  return { kind: "view", flags, values: Object.entries(values) as [Dimension, string][] };
}

/** Hits as they are committed. */
export function logOf(
  site: number,
  stamp: Stamp,
  hits: readonly Hit[],
): Pick<BatchData, "log" | "hits"> {
  const waiting = new WaitingHits();
  for (const hit of hits) waiting.add(site, stamp, hit);
  waiting.close();
  return { log: waiting.parts.map(({ bytes }) => bytes), hits: hits.length };
}

/** The number a site has in the database. */
export function keyOf(world: World, site = "blog"): number {
  const found = world.service.store.numbers.directory.sites.find(({ id }) => id === site);
  if (found === undefined) throw new Error(`there is no site ${site}`);
  return found.key;
}

/** Counts page views as `/e` does, but at the store's door: for tests that need many. */
export async function views(
  world: World,
  all: readonly Values[],
  site = "blog",
  flags = 0,
): Promise<void> {
  const key = keyOf(world, site);
  const { store } = world.service;
  await Promise.all(all.map((values) => store.numbers.count(key, viewOf(values, flags))));
}
