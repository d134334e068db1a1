import { isLong } from "./long.ts";

export type EngineName = "SQLite" | "PostgreSQL";

let defining: EngineName = "SQLite";

/** The engine of the suite that is being defined. */
export function engineOfSuite(): EngineName {
  return defining;
}

/** Defines suites twice: with worlds on each engine. What they say must hold on both. */
export function onEachEngine(suites: () => void): void {
  for (const engine of ["SQLite", "PostgreSQL"] as const) on(engine, suites);
}

/**
 * Defines suites of what stands above the store, which is one for both engines: with worlds on SQLite, and with `--long` on
 * each.
 */
export function onOneEngine(suites: () => void): void {
  if (isLong) onEachEngine(suites);
  else on("SQLite", suites);
}

function on(engine: EngineName, suites: () => void): void {
  describe(`on ${engine}`, () => {
    defining = engine;
    suites();
    defining = "SQLite";
  });
}
