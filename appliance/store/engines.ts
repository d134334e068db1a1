import { hostname } from "node:os";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Engine, EngineEvents } from "./engine.ts";
import { storageUnavailable } from "./intake/commit-group.ts";
import type { PostgresOptions } from "./postgres/engine.ts";
import type { SqliteEngine, SqliteOptions } from "./sqlite/engine.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

/** Where a database is that many share, and what it is to be told. */
export interface SharedOptions extends Omit<PostgresOptions, "nodeName"> {
  /** How this process is called there; as the machine unless given. */
  nodeName?: string;
}

// Neither is loaded where the other is used.

/** The file of a data folder. @throws {Refusal} DatabaseRefused among them, with a sentence for the owner */
export async function openFile(
  options: SqliteOptions,
  events: EngineEvents,
): Promise<SqliteEngine> {
  const { SqliteEngine: Sqlite } = await import("./sqlite/engine.ts");
  return Sqlite.open(options, events);
}

/** A database that many share. @throws {Refusal} `invalid_config` when that is no address of one */
export async function openShared(
  { nodeName = hostname(), ...options }: SharedOptions,
  events: EngineEvents,
): Promise<Engine> {
  const { PostgresEngine } = await import("./postgres/engine.ts");
  return PostgresEngine.open({ ...options, nodeName }, events);
}

/**
 * Runs a named write; resolves when it is committed, and what is told of sites and tokens knows it.
 * @throws {Refusal} `storage_unavailable`, `deck_limit`, `alarm_limit`: nothing was changed
 */
export type Writer<Name extends WriteName = WriteName> = <W extends Name>(
  name: W,
  input: WriteInput<W>,
) => Promise<WriteResult<W>>;

/** Has an engine make changes. */
export function writerTo(engine: Pick<Engine, "send">, log: Pick<Log, "error">): Writer {
  return async <W extends WriteName>(name: W, input: WriteInput<W>) => {
    const answer = await engine.send({ kind: "write", name, input });
    if (answer.ok) return answer.result as WriteResult<W>;
    if (answer.refused !== undefined) throw new Refusal(answer.refused, answer.message);
    log.error({ reason: answer.message }, "A change could not be stored");
    throw storageUnavailable();
  };
}
