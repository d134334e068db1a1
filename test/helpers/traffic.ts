import type { World } from "./world.ts";

/** One hit's counts by dimension: each value given counts one. */
export type Hit = Readonly<Record<string, string>>;

/** The number a site has in the database. */
export function keyOf(world: World, site = "blog"): number {
  const found = world.service.store.directory.sites.find(({ id }) => id === site);
  if (found === undefined) throw new Error(`there is no site ${site}`);
  return found.key;
}

/** Counts page views as `/e` does, but at the store's door: for tests that need many. */
export async function views(world: World, hits: readonly Hit[], site = "blog"): Promise<void> {
  const key = keyOf(world, site);
  const { store } = world.service;
  await Promise.all(
    hits.map((hit) => store.count(key, [["pv", "_"], ...Object.entries(hit)], true)),
  );
}
