import { useRef } from "preact/hooks";
import { placeName } from "../../../appliance/base/place-name.ts";
import type { Deck, Place, Slot } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { revisionKey } from "../use-box.ts";
import { bandsOf, idOf, neighbour, placesOf } from "./layout.ts";
import { widgetName } from "./widgets.ts";

interface DeckPictureProps {
  deck: Deck;
  /** A slot or an input; empty for none. */
  chosen: string;
  onChoose: (place: string) => void;
}

const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

/**
 * The deck as it lies on the table, its slots and inputs as buttons. Tab goes to one of them, arrow keys from
 * there to the others.
 */
export function DeckPicture({ deck, chosen, onChoose }: DeckPictureProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const places = placesOf(deck);
  const ids = places.map(idOf);
  const entry = ids.includes(chosen) ? chosen : ids[0];
  const move = (event: KeyboardEvent) => {
    const from = event.target instanceof HTMLElement ? event.target.dataset.slot : undefined;
    if (from === undefined || !MOVES.has(event.key)) return;
    event.preventDefault();
    const next = neighbour(places, from, event.key);
    frame.current?.querySelector<HTMLElement>(`[data-slot="${next}"]`)?.focus();
  };
  return (
    <fieldset
      ref={frame}
      class={deck.connected ? "deck" : "deck away"}
      aria-label={deck.slots.length > 0 ? "Keys" : "Buttons"}
      onKeyDown={move}
    >
      {bandsOf(places).map(({ share, cells }) => (
        <div
          key={cells.map(({ place }) => idOf(place)).join()}
          class="band"
          style={{ width: `${share * 100}%` }}
        >
          {cells.map(({ place, weight }) => (
            <PlaceButton
              key={idOf(place)}
              deck={deck.id}
              place={place}
              weight={weight}
              isChosen={idOf(place) === chosen}
              isEntry={idOf(place) === entry}
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
export function deckWidth({ slots, inputs }: Deck): number {
  const columns = Math.max(...[...slots, ...inputs].map(({ column }) => column)) + 1;
  const key = Math.max(...slots.filter(({ kind }) => kind === "key").map(({ width }) => width), 0);
  return (columns + 1) * AROUND_PX + columns * Math.max(KEY_PX, key);
}

interface PlaceButtonProps {
  deck: string;
  place: Place;
  weight: number;
  isChosen: boolean;
  isEntry: boolean;
  onChoose: (place: string) => void;
}

function PlaceButton({ deck, place, weight, isChosen, isEntry, onChoose }: PlaceButtonProps) {
  const id = idOf(place);
  const common = {
    type: "button",
    "data-slot": id,
    "aria-pressed": isChosen,
    tabIndex: isEntry ? 0 : -1,
    onClick: () => onChoose(id),
  } as const;
  if ("slot" in place)
    return (
      <button
        {...common}
        class={`slot ${place.kind}`}
        style={{ flexGrow: weight, aspectRatio: `${place.width} / ${place.height}` }}
        aria-label={`${placeName(id)}: ${widgetName(place.widget)}`}
      >
        <SlotImage deck={deck} slot={place} />
      </button>
    );
  return (
    <span class="input-cell" style={{ flexGrow: weight }}>
      <button {...common} class={`input ${place.kind}`} aria-label={placeName(id)} />
    </span>
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
