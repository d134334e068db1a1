import { digitPicture } from "../../appliance/box/emergency/picture.ts";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import type { FakeUnit } from "./fake-hid.ts";

/** The code that a unit shows, a digit on each of these slots; undefined while one shows something else. */
export async function codeOn(
  unit: FakeUnit,
  slots: readonly string[],
): Promise<string | undefined> {
  const digits = await Promise.all(slots.map(async (slot) => digitOf(await unit.shown(slot))));
  return digits.includes(-1) ? undefined : digits.join("");
}

/** -1 where it is none. */
function digitOf(pixels: Pixels | undefined): number {
  if (pixels === undefined) return -1;
  const { width, height, data } = pixels;
  return Array.from({ length: 10 }, (_, digit) => digitPicture(digit, pixels)).findIndex(
    (squares) => {
      for (let y = 4; y < height; y += 8)
        for (let x = 4; x < width; x += 8)
          if ((data[(y * width + x) * 4] ?? 0) > 127 !== squares.isLight(x >> 3, y >> 3))
            return false;
      return true;
    },
  );
}
