import { useEffect, useRef, useState } from "preact/hooks";
import type { Deck, Slot, Widget } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { AskError, ask } from "../api.ts";
import { useShell } from "../context.ts";
import { isSame, lackOf } from "./widgets.ts";

/** Typing is sent when it pauses this long. */
const PAUSE_MS = 350;

export type Saving =
  | { state: "saved" | "saving" }
  | { state: "lacking" | "refused"; message: string };

interface Work {
  /** Complete, and not stored yet. */
  due: Widget | null;
  isSending: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/** A slot's widget while somebody changes it: whatever is complete goes to the deck at once. */
export function useDraft(deck: Deck, slot: Slot): [Widget, (next: Widget) => void, Saving] {
  const { actions } = useShell();
  const [draft, setDraft] = useState(slot.widget);
  const [saving, setSaving] = useState<Saving>({ state: "saved" });
  const work = useRef<Work>({ due: null, isSending: false });
  /** What the box is known to have. */
  const known = useRef(slot.widget);

  const put = async (widget: Widget): Promise<Saving> => {
    try {
      const kept = await ask<Slot>("PUT", slotPath(deck.id, slot.slot), { widget });
      known.current = kept.widget;
      actions.keepSlot(deck.id, kept);
      return { state: "saved" };
    } catch (error) {
      if (error instanceof AskError && error.kind === "unauthorized") actions.signedOut();
      return { state: "refused", message: error instanceof Error ? error.message : String(error) };
    }
  };

  // One after another, so that the last one typed is the last one stored.
  const send = async () => {
    const { current } = work;
    if (current.isSending) return;
    current.isSending = true;
    for (let { due } = current; due !== null; due = current.due) {
      const outcome = await put(due);
      if (current.due !== due) continue;
      current.due = null;
      setSaving(outcome);
    }
    current.isSending = false;
  };

  const edit = (next: Widget) => {
    setDraft(next);
    clearTimeout(work.current.timer);
    const message = lackOf(next);
    work.current.due = message === "" ? next : null;
    setSaving(message === "" ? { state: "saving" } : { state: "lacking", message });
    if (message !== "") return;
    const isTyped = next.type === draft.type;
    work.current.timer = setTimeout(send, isTyped ? PAUSE_MS : 0);
  };

  // The panel closes in the middle of typing: what is due still goes.
  useEffect(
    () => () => {
      if (work.current.due !== null) void send();
    },
    [],
  );

  useEffect(() => {
    const isTouched = work.current.due !== null || isSame(slot.widget, known.current);
    if (isTouched) return;
    known.current = slot.widget;
    setDraft(slot.widget);
    setSaving({ state: "saved" });
  }, [slot.widget]);

  return [draft, edit, saving];
}
