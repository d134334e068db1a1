import type { Slot } from "../../../appliance/control/wire.ts";

/** A row of a deck as it lies on the table. */
interface Band {
  /** Share of the deck's width, 0–1. */
  share: number;
  /** Columns the band is divided into; pictures of one band may differ in width. */
  cells: Cell[];
}

interface Cell {
  slot: Slot;
  /** How much of the band's width it takes, relative to its neighbours. */
  weight: number;
}

/**
 * A deck's rows from top to bottom. A touch strip has rows of its own: its zones do not line up
 * with the keys above, but share the width of the deck.
 */
export function bandsOf(slots: readonly Slot[]): Band[] {
  const rows = [...new Set(slots.map(({ row }) => row))].sort((a, b) => a - b);
  const bands = rows.map((row) =>
    slots.filter((slot) => slot.row === row).sort((a, b) => a.column - b.column),
  );
  const widest = Math.max(...bands.filter(hasKeys).map(widthOf), 1);
  return bands.map((band) => ({
    share: hasKeys(band) ? 1 : Math.min(1, widthOf(band) / widest),
    cells: band.map((slot) => ({ slot, weight: slot.width })),
  }));
}

/** The slot one goes to from `from` with an arrow key; the same when there is none that way. */
export function neighbour(slots: readonly Slot[], from: string, key: string): string {
  const bands = bandsOf(slots).map(({ cells }) => cells.map(({ slot }) => slot.slot));
  const row = bands.findIndex((band) => band.includes(from));
  const band = bands[row] ?? [];
  const column = band.indexOf(from);
  switch (key) {
    case "ArrowLeft":
      return band[column - 1] ?? from;
    case "ArrowRight":
      return band[column + 1] ?? from;
    case "Home":
      return band[0] ?? from;
    case "End":
      return band.at(-1) ?? from;
    case "ArrowUp":
      return across(bands[row - 1], column, band.length) ?? from;
    case "ArrowDown":
      return across(bands[row + 1], column, band.length) ?? from;
    default:
      return from;
  }
}

/** What lies at the same place of another row, which may have more or fewer slots. */
function across(band: string[] | undefined, column: number, length: number): string | undefined {
  return band?.[Math.floor(((column + 0.5) * band.length) / length)];
}

/** `Key 3` or `Zone 1`: what a person calls a slot. */
export function slotName({ slot, kind }: Pick<Slot, "slot" | "kind">): string {
  return `${kind === "key" ? "Key" : "Zone"} ${Number(slot.slice(1)) + 1}`;
}

function hasKeys(band: readonly Slot[]): boolean {
  return band.some(({ kind }) => kind === "key");
}

function widthOf(band: readonly Slot[]): number {
  return band.reduce((sum, { width }) => sum + width, 0);
}
