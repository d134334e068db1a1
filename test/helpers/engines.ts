/** The engine of a world. */
export type EngineName = "SQLite" | "PostgreSQL";

let defining: EngineName = "SQLite";

/** The engine of the suite that is being defined. */
export function engineOfSuite(): EngineName {
  return defining;
}

/** Defines suites twice: with worlds on each engine. What they say must hold on both. */
export function onEachEngine(suites: () => void): void {
  for (const engine of ["SQLite", "PostgreSQL"] as const)
    describe(`on ${engine}`, () => {
      defining = engine;
      suites();
      defining = "SQLite";
    });
}
