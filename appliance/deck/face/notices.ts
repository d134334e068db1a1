import type { Listenable } from "../../base/signal.ts";
import { chooseColors, dimmed, RED, WARNING } from "./colors.ts";
import type { PublicStanding } from "./face-context.ts";
import type { PlainFace } from "./plain.ts";
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
  | ({ type: "update" } & UpdateStanding);

/** `full`: no new value is taken in; `stuck`: nothing can be stored; `failing`: the card or disk has errors. */
export type StorageState = "full" | "stuck" | "failing";

/** The state of a reset: the box can be told to stop, is about to restart, has erased its data, or a jumper is left on. */
export type ResetStanding =
  | { state: "counting"; seconds: number }
  | { state: "going" }
  | { state: "done" | "jumper"; sentence: string };

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

/**
 * The face of a notice, which replaces that of a widget.
 * @param hasRoom whether the slot has room for words beside a picture
 */
export function noticeFace(notice: Notice, hasRoom = false): PlainFace | AddressFace {
  const colors = chooseColors({});
  switch (notice.type) {
    case "wifi-code": {
      const { text: url, words: text } = notice;
      return { kind: "address", url, text, show: hasRoom ? "both" : "code", ...colors };
    }
    case "wifi": {
      const { top, main, bottom, warns } = notice;
      return { kind: "figure", top, main, bottom, ...colors, ...(warns && { color: WARNING }) };
    }
    case "wifi-begin":
      return { kind: "figure", top: "Wi-Fi", main: "set-up", bottom: "press", ...colors };
    case "ssh-key": {
      const main = `…${notice.key}`;
      return { kind: "figure", top: "ssh key", main, bottom: "press: add", ...RED };
    }
    case "starting":
      return { kind: "text", text: "Starting…", ...dimmed(colors) };
    case "setup-code": {
      const main = `${notice.code.slice(0, 3)} ${notice.code.slice(3)}`;
      return { kind: "figure", top: "Setup code", main, bottom: "", ...colors };
    }
    case "data-unusable": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Data", main: "not usable", bottom: "", ...warning };
    }
    case "reset":
      return resetFace(notice);
    case "clock-not-set": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Clock", main: "not set", bottom: "", ...warning };
    }
    case "storage": {
      const own = notice.state === "failing" ? RED : { ...colors, color: WARNING };
      return { kind: "figure", top: "Storage", main: notice.state, bottom: "", ...own };
    }
    case "public-address": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Public", main: notice.words, bottom: "", ...warning };
    }
    case "backup": {
      const warning = { ...colors, color: WARNING };
      return { kind: "figure", top: "Backup", main: notice.words, bottom: "", ...warning };
    }
    case "update": {
      const { top, main, bottom, weight } = notice;
      const color = weight === "warning" ? { color: WARNING } : {};
      return { kind: "figure", top, main, bottom, ...colors, ...color };
    }
  }
}

function resetFace(standing: ResetStanding): PlainFace {
  switch (standing.state) {
    case "counting": {
      const main = `in ${standing.seconds} s`;
      return { kind: "figure", top: "Erases all", main, bottom: "press: stop", ...RED };
    }
    case "going":
      return { kind: "figure", top: "Reset", main: "erasing", bottom: "leave it on", ...RED };
    case "done":
      return { kind: "figure", top: "Reset", main: "done", bottom: "", ...chooseColors({}) };
    case "jumper": {
      const warning = { ...chooseColors({}), color: WARNING };
      return {
        kind: "figure",
        top: "Pins 25, 26",
        main: "jumper",
        bottom: "take it off",
        ...warning,
      };
    }
  }
}
