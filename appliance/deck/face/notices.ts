import type { Listenable } from "../../base/signal.ts";
import { chooseColors, dimmed, RED, WARNING } from "./colors.ts";
import type { PublicStanding } from "./face-context.ts";
import { figureOf, type PlainFace } from "./plain.ts";
import type { AddressFace } from "./widgets/address.ts";

/** A notice of the box itself. */
export type Notice =
  | { type: "starting" }
  | { type: "data-unusable" }
  | ({ type: "reset" } & ResetStanding)
  | { type: "setup-code"; code: string }
  | { type: "clock-not-set" }
  | { type: "storage"; state: StorageState }
  | { type: "public-address"; words: string }
  /** A code to scan; the words stand beside it where there is room. */
  | { type: "wifi-code"; text: string; words: string }
  | { type: "wifi"; top: string; main: string; bottom: string; warns: boolean }
  /** A press opens the box's own network. */
  | { type: "wifi-begin" }
  /** A press lets a key for ssh in, of which this is the end. */
  | { type: "ssh-key"; key: string }
  | { type: "backup"; words: string }
  | ({ type: "place" } & PlaceTrouble)
  | ({ type: "update" } & UpdateStanding);

/** `full`: no new value is taken in; `stuck`: nothing can be stored; `failing`: the card or disk has errors. */
export type StorageState = "full" | "stuck" | "failing";

/** The state of a reset: the box can be told to stop, is about to restart, has erased its data, or a jumper is left on. */
export type ResetStanding =
  | { state: "counting"; seconds: number }
  | { state: "going" }
  | { state: "done" | "jumper"; sentence: string };

/** A place from which nothing comes: texts for a key of 72 pixels. */
export interface PlaceTrouble {
  name: string;
  main: string;
  since: string;
}

/** The state of the system that the box runs, or is about to run. */
export interface UpdateStanding {
  /**
   * `hint` can wait: it takes over no slot that shows something. `away` stays on the deck while the
   * box is away.
   */
  weight: "hint" | "news" | "warning" | "away";
  /** Texts for a key of 72 pixels: two or three words, and small lines above and below. */
  top: string;
  main: string;
  bottom: string;
  /** The same as a sentence. */
  sentence: string;
}

/** The notices that the box shows on its decks. */
export interface NoticeSource {
  notices(): readonly Notice[];
  /** URL of the Web UI; undefined while there is no network. */
  address(): string | undefined;
  /** The URL with the name of this machine, if the local network has one for it. */
  addressByName(): string | undefined;
  /** The state of the public address; undefined while it is off. */
  publicAddress(): PublicStanding | undefined;
  readonly changed: Listenable;
}

export function isHint(notice: Notice): boolean {
  if (notice.type === "reset") return notice.state === "jumper";
  return notice.type === "update" && notice.weight === "hint";
}

const USUAL = chooseColors({});
const WARNS = { ...USUAL, color: WARNING };

/**
 * The face of a notice, which replaces that of a widget.
 * @param hasRoom whether the slot has room for words beside a picture
 */
export function noticeFace(notice: Notice, hasRoom = false): PlainFace | AddressFace {
  switch (notice.type) {
    case "wifi-code": {
      const { text: url, words: text } = notice;
      return { kind: "address", url, text, show: hasRoom ? "both" : "code", ...USUAL };
    }
    case "wifi":
      return figureOf(notice.warns ? WARNS : USUAL, notice.top, notice.main, notice.bottom);
    case "wifi-begin":
      return figureOf(USUAL, "Wi-Fi", "set-up", "press");
    case "ssh-key":
      return figureOf(RED, "ssh key", `…${notice.key}`, "press: add");
    case "starting":
      return { kind: "text", text: "Starting…", ...dimmed(USUAL) };
    case "setup-code":
      return figureOf(USUAL, "Setup code", `${notice.code.slice(0, 3)} ${notice.code.slice(3)}`);
    case "data-unusable":
      return figureOf(WARNS, "Data", "not usable");
    case "reset":
      return resetFace(notice);
    case "clock-not-set":
      return figureOf(WARNS, "Clock", "not set");
    case "storage":
      return figureOf(notice.state === "failing" ? RED : WARNS, "Storage", notice.state);
    case "public-address":
      return figureOf(WARNS, "Public", notice.words);
    case "backup":
      return figureOf(WARNS, "Backup", notice.words);
    case "place":
      return figureOf(WARNS, notice.name, notice.main, notice.since);
    case "update": {
      const { top, main, bottom, weight } = notice;
      return figureOf(weight === "warning" ? WARNS : USUAL, top, main, bottom);
    }
  }
}

function resetFace(standing: ResetStanding): PlainFace {
  switch (standing.state) {
    case "counting":
      return figureOf(RED, "Erases all", `in ${standing.seconds} s`, "press: stop");
    case "going":
      return figureOf(RED, "Reset", "erasing", "leave it on");
    case "done":
      return figureOf(USUAL, "Reset", "done");
    case "jumper":
      return figureOf(WARNS, "Pins 25, 26", "jumper", "take it off");
  }
}
