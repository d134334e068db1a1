import type { Engine, EngineEvents } from "./engine.ts";
import type { SqliteEngine, SqliteOptions } from "./sqlite/engine.ts";

export interface EngineOptions extends Omit<SqliteOptions, "dataDir"> {
  /** The data folder; undefined for who keeps nothing on this machine. */
  dataDir?: string;
  /** Where the numbers are, if not in the data folder: `postgres://…`. */
  databaseUrl?: string | undefined;
  /** How this process is called there. */
  nodeName?: string;
}

/** What keeps the data, and the part of it that is a file of this box. */
export interface Engines {
  readonly engine: Engine;
  readonly files: Pick<SqliteEngine, "space" | "replaceFile">;
  /** The numbers are in a database elsewhere, and what belongs to this box in its file. */
  readonly hasFleet: boolean;
}

/** @throws {DatabaseRefused} with a sentence for the owner */
export async function openEngines(options: EngineOptions, events: EngineEvents): Promise<Engines> {
  const { dataDir } = options;
  if (dataDir === undefined) throw new Error("there is no data folder");
  const { SqliteEngine: Sqlite } = await import("./sqlite/engine.ts");
  const engine = await Sqlite.open({ ...options, dataDir }, events);
  return { engine, files: engine, hasFleet: false };
}
