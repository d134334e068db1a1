import { useEffect, useRef } from "preact/hooks";
import type { Editor } from "./use-editor.ts";

const FIELDS = "input, textarea, select, [contenteditable], dialog";

/**
 * Cut, copy, paste, undo and redo by keyboard, wherever no field has the focus.
 * @param chosen the place they are about, unless another has the focus; empty for none
 */
export function useShortcuts(editor: Editor, chosen: string): void {
  const press = useRef<(event: KeyboardEvent) => void>(() => {});
  press.current = (event) => {
    const { target } = event;
    const element = target instanceof HTMLElement ? target : document.body;
    if (event.altKey || element.closest(FIELDS) || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return editor.drop();
    if (!event.ctrlKey && !event.metaKey) return;
    const place = element.dataset.slot ?? chosen;
    const act = shortcut(
      editor,
      place,
      `${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`,
    );
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press.current(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

function shortcut(editor: Editor, place: string, key: string): (() => void) | undefined {
  switch (key) {
    case "z":
      return editor.undo;
    case "shift z":
    case "y":
      return editor.redo;
    // The browser copies selected text.
    case "c":
    case "x":
      if (place === "" || String(getSelection()) !== "") return undefined;
      return () => editor.take(place, key === "x");
    case "v":
      return place === "" ? undefined : () => editor.paste(place);
    default:
      return undefined;
  }
}
