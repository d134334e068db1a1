import type { Cancel } from "../base/signal.ts";
import { resetText } from "../base/text/reset.ts";
import type { NoticeSource, StorageState } from "../deck/face/notices.ts";
import { type QrCode, qrCode } from "../deck/face/qr.ts";
import { SET_UP_URL } from "./ipc/wifi-state.ts";
import { wifiCodeText } from "./ipc/wifi-text.ts";
import type { PresenceStanding } from "./presence.ts";
import { type WifiStanding, wifiSentences } from "./wifi-notices.ts";

/** White modules around a QR code, as its standard requires. */
const QUIET_ZONE = 4;

/** The notices of decks, and what is for somebody before the box alone. */
export interface ScreenSource extends NoticeSource {
  /** The ssh key that waits for somebody at the box, with the code; undefined while none does. */
  presence(): PresenceStanding | undefined;
  /** The state of the Wi-Fi; undefined where there is none to set up. */
  wifi(): WifiStanding | undefined;
}

/** Shows the board on a text screen, and draws all of it after each change. */
export function showOn(board: ScreenSource, show: (text: string) => void): Cancel {
  let shown = "";
  const look = () => {
    const text = screenText(board);
    if (text === shown) return;
    shown = text;
    show(text);
  };
  look();
  return board.changed.on(look);
}

/** The text of a screen of 80×25 characters for a person before the box. */
export function screenText(board: Omit<ScreenSource, "changed">): string {
  const [address, byName] = [board.address(), board.addressByName()];
  const outside = board.publicAddress();
  const says = new Map(board.notices().map((notice) => [notice.type, notice]));
  if (says.has("starting")) return "Tallydeck is starting.";
  const [reset, storage] = [says.get("reset"), says.get("storage")];
  if (reset?.type === "reset" && !("sentence" in reset))
    return resetText(
      reset.state === "going" ? 0 : reset.seconds,
      "press any key of the deck, use the Web UI",
    );
  const wifi = board.wifi();
  const about = wifi === undefined ? [] : wifiSentences(wifi, address !== undefined);
  if (wifi?.phase === "open" && wifi.own !== null) {
    const { name, key } = wifi.own;
    return [...sideBySide([wifiCodeText(name, key), SET_UP_URL]), ...about].join("\n");
  }
  const presence = board.presence();
  const [code, update] = [says.get("setup-code"), says.get("update")];
  return [
    ...(address === undefined
      ? about.length > 0
        ? about
        : ["Tallydeck has no network yet: plug in a cable, or fill in the Wi-Fi in tallydeck.env."]
      : [...halfBlocks(qrCode(address)), "", `Tallydeck is at ${address}`]),
    ...(address === undefined || byName === undefined ? [] : [`and at ${byName}`]),
    ...(address === undefined ? [] : about),
    ...(presence === undefined ? [] : presenceLines(presence)),
    ...(code?.type === "setup-code" ? [`Setup code ${code.code}`] : []),
    ...(reset?.type === "reset" && "sentence" in reset ? [reset.sentence] : []),
    ...(says.has("data-unusable")
      ? ["The data cannot be used: open the address to restore a backup or to start anew."]
      : []),
    ...(storage?.type === "storage" ? [STORAGE_WORDS[storage.state]] : []),
    ...(says.has("backup") ? ["There was no good backup for a week."] : []),
    ...(says.has("place") ? ["Nothing comes from another place that counts."] : []),
    ...(says.has("clock-not-set") ? ["The clock is not set."] : []),
    ...(update?.type === "update" ? [update.sentence] : []),
    ...(outside === undefined ? [] : [`Public address: ${outside.sentence}`]),
  ].join("\n");
}

function presenceLines({ key, code }: PresenceStanding): string[] {
  return [
    `Somebody asks in the Web UI to let the ssh key …${key} in, which opens all of this box.`,
    `Is it you? Type ${code.slice(0, 4)} ${code.slice(4)} there, or press the key of the deck that shows it.`,
  ];
}

/** Codes of texts beside each other. */
function sideBySide(texts: readonly string[]): string[] {
  const codes = texts.map((text) => halfBlocks(qrCode(text)));
  const height = Math.max(...codes.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    codes
      .map((code) => code[line] ?? " ".repeat(code[0]?.length ?? 0))
      .join("   ")
      .trimEnd(),
  );
}

const STORAGE_WORDS: Readonly<Record<StorageState, string>> = {
  full: "The storage is full.",
  stuck: "The storage takes nothing.",
  failing: "The memory card or disk has errors: make a backup, then use another one.",
};

/** Two modules a character, light ones drawn, since the screen is dark. */
function halfBlocks({ size, modules }: QrCode): string[] {
  const isLight = (x: number, y: number) =>
    x < 0 || y < 0 || x >= size || y >= size || !modules[y * size + x];
  const lines: string[] = [];
  for (let y = -QUIET_ZONE; y < size + QUIET_ZONE; y += 2) {
    let line = "";
    for (let x = -QUIET_ZONE; x < size + QUIET_ZONE; x += 1)
      line += HALVES[(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)];
    lines.push(line);
  }
  return lines;
}

/** Dark over dark, dark over light, light over dark, light over light: in every console font. */
const HALVES = [" ", "▄", "▀", "█"] as const;
