import type { Pixels } from "../pixels.ts";

interface Placed {
  readonly column: number;
  readonly row: number;
  readonly pixels: Pixels;
}

/** Pixels between two slots. */
const GAP = 8;

/** Draws all pictures of a deck into one, on black, each in the middle of its column and row. */
export function wholePicture(slots: readonly Placed[]): Pixels {
  const columns = starts(slots.map(({ column, pixels }) => ({ at: column, size: pixels.width })));
  const rows = starts(slots.map(({ row, pixels }) => ({ at: row, size: pixels.height })));
  const [width, height] = [columns.end, rows.end];
  const data = new Uint8ClampedArray(width * height * 4);
  for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255;
  for (const { column, row, pixels } of slots) {
    const left = columns.middle(column, pixels.width);
    const top = rows.middle(row, pixels.height);
    for (let y = 0; y < pixels.height; y++) {
      const line = pixels.data.subarray(y * pixels.width * 4, (y + 1) * pixels.width * 4);
      data.set(line, ((top + y) * width + left) * 4);
    }
  }
  return { width, height, data };
}

/** The positions of rows or columns, each as large as its largest slot. */
function starts(placed: readonly { at: number; size: number }[]) {
  const sizes: number[] = [];
  for (const { at, size } of placed) sizes[at] = Math.max(sizes[at] ?? 0, size);
  let end = GAP;
  const begins = Array.from(sizes, (size = 0) => {
    const begin = end;
    if (size > 0) end += size + GAP;
    return begin;
  });
  return {
    end,
    middle: (at: number, size: number) =>
      (begins[at] ?? 0) + Math.floor(((sizes[at] ?? 0) - size) / 2),
  };
}
