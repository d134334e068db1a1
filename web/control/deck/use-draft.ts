import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../appliance/base/message-of.ts";
import type {
  Action,
  DeckView,
  PlaceView,
  SlotView,
  Widget,
} from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { AskError, ask } from "../api.ts";
import { useShell } from "../context.ts";
import { isSame, lackOf } from "./fields/widgets.ts";
import { idOf } from "./layout.ts";

/** Typing is sent when it pauses this long. */
const PAUSE_MS = 350;

export type Saving =
  | { state: "saved" | "saving" }
  | { state: "lacking" | "refused"; message: string };

type Draft<T> = [
  draft: T,
  edit: (next: T) => void,
  saving: Saving,
  /** Hears that the focus has left one of its fields. */
  onLeave: (event: { target: EventTarget | null }) => void,
];

/** The note about a draft before anybody has left a field to type into. */
const NOT_YET = "Not saved yet";

/** A slot's widget while it is edited. A complete one is stored at once. */
export function useDraft(deck: DeckView, slot: SlotView): Draft<Widget> {
  const put = usePut(deck, slot);
  return useSaved<Widget>({
    value: slot.widget,
    put: async (widget) => (await put({ widget })).widget,
    lackOf,
    isTyped: (next, before) => next.type === before.type,
  });
}

type GestureKind = "press" | "hold" | "turn";

/** The action of a place, likewise. */
export function useActionDraft(
  deck: DeckView,
  place: PlaceView,
  gesture: GestureKind,
  lackOfAction: (draft: Action | undefined) => string,
): Draft<Action | undefined> {
  const put = usePut(deck, place);
  return useSaved<Action | undefined>({
    value: place[gesture],
    put: async (action) => (await put({ [gesture]: action ?? null }))[gesture],
    lackOf: lackOfAction,
    isTyped: (next, before) => next?.do === before?.do,
  });
}

/** Changes the settings of a place, and returns the new ones. */
function usePut(deck: DeckView, place: PlaceView): (change: object) => Promise<PlaceView> {
  const { actions } = useShell();
  const id = idOf(place);
  /** The page and place of the input, since the deck may turn to another page meanwhile. */
  const where = useRef("");
  where.current = deck.fixed[id] === undefined ? `?page=${deck.page}` : "?fixed=1";
  return async (change) => {
    try {
      const kept = await ask<PlaceView>("PUT", slotPath(deck.id, id, where.current), change);
      actions.keepPlace(deck.id, kept);
      return kept;
    } catch (error) {
      if (error instanceof AskError && error.kind === "unauthorized") actions.signedOut();
      throw error;
    }
  };
}

interface SavedOptions<T> {
  /** The value that the box has. */
  value: T;
  /** Resolves with the stored value. */
  put: (next: T) => Promise<T>;
  /** The part that a draft still lacks; empty when none. */
  lackOf: (draft: T) => string;
  /** Whether the change is typed, so that more may follow soon. */
  isTyped: (next: T, before: T) => boolean;
}

interface Work<T> {
  /** Complete, and not stored yet. */
  due: { value: T } | null;
  isSending: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/** A value while it is edited. A complete one is stored at once. */
function useSaved<T extends object | undefined>({
  value,
  put,
  lackOf: lack,
  isTyped,
}: SavedOptions<T>): Draft<T> {
  const [draft, setDraft] = useState(value);
  const [saving, setSaving] = useState<Saving>({ state: "saved" });
  const [isLeft, setLeft] = useState(false);
  const work = useRef<Work<T>>({ due: null, isSending: false });
  /** The value that the box is known to have. */
  const known = useRef(value);

  const store = async (next: T): Promise<Saving> => {
    try {
      known.current = await put(next);
      return { state: "saved" };
    } catch (error) {
      return { state: "refused", message: messageOf(error) };
    }
  };

  // Drafts are sent one after another, so that the last typed one is stored last.
  const send = async () => {
    const { current } = work;
    if (current.isSending) return;
    current.isSending = true;
    for (let { due } = current; due !== null; due = current.due) {
      const outcome = await store(due.value);
      if (current.due !== due) continue;
      current.due = null;
      setSaving(outcome);
    }
    current.isSending = false;
  };

  const edit = (next: T) => {
    setDraft(() => next);
    if (!isTyped(next, draft)) setLeft(false);
    clearTimeout(work.current.timer);
    const message = lack(next);
    work.current.due = message === "" ? { value: next } : null;
    setSaving(message === "" ? { state: "saving" } : { state: "lacking", message });
    if (message !== "") return;
    work.current.timer = setTimeout(send, isTyped(next, draft) ? PAUSE_MS : 0);
  };

  // A panel that closes during typing stores the pending change.
  useEffect(
    () => () => {
      if (work.current.due !== null) void send();
    },
    [],
  );

  useEffect(() => {
    const isTouched = work.current.due !== null || isSame(value, known.current);
    if (isTouched) return;
    known.current = value;
    setDraft(() => value);
    setSaving({ state: "saved" });
  }, [value]);

  const onLeave: Draft<T>[3] = ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) setLeft(true);
  };
  const isEarly = saving.state === "lacking" && !isLeft;
  return [draft, edit, isEarly ? { state: "lacking", message: NOT_YET } : saving, onLeave];
}
