import type { ModelInput, ModelSlot } from "./model.ts";

interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Pixels of a key's picture. */
  readonly width: number;
  readonly height?: number;
  /** Column of the first key. */
  readonly from?: number;
  readonly hasRelease?: boolean;
}

/** Keys row by row. */
export function keys({
  columns,
  rows,
  width,
  height = width,
  from = 0,
  hasRelease = true,
}: Grid): ModelSlot[] {
  return Array.from({ length: columns * rows }, (_, index) => ({
    slot: `k${index}`,
    kind: "key",
    column: from + (index % columns),
    row: Math.floor(index / columns),
    canPress: true,
    hasRelease,
    width,
    height,
  }));
}

type ZonePlace = Pick<ModelSlot, "column" | "row" | "width" | "height">;

/** Zones of a panel without switches, from the left or the top. */
export function panel(places: readonly ZonePlace[]): ModelSlot[] {
  return zones(places, false);
}

function zones(places: readonly ZonePlace[], canPress: boolean): ModelSlot[] {
  return places.map((place, index) => ({
    slot: `z${index}`,
    kind: "zone",
    canPress,
    // Firmware never reports its release.
    hasRelease: false,
    ...place,
  }));
}

/** A strip below the keys, cut into equal zones. */
export function strip(count: number, row: number, width: number, height: number): ModelSlot[] {
  const places = Array.from({ length: count }, (_, column) => ({ column, row, width, height }));
  return zones(places, true);
}

interface InputRow {
  readonly row: number;
  readonly columns: readonly number[];
  readonly hasRelease?: boolean;
}

const LETTERS = { dial: "d", button: "b", touch: "t" } as const;

/** Inputs of one kind, side by side. */
export function inputs(
  kind: ModelInput["kind"],
  { row, columns, hasRelease = true }: InputRow,
): ModelInput[] {
  return columns.map((column, index) => ({
    input: `${LETTERS[kind]}${index}`,
    kind,
    column,
    row,
    canPress: true,
    hasRelease,
  }));
}

/** `count` columns from the left. */
export function columns(count: number): number[] {
  return Array.from({ length: count }, (_, column) => column);
}
