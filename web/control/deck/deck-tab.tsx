import type { DeckView } from "../../../appliance/control/wire.ts";
import { deckPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { DeckBar } from "./deck-bar.tsx";
import { DeckPicture, deckWidth } from "./deck-picture.tsx";
import { EditorBar } from "./editor-bar.tsx";
import { Swipes } from "./fingers.tsx";
import { InputPanel } from "./input-panel.tsx";
import { NoDeck } from "./no-deck.tsx";
import { NoPlace } from "./no-place.tsx";
import { PageBar } from "./page-bar.tsx";
import { SlotPanel } from "./slot-panel.tsx";
import { type Editor, useEditor } from "./use-editor.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** The width above which there is no room beside a deck. */
const WIDE_PX = 1_400;

/** The decks, one at a time, and the settings of the chosen slot or input. */
export function DeckTab() {
  const { box, view } = useShell();
  const deck = chosenDeck(box.decks, view.deck);
  return deck === undefined ? <NoDeck /> : <Decks deck={deck} />;
}

function Decks({ deck }: { deck: DeckView }) {
  const { box, view, change } = useShell();
  const editor = useEditor(deck);
  useShortcuts(editor, view.slot);
  const width = deckWidth(deck);
  return (
    <>
      {box.decks.length > 1 && <DeckList decks={box.decks} chosen={deck.id} />}
      <Problems />
      <div
        class={width > WIDE_PX ? "deck-tab wide" : "deck-tab"}
        style={{ "--deck": `${width}px` }}
      >
        <div class="deck-side">
          <div class="deck-top">
            <EditorBar editor={editor} />
            <PageBar key={deck.id} deck={deck} />
            <DeckPicture
              deck={deck}
              editor={editor}
              chosen={view.slot}
              onChoose={(next) => change({ deck: deck.id, slot: next })}
            />
            {deck.hasStrip && <Swipes deck={deck.id} />}
            {deck.asleep && <Asleep deck={deck} />}
            {!deck.connected && (
              <p class="notice">
                This deck is not plugged in. Its settings can be changed all the same: it is painted
                when it comes back.
              </p>
            )}
          </div>
          <DeckBar key={deck.id} deck={deck} />
        </div>
        <PlacePanel deck={deck} place={view.slot} editor={editor} />
      </div>
    </>
  );
}

/** The settings of a slot or an input, or a hint about choosing one. */
function PlacePanel({ deck, place, editor }: { deck: DeckView; place: string; editor: Editor }) {
  const slot = deck.slots.find(({ slot }) => slot === place);
  const input = deck.inputs.find(({ input }) => input === place);
  const key = `${deck.id} ${deck.page} ${place}`;
  if (slot !== undefined) return <SlotPanel key={key} deck={deck} slot={slot} />;
  if (input !== undefined) return <InputPanel key={key} deck={deck} input={input} />;
  return <NoPlace deck={deck} editor={editor} />;
}

/** A note about a sleeping deck, whose keys are black. */
function Asleep({ deck }: { deck: DeckView }) {
  const { actions } = useShell();
  const { problem, run } = useAction();
  const wake = () => run(() => actions.changeDeck("PATCH", deckPath(deck.id), { asleep: false }));
  return (
    <>
      <p class="notice asleep" role="status">
        This deck is asleep.
        <button type="button" onClick={wake}>
          Wake it
        </button>
      </p>
      <Problem text={problem} />
    </>
  );
}

/** The deck in the address, or else one that is connected, or else any. */
function chosenDeck(decks: readonly DeckView[], id: string): DeckView | undefined {
  return (
    decks.find((deck) => deck.id === id) ?? decks.find(({ connected }) => connected) ?? decks[0]
  );
}

function DeckList({ decks, chosen }: { decks: readonly DeckView[]; chosen: string }) {
  const { change } = useShell();
  return (
    <nav aria-label="Decks" class="decks">
      {decks.map(({ id, name, connected }) => (
        <button
          key={id}
          type="button"
          aria-current={id === chosen ? "true" : undefined}
          onClick={() => change({ deck: id, slot: "" })}
        >
          <span class={connected ? "dot on" : "dot"} aria-hidden="true" />
          {name}
          {!connected && <span class="offscreen"> (not plugged in)</span>}
        </button>
      ))}
    </nav>
  );
}

/** Problems of decks that do not work. */
function Problems() {
  const { box } = useShell();
  return (
    <div class="notices" role="status">
      {box.problems
        // A box that has virtual decks only may well have no USB.
        .filter(({ code }) => code !== "no_usb")
        .map(({ code, port, message }) => (
          <p class="notice bad" key={`${code} ${port}`}>
            {message}
          </p>
        ))}
    </div>
  );
}
