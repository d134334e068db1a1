import type { ImportPreview } from "../../../appliance/control/wire.ts";

/** The changes of an import, as one sentence; empty when it would change nothing. */
export function changesOf({ keys, decks, sites }: ImportPreview): string {
  const parts = [
    counted(keys, "key changes", "keys change"),
    counted(
      decks.changed,
      "deck gets its name and brightness",
      "decks get their names and brightness",
    ),
    counted(decks.added, "deck is new", "decks are new"),
    counted(sites.changed, "site changes", "sites change"),
    counted(sites.added, "site is new", "sites are new"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
