import type { ImportPreview } from "../../../appliance/control/wire.ts";

/** What an import would change, as one sentence; empty when it would change nothing. */
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

/** What became of an undo, which leaves some sites as they are. */
export function undoneBut(kept: readonly string[]): string {
  const done = "Decks and sites are as they were before the import.";
  if (kept.length === 0) return done;
  return `${done} Left as they are, for they have counted since or their host is taken: ${kept.join(", ")}.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
