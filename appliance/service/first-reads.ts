import { DatabaseRefused, FILE } from "../store/sqlite/refused.ts";
import type { Store } from "../store/store.ts";
import { readDecks } from "./adapters.ts";

/**
 * Reads everything that a start needs of the data of this box, so that it is known before anything runs
 * whether it can be. A restore does the same with what it brings, in a process of its own.
 * @throws {DatabaseRefused} where it cannot
 */
export async function firstReads(store: Pick<Store, "read">, file: string): Promise<void> {
  try {
    await readDecks(store);
    const mqtt = await store.read("mqttRow", undefined);
    const address = await store.read("publicAddressRow", undefined);
    const channels = await store.read("keptChannels", undefined);
    for (const json of [
      mqtt?.settings,
      mqtt?.announced,
      address?.settings,
      ...channels.map(({ kept }) => kept),
    ])
      JSON.parse(json ?? "null");
    for (const query of ["imageList", "pushTokens", "allowedOrigins", "sessions"] as const)
      await store.read(query, undefined);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseRefused({
      file,
      flaw: "unreadable",
      needsBackup: true,
      says: `${FILE} cannot be read as a start has to (${reason}).`,
    });
  }
}
