import { Refusal, type RefusalCode } from "../../base/refusal.ts";
import { NotFetched } from "./release-host.ts";

const SENTENCES = {
  again: ["no_update", "There is no such release to install any more. Look for releases again."],
  board: [
    "untried_board",
    "Updates on this board were never tried: keep a card reader near, and say that you want it all the same.",
  ],
  busy: ["not_now", "A release is on its way already. Wait until it is done, or cancel it."],
  closing: ["not_now", "The box restarts already. It is back in two minutes."],
  cut: ["invalid_release", "The file ended before it was complete. Send it again."],
  first: ["no_update", "There is no other release on this box to go back to."],
  home: ["no_update", "The box runs its own system already. There is nothing to keep."],
  large: ["too_large", "This file is larger than any release."],
  space: [
    "no_space",
    "There is not enough free space for the release, and counting comes first. Lower RETENTION_DAYS, or use a larger card.",
  ],
  off: [
    "no_release_source",
    "UPDATES=off: the box asks nobody for releases. Upload one, or change tallydeck.env on the card.",
  ],
  nobody: [
    "no_release_source",
    "The box does not know where releases are. Upload one, or name the place with UPDATE_URL in tallydeck.env on the card.",
  ],
  silent: ["not_now", "The updater could not be told. Restart the box and try again."],
  strange: ["not_now", "The box has not looked at its own releases yet. Try again in a minute."],
  time: ["not_now", "The box does not know the time yet, so it does not know when it is night."],
  trial: [
    "not_now",
    "The box does not run its own release now, so nothing is installed. Wait until it does.",
  ],
} as const satisfies Readonly<Record<string, readonly [RefusalCode, string]>>;

export function refuse(which: keyof typeof SENTENCES): Refusal {
  const [code, sentence] = SENTENCES[which];
  return new Refusal(code, sentence);
}

export function failureSentence(error: unknown): string {
  const isMeant = error instanceof NotFetched || error instanceof Refusal;
  return isMeant ? error.message : notKept(error).message;
}

/** The calls by which a release gets onto the disk; those of a connection are others. */
const OF_DISK = ["open", "write", "fsync", "fdatasync", "mkdir", "rename", "rm", "rmdir", "unlink"];

/** The refusal of an upload after an error of the disk; undefined for other errors. */
export function diskRefusal(error: unknown): Refusal | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC") return refuse("space");
  // EPIPE is an error of writing, too, and means a lost connection.
  return OF_DISK.includes(syscall ?? "") && code !== "EPIPE" ? notKept(error) : undefined;
}

function notKept(error: unknown): Refusal {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === undefined ? "" : ` (${code})`;
  return new Refusal(
    "storage_unavailable",
    `The release could not be kept on the card${why}. Restart the box and try again.`,
  );
}
