import { hostname } from "node:os";
import type { Engine, EngineEvents } from "./engine.ts";
import type { SqliteEngine, SqliteOptions } from "./sqlite/engine.ts";

export interface EngineOptions extends Omit<SqliteOptions, "dataDir"> {
  /** The data folder; undefined where nothing is kept on this machine. */
  dataDir?: string;
  /** Where the numbers are, if not in the data folder: `postgres://…`. */
  databaseUrl?: string | undefined;
  /** How this process is called there. */
  nodeName?: string;
  /** The time (epoch ms) that it is where that database says `said`; tests have their own. */
  databaseNow?: (said: number) => number;
}

/** The engine that keeps the data, and the part of it that is a file of this box. */
export interface Engines {
  readonly engine: Engine;
  /** Undefined where nothing is kept on this machine. */
  readonly files:
    | Pick<SqliteEngine, "space" | "replaceFile" | "isOnTrial" | "keepFile">
    | undefined;
  /** True where the numbers are in a database elsewhere; data of this box is in its file, if it has one. */
  readonly hasFleet: boolean;
}

/** @throws {Refusal} DatabaseRefused among them, with a sentence for the owner */
export async function openEngines(options: EngineOptions, events: EngineEvents): Promise<Engines> {
  const { databaseUrl, dataDir } = options;
  if (databaseUrl === undefined) {
    const engine = await openSqlite(options, events);
    return { engine, files: engine, hasFleet: false };
  }
  if (dataDir === undefined) {
    const engine = await openPostgres(options, databaseUrl, events);
    return { engine, files: undefined, hasFleet: true };
  }
  const { SplitEngine } = await import("./split.ts");
  const { declared: _, dayZone: __, ...ofBox } = options;
  const engine = await SplitEngine.open(
    {
      openFleet: (told) => openPostgres(options, databaseUrl, told),
      openBox: (told) => openSqlite(ofBox, told),
    },
    events,
  );
  return { engine, files: engine, hasFleet: true };
}

// Neither is loaded where the other is used.

async function openSqlite(options: EngineOptions, events: EngineEvents): Promise<SqliteEngine> {
  const { dataDir } = options;
  if (dataDir === undefined) throw new Error("there is no data folder");
  const { SqliteEngine: Sqlite } = await import("./sqlite/engine.ts");
  return Sqlite.open({ ...options, dataDir }, events);
}

async function openPostgres(
  { nodeName = hostname(), ...options }: EngineOptions,
  databaseUrl: string,
  events: EngineEvents,
): Promise<Engine> {
  const { PostgresEngine } = await import("./postgres/engine.ts");
  return PostgresEngine.open({ ...options, nodeName, databaseUrl }, events);
}
