import type { Pixels } from "../../appliance/deck/pixels.ts";
import { digitPixels } from "../../scripts/make-digits.ts";
import type { FakeUnit } from "./fake-hid.ts";
import { difference } from "./pictures.ts";

/** Less than two digits differ. */
const SAME = 2.5;

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
  return Array.from({ length: 10 }, (_, digit) => digitPixels(digit, pixels)).findIndex(
    (expected) => difference(expected, pixels) < SAME,
  );
}
