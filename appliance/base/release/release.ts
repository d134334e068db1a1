import { Refusal } from "../refusal.ts";

/** A system that was, or may be, on this box. */
export interface Release {
  /** A number that rises with every release, and decides which of two is newer. */
  readonly release: number;
  /** The version for people, like `0.3.0`. */
  readonly version: string;
}

/** One of the two places for a system: `a` is the second partition, `b` the third. */
export type Slot = "a" | "b";

export function otherSlot(slot: Slot): Slot {
  return slot === "a" ? "b" : "a";
}

/** The highest number of a release, which fits in a file name and in a 32-bit integer. */
export const MOST_RELEASE = 2_147_483_647;
const LINE = /^([A-Z]+)=(.*)$/;

/**
 * Reads `/etc/tallydeck-release`, which the boot partition holds for each slot too: lines of
 * `RELEASE=`, `VERSION=` and others.
 * @returns undefined when it names no release
 */
export function parseRelease(text: string): Release | undefined {
  const lines = new Map(
    text.split("\n").flatMap((line) => {
      const [, key, value] = LINE.exec(line.trim()) ?? [];
      return key === undefined || value === undefined ? [] : [[key, value] as const];
    }),
  );
  const [number, version] = [lines.get("RELEASE"), lines.get("VERSION")];
  if (number === undefined || version === undefined || !/^[1-9]\d{0,9}$/.test(number)) return;
  const release = Number(number);
  return release <= MOST_RELEASE && version !== "" ? { release, version } : undefined;
}

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
