import { useEffect, useRef } from "preact/hooks";
import { withoutNewest } from "../filters/where.ts";
import { presetsOf, shifted } from "../period/period.ts";
import type { Shown } from "../traffic/shown.ts";

/**
 * The effects of keys, which are named as `KeyboardEvent.key` names them, letters in lower case.
 */
type KeyActions = Map<string, () => void>;

export const SEARCH_ID = "search";

interface Actors extends Pick<Shown, "view" | "history" | "change" | "toggleBots"> {
  showKeys: () => void;
}

export function keyActions({ view, history, change, toggleBots, showKeys }: Actors): KeyActions {
  const shift = (direction: -1 | 1) => () => {
    const choice = shifted(view.choice, direction, history);
    if (choice) change({ choice });
  };
  const actions: KeyActions = new Map([
    ["ArrowLeft", shift(-1)],
    ["ArrowRight", shift(1)],
    ["/", toSearch],
    ["b", toggleBots],
    ["?", showKeys],
  ]);
  if (view.where.length > 0)
    actions.set("Escape", () => change({ where: withoutNewest(view.where) }));
  for (const { key, choice } of presetsOf(history.last)) {
    if (key) actions.set(key, () => change({ choice }));
  }
  return actions;
}

/** Focuses the search, with room below it for what it finds. */
function toSearch(): void {
  const search = document.getElementById(SEARCH_ID);
  search?.focus({ preventScroll: true });
  search?.scrollIntoView({ block: "center" });
}

/** Whether keys belong to the focused element: text, choices, dates, open dialogs. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      "input:not([type=checkbox]), textarea, select, dialog[open], [contenteditable]",
    ) !== null
  );
}

export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const action = latest.current.get(key);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
