import { Refusal } from "../base/refusal.ts";
import type { Slot } from "./release.ts";

/** The name of each slot's root; `image/steps/disk` makes the partitions. */
export const ROOTS: Readonly<Record<Slot, string>> = {
  a: "root=PARTUUID=7a11dec4-02",
  b: "root=PARTUUID=7a11dec4-03",
};
const ROOT = /(?<=^|\s)root=PARTUUID=7a11dec4-0[23](?=\s|$)/g;

/** The slot of the root on a kernel's command line; undefined where it is neither of the two. */
export function slotOfRoot(commandLine: string): Slot | undefined {
  const found = commandLine.match(ROOT);
  if (found?.length !== 1) return;
  return found[0] === ROOTS.a ? "a" : "b";
}

/**
 * A release's `cmdline.txt` for the slot that it is put in: only the root differs.
 * @throws {Refusal} `invalid_release` where it names none, or more than one
 */
export function commandLineFor(text: string, slot: Slot): string {
  if (slotOfRoot(text) === undefined)
    throw new Refusal(
      "invalid_release",
      "The release was made wrongly: its cmdline.txt names no root of this card. Tell who made it.",
    );
  return text.replace(ROOT, ROOTS[slot]);
}
