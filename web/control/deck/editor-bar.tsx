import { useState } from "preact/hooks";
import { deckPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { type FoundKey, findKeys, MOST_FOUND } from "./find-keys.ts";
import { UndoButtons } from "./undo.tsx";
import type { Editor } from "./use-editor.ts";

/** The bar above the deck: undo and redo, a search over all keys, and the last action. */
export function EditorBar({ editor }: { editor: Editor }) {
  const { box, actions, change } = useShell();
  const { problem, run } = useAction();
  const [query, setQuery] = useState("");
  const found = findKeys(box.decks, query);
  const go = ({ deck, slot, page }: FoundKey) =>
    run(async () => {
      if (page !== null && box.decks.find(({ id }) => id === deck)?.page !== page)
        await actions.changeDeck("PATCH", deckPath(deck), { page });
      setQuery("");
      change({ deck, slot });
    });
  return (
    <div class="editor-bar">
      <UndoButtons onUndo={editor.undo} onRedo={editor.redo} />
      <input
        type="search"
        aria-label="Find a key"
        placeholder="Find a key"
        autocomplete="off"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && setQuery("")}
      />
      <p class="said" role="status">
        {query.trim() === "" ? editor.said : countOf(found.length)}
      </p>
      {found.length > 0 && (
        <ul class="found" aria-label="Keys that were found">
          {found.slice(0, MOST_FOUND).map((key) => (
            <li key={`${key.deck} ${key.page} ${key.slot}`}>
              <button type="button" onClick={() => go(key)}>
                <strong>{key.where}</strong> {key.what}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Problem text={editor.problem === "" ? problem : editor.problem} />
    </div>
  );
}

function countOf(found: number): string {
  if (found === 0) return "No key has this.";
  if (found > MOST_FOUND) return `${found} keys, the first ${MOST_FOUND} below.`;
  return found === 1 ? "1 key." : `${found} keys.`;
}
