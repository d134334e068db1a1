import { setTimeout } from "node:timers/promises";
import type { Directory } from "../../appliance/store/sites/directory.ts";
import type { World } from "./world.ts";

/** Resolves when the sites and tokens a running service goes by are as `holds` says. */
export async function directoryBecomes(
  world: World,
  holds: (directory: Directory) => boolean,
): Promise<void> {
  const { store } = world.service;
  if (holds(store.numbers.directory)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let isThere = false;
  const cancel = store.numbers.directoryChanged.on((directory) => {
    isThere ||= holds(directory);
    if (isThere) resolve();
  });
  // A database elsewhere is looked at by the clock of the world.
  while (world.isOnPostgres && !isThere) {
    world.clock.advance(100);
    await Promise.race([promise, setTimeout(20)]);
  }
  await promise.finally(cancel);
}

export function hasSite(id: string): (directory: Directory) => boolean {
  return ({ sites }) => sites.some((site) => site.id === id);
}
