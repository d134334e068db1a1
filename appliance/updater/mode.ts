import type { Told } from "../release/told.ts";
import { slotOf } from "./boot-config.ts";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import { configOf } from "./fat.ts";
import type { Attempt, Journal } from "./journal.ts";

/** Why this system runs: config.txt says so, it is tried, or neither. */
export function modeOf(box: Box, { attempt }: Journal): Told["mode"] {
  if (isRule(box)) return "normal";
  const isTried =
    attempt !== undefined &&
    isRunning(box, attempt) &&
    (attempt.state === "armed" || (attempt.state === "started" && attempt.boot === box.boot));
  return isTried ? "trial" : "visit";
}

/** Whether config.txt has the firmware start what runs. */
export function isRule(box: Box): boolean {
  return slotOf(configOf(box)) === runningSlot(box);
}

/** Whether what runs is what the attempt is about. */
export function isRunning(box: Box, { slot, to }: Pick<Attempt, "slot" | "to">): boolean {
  return slot === runningSlot(box) && to.release === runningRelease(box).release;
}

/** It was to start: it did, or the power went before. */
export function wasArmed({ state }: Attempt): boolean {
  return state === "armed" || state === "started";
}
