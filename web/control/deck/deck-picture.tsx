import { useRef, useState } from "preact/hooks";
import { MAX_PICTURE_SCALE } from "../../../appliance/base/input/deck-fields.ts";
import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView, PlaceView, SlotView } from "../../../appliance/control/wire.ts";
import { slotPath } from "../addresses.ts";
import { useShell } from "../context.ts";
import { revisionKey } from "../use-box.ts";
import { widgetName } from "./fields/widgets.ts";
import { describe } from "./find-keys.ts";
import { bandsOf, idOf, neighbour, placesOf } from "./layout.ts";
import { type Drag, useDrag } from "./use-drag.ts";
import type { Editor } from "./use-editor.ts";

interface DeckPictureProps {
  deck: DeckView;
  /** A slot or an input; empty for none. */
  chosen: string;
  editor: Editor;
  onChoose: (place: string) => void;
}

const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

/**
 * A picture of the deck, with slots and inputs as buttons. Tab goes to one of them, and arrow keys from there to the
 * others.
 */
export function DeckPicture({ deck, chosen, editor, onChoose }: DeckPictureProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const places = placesOf(deck);
  const ids = places.map(idOf);
  const entry = ids.includes(chosen) ? chosen : ids[0];
  const drag = useDrag(frame, {
    // A place without a picture cannot show one.
    fits: (from, to) => from !== to && isPictured(places, from) === isPictured(places, to),
    onDrop: editor.move,
  });
  const isCut = (id: string) =>
    editor.clip?.isCut === true &&
    editor.clip.slot === id &&
    editor.clip.deck === deck.id &&
    editor.clip.page === deck.page;
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
              mark={markOf(drag, idOf(place)) ?? (isCut(idOf(place)) ? "cut" : undefined)}
              onChoose={onChoose}
            />
          ))}
        </div>
      ))}
      {drag !== null && <Dragged deck={deck} drag={drag} />}
    </fieldset>
  );
}

function Dragged({ deck, drag }: { deck: DeckView; drag: Drag }) {
  const slot = deck.slots.find(({ slot }) => slot === drag.from);
  return (
    <div class="dragged" style={{ left: `${drag.x}px`, top: `${drag.y}px` }} aria-hidden="true">
      {slot === undefined ? placeName(drag.from) : <SlotImage deck={deck.id} slot={slot} />}
      {drag.copy && <span class="plus">+</span>}
    </div>
  );
}

type Mark = "from" | "over" | "copy" | "cut";

function markOf(drag: Drag | null, id: string): Mark | undefined {
  if (drag?.over === id) return drag.copy ? "copy" : "over";
  return drag?.from === id ? "from" : undefined;
}

function isPictured(places: readonly PlaceView[], id: string): boolean {
  return places.some((place) => "slot" in place && place.slot === id);
}

/** Keys are shown at least this wide where there is room, and larger ones as large as they are. */
const KEY_PX = 112;
const AROUND_PX = 16;

/** The width in pixels at which a deck is drawn where there is room. */
export function deckWidth({ slots, inputs }: DeckView): number {
  const columns = Math.max(...[...slots, ...inputs].map(({ column }) => column)) + 1;
  const key = Math.max(...slots.filter(({ kind }) => kind === "key").map(({ width }) => width), 0);
  return (columns + 1) * AROUND_PX + columns * Math.max(KEY_PX, key);
}

interface PlaceButtonProps {
  deck: string;
  place: PlaceView;
  weight: number;
  isChosen: boolean;
  isEntry: boolean;
  mark: Mark | undefined;
  onChoose: (place: string) => void;
}

function PlaceButton({ deck, place, weight, isChosen, isEntry, mark, onChoose }: PlaceButtonProps) {
  const [isBlank, setBlank] = useState(false);
  const id = idOf(place);
  const common = {
    type: "button",
    "data-slot": id,
    "data-mark": mark,
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
        <SlotImage deck={deck} slot={place} onBlank={setBlank} />
        {isBlank && describe(place) === "" && <span class="plus">+</span>}
      </button>
    );
  return (
    <span class="input-cell" style={{ flexGrow: weight }}>
      <button {...common} class={`input ${place.kind}`} aria-label={placeName(id)} />
    </span>
  );
}

interface SlotImageProps {
  deck: string;
  slot: SlotView;
  /** Called with whether the picture has only one colour: an empty key may show a notice. */
  onBlank?: (isBlank: boolean) => void;
}

/** Pixels of screens for each of the page, as far as keys gain by them. */
const DENSITIES = [1, 2, 3];
/** So little more than a whole number of pixels is not seen. */
const UNSEEN = 0.05;

/** The picture that is sent to the slot, painted as finely as it is shown. */
export function SlotImage({ deck, slot, onBlank }: SlotImageProps) {
  const { box } = useShell();
  const revision = box.revisions.get(revisionKey({ deck, slot: slot.slot })) ?? "";
  const enlarged = slot.kind === "key" ? Math.max(1, KEY_PX / slot.width) : 1;
  // Pictures from before the page listens would be asked for twice.
  const isKnown = box.opened > 0 || !box.isLive;
  const at = (density: number) => {
    const scale = Math.min(MAX_PICTURE_SCALE, Math.ceil(enlarged * density - UNSEEN));
    const asked = scale === 1 ? "" : `scale=${scale}&`;
    return slotPath(deck, slot.slot, `/image.png?${asked}revision=${box.opened}.${revision}`);
  };
  return (
    <img
      src={isKnown ? at(1) : undefined}
      srcset={
        isKnown ? DENSITIES.map((density) => `${at(density)} ${density}x`).join(", ") : undefined
      }
      alt=""
      width={slot.width}
      height={slot.height}
      draggable={false}
      onLoad={(event) => onBlank?.(isOneColor(event.currentTarget))}
    />
  );
}

/** The size for that check, which still shows whether there is text. */
const LOOK_PX = 16;

function isOneColor(image: HTMLImageElement): boolean {
  const canvas = document.createElement("canvas");
  canvas.width = LOOK_PX;
  canvas.height = LOOK_PX;
  const context = canvas.getContext("2d");
  if (context === null) return false;
  context.drawImage(image, 0, 0, LOOK_PX, LOOK_PX);
  const pixels = new Uint32Array(context.getImageData(0, 0, LOOK_PX, LOOK_PX).data.buffer);
  return pixels.every((pixel) => pixel === pixels[0]);
}
