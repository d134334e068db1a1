import type { DeckView, PlaceView, SlotView } from "../../../appliance/control/wire.ts";

/** A row of a deck in its picture. */
interface Band {
  /** Share of the deck's width, 0–1. */
  share: number;
  /** Columns the band is divided into; pictures of one band may differ in width. */
  cells: Cell[];
}

interface Cell {
  place: PlaceView;
  /** Its share of the band's width, relative to its neighbours. */
  weight: number;
}

export function placesOf({ slots, inputs }: Pick<DeckView, "slots" | "inputs">): PlaceView[] {
  return [...slots, ...inputs];
}

/** The id of a place, like `k3` or `d0`. */
export function idOf(place: PlaceView): string {
  return "slot" in place ? place.slot : place.input;
}

/**
 * A deck's rows from top to bottom. A touch strip has rows of its own: its zones are not aligned with the keys above,
 * but share the width of the deck; inputs share the rest of it.
 */
export function bandsOf(places: readonly PlaceView[]): Band[] {
  const rows = [...new Set(places.map(({ row }) => row))].sort((a, b) => a - b);
  const bands = rows.map((row) =>
    places.filter((place) => place.row === row).sort((a, b) => a.column - b.column),
  );
  const key = Math.max(...places.filter(isKey).map(({ width }) => width), 1);
  const widthOf = (band: readonly PlaceView[]) =>
    band.reduce((sum, place) => sum + ("slot" in place ? place.width : key), 0);
  const widest = Math.max(...bands.filter((band) => band.some(isKey)).map(widthOf), 1);
  return bands.map((band) => {
    const inputs = band.filter((place) => !("slot" in place)).length;
    const isSpread = inputs > 0 && !band.some(isKey);
    const left = widest - widthOf(band) + inputs * key;
    const weight = (place: PlaceView) =>
      "slot" in place ? place.width : isSpread ? left / inputs : key;
    return {
      share: isSpread ? 1 : Math.min(1, widthOf(band) / widest),
      cells: band.map((place) => ({ place, weight: weight(place) })),
    };
  });
}

/** The next place in the direction of an arrow key; `from` where there is none. */
export function neighbour(places: readonly PlaceView[], from: string, key: string): string {
  const bands = bandsOf(places).map(({ cells }) => cells.map(({ place }) => idOf(place)));
  const row = bands.findIndex((band) => band.includes(from));
  const band = bands[row] ?? [];
  const column = band.indexOf(from);
  const byKey: Readonly<Record<string, string | undefined>> = {
    ArrowLeft: band[column - 1],
    ArrowRight: band[column + 1],
    ArrowUp: across(bands[row - 1], column, band.length),
    ArrowDown: across(bands[row + 1], column, band.length),
    Home: band[0],
    End: band.at(-1),
  };
  return byKey[key] ?? from;
}

/** The slot at the same place of another row, which may have more or fewer slots. */
function across(band: string[] | undefined, column: number, length: number): string | undefined {
  return band?.[Math.floor(((column + 0.5) * band.length) / length)];
}

function isKey(place: PlaceView): place is SlotView {
  return place.kind === "key";
}
