/** Requests of the service about the reset of the box, by the names of their files: root watches for them. */
export const ASKED_RESET = { begin: "begin", callOff: "call-off" } as const;

/** Root's files for the service, in the folder above. `wanted`: a file on the card, or a jumper that was put on, asks for the reset. */
export const RESET_STATE = { wanted: "wanted", done: "done", jumper: "jumper" } as const;

/** The end of the old data: the card was also told to discard it, or it cannot be told. */
export type Erased = "discarded" | "deleted";

export const ERASED_WORDS: Readonly<Record<Erased, string>> = {
  discarded:
    "All data from before is deleted, and the card was told to discard it. The set-up begins anew.",
  deleted:
    "All data from before is deleted. This card cannot be told to discard it, so that somebody with the right tools may still read some of it. The set-up begins anew.",
};

/** For people before a box that has a jumper on, which asks once. */
export const JUMPER_WORDS =
  "A jumper is on pins 25 and 26: take it off. It erases nothing while it stays.";

/**
 * Sentences about a reset that comes, for a screen of 80 characters a line.
 * @param seconds until it begins; 0 once the box is about to restart
 * @param ways to stop it, beside the power
 */
export function resetText(seconds: number, ways: string): string {
  return seconds === 0
    ? "Tallydeck restarts and erases all its data. Leave it powered."
    : [
        `Tallydeck erases all its data in ${seconds} seconds.`,
        `To stop it, ${ways}, or unplug the power`,
        "and take the file RESET off the card, or the jumper off its pins.",
      ].join("\n");
}
