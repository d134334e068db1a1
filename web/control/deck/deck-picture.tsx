import { useRef } from "preact/hooks";
import type { Deck, Slot } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { revisionKey } from "../use-box.ts";
import { bandsOf, neighbour, slotName } from "./layout.ts";
import { widgetName } from "./widgets.ts";

interface DeckPictureProps {
  deck: Deck;
  /** empty for none */
  chosen: string;
  onChoose: (slot: string) => void;
}

const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

/**
 * The deck as it lies on the table, its slots as buttons. Tab goes to one of them, arrow keys from
 * there to the others.
 */
export function DeckPicture({ deck, chosen, onChoose }: DeckPictureProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const entry = deck.slots.some(({ slot }) => slot === chosen) ? chosen : deck.slots[0]?.slot;
  const move = (event: KeyboardEvent) => {
    const from = event.target instanceof HTMLElement ? event.target.dataset.slot : undefined;
    if (from === undefined || !MOVES.has(event.key)) return;
    event.preventDefault();
    const next = neighbour(deck.slots, from, event.key);
    frame.current?.querySelector<HTMLElement>(`[data-slot="${next}"]`)?.focus();
  };
  if (deck.slots.length === 0) {
    return <p class="notice">This model has no pictures to set.</p>;
  }
  return (
    <fieldset
      ref={frame}
      class={deck.connected ? "deck" : "deck away"}
      aria-label="Keys"
      onKeyDown={move}
    >
      {bandsOf(deck.slots).map(({ share, cells }) => (
        <div key={cells[0]?.slot.slot} class="band" style={{ width: `${share * 100}%` }}>
          {cells.map(({ slot, weight }) => (
            <SlotButton
              key={slot.slot}
              deck={deck.id}
              slot={slot}
              weight={weight}
              isChosen={slot.slot === chosen}
              isEntry={slot.slot === entry}
              onChoose={onChoose}
            />
          ))}
        </div>
      ))}
    </fieldset>
  );
}

/** Keys are shown at least this wide where there is room, and larger ones as large as they are. */
const KEY_PX = 112;
const AROUND_PX = 16;

/** How wide a deck is drawn where there is room for it, in pixels. */
export function deckWidth(slots: readonly Slot[]): number {
  if (slots.length === 0) return 5 * KEY_PX;
  const columns = Math.max(...slots.map(({ column }) => column)) + 1;
  const key = Math.max(...slots.filter(({ kind }) => kind === "key").map(({ width }) => width));
  return (columns + 1) * AROUND_PX + columns * Math.max(KEY_PX, key);
}

interface SlotButtonProps {
  deck: string;
  slot: Slot;
  weight: number;
  isChosen: boolean;
  isEntry: boolean;
  onChoose: (slot: string) => void;
}

function SlotButton({ deck, slot, weight, isChosen, isEntry, onChoose }: SlotButtonProps) {
  return (
    <button
      type="button"
      class={`slot ${slot.kind}`}
      data-slot={slot.slot}
      style={{ flexGrow: weight, aspectRatio: `${slot.width} / ${slot.height}` }}
      aria-pressed={isChosen}
      aria-label={`${slotName(slot)}: ${widgetName(slot.widget)}`}
      tabIndex={isEntry ? 0 : -1}
      onClick={() => onChoose(slot.slot)}
    >
      <SlotImage deck={deck} slot={slot} />
    </button>
  );
}

/** The very picture that is sent to the slot. */
export function SlotImage({ deck, slot }: { deck: string; slot: Slot }) {
  const { box } = useShell();
  const revision = box.revisions.get(revisionKey({ deck, slot: slot.slot })) ?? "";
  return (
    <img
      src={slotPath(deck, slot.slot, `/image.png?revision=${box.opened}.${revision}`)}
      alt=""
      width={slot.width}
      height={slot.height}
      draggable={false}
    />
  );
}
