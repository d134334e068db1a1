import { useState } from "preact/hooks";
import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView, DoneAnswer } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { useAction } from "../use-action.ts";

/** A place of a deck, on the page of the moment when it was chosen. */
interface Spot {
  deck: string;
  page: number;
  slot: string;
}

/** A place that waits to be put elsewhere; it stays in this page. */
interface Clip extends Spot {
  isCut: boolean;
}

/** Rearranges the places of decks, and reports the result in a sentence. */
export interface Editor {
  /** The last step done, or the next one to do; empty before. */
  said: string;
  say: (what: string) => void;
  problem: string;
  clip: Clip | null;
  drop: () => void;
  take: (slot: string, isCut: boolean) => void;
  paste: (slot: string) => void;
  move: (from: string, to: string, copy: boolean) => void;
  undo: () => void;
  redo: () => void;
  /** Sends a change whose answer says what was done. */
  change: (path: string, body?: object) => Promise<boolean>;
}

/** @param deck that which shows */
export function useEditor(deck: DeckView): Editor {
  const { actions } = useShell();
  const { problem, run } = useAction();
  const [said, say] = useState("");
  const [clip, setClip] = useState<Clip | null>(null);
  const change = (path: string, body?: object) =>
    run(async () => {
      say("");
      const { done } = await ask<DoneAnswer>("POST", path, body);
      await actions.reload();
      say(done);
    });
  const put = (from: Spot, slot: string, copy: boolean) =>
    change(slotPath(from.deck, from.slot, `/move?page=${from.page}`), {
      deck: deck.id,
      slot,
      copy,
    });
  return {
    said,
    say,
    problem,
    clip,
    drop: () => setClip(null),
    take: (slot, isCut) => {
      setClip({ deck: deck.id, page: deck.page, slot, isCut });
      const what = isCut ? "cut: paste it on another key, and they change places" : "copied";
      say(`${placeName(slot)} ${what}.`);
    },
    paste: async (slot) => {
      if (clip === null) say("Nothing was copied yet.");
      else if ((await put(clip, slot, !clip.isCut)) && clip.isCut) setClip(null);
    },
    move: (from, to, copy) => void put({ deck: deck.id, page: deck.page, slot: from }, to, copy),
    undo: () => void change("api/decks/undo"),
    redo: () => void change("api/decks/redo"),
    change,
  };
}
