import { hostname } from "node:os";
import type { Log } from "../base/log.ts";
import { Refusal } from "../base/refusal.ts";
import type { Engine, EngineEvents, FileEngine, FileOptions } from "./engine.ts";
import { storageUnavailable } from "./intake/commit-group.ts";
import type { PostgresOptions } from "./postgres/engine.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

/** The address of a shared database, and the facts it needs. */
export interface SharedOptions extends Omit<PostgresOptions, "nodeName"> {
  /** The name of this process there; that of the machine unless given. */
  nodeName?: string;
}

// Neither is loaded where the other is used.

/** The file of a data folder. @throws {Refusal} DatabaseRefused among them, with a sentence for the owner */
export async function openFile(options: FileOptions, events: EngineEvents): Promise<FileEngine> {
  const { SqliteEngine } = await import("./sqlite/engine.ts");
  return SqliteEngine.open(options, events);
}

/** A database that many share. @throws {Refusal} `invalid_config` when that is no address of one */
export async function openShared(
  { nodeName = hostname(), ...options }: SharedOptions,
  events: EngineEvents,
): Promise<Engine> {
  const { PostgresEngine } = await import("./postgres/engine.ts");
  return PostgresEngine.open({ ...options, nodeName }, events);
}

/** The address of a database that many share, as people are shown it. @throws {Refusal} `invalid_config` where it cannot be one */
export async function shownDatabase(databaseUrl: string): Promise<string> {
  const { parseDatabaseUrl, shownUrl } = await import("./postgres/connection/url.ts");
  return shownUrl(parseDatabaseUrl(databaseUrl));
}

/**
 * Runs a named write; resolves when it is committed and the lists of sites and tokens have it.
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
