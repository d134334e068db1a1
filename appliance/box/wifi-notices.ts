import type { Notice } from "../deck/face/notices.ts";
import { SOFT_BREAK } from "../deck/face/text-fit.ts";
import { SET_UP_URL, type WifiReason, type WifiState, type WifiTrouble } from "./ipc/wifi-state.ts";
import { wifiCodeText, wifiTroubleText } from "./ipc/wifi-text.ts";

/** The state of the Wi-Fi, as decks and the screen show it. */
export interface WifiStanding extends WifiState {
  /** Whether a key offers a set-up, since it was held. */
  isOffered: boolean;
}

/** Whether the box's own network is about to open, is open, or was left for another. */
export function isSettingUp({ phase }: WifiStanding): boolean {
  return phase === "scanning" || phase === "open" || phase === "joining";
}

/**
 * The notices of the Wi-Fi, the most important first: a deck of six keys shows all.
 * @param timeOf writes a time of the day, from epoch milliseconds
 */
export function wifiNotices(
  standing: WifiStanding,
  hasAddress: boolean,
  timeOf: (at: number) => string,
): Notice[] {
  const { phase, own, network, trouble, hasInternet, isOffered } = standing;
  const reason = trouble === null ? [] : [troubleNotice(trouble)];
  if (phase === "open" && own !== null) {
    // A space would be typed.
    const name = own.name.replace("-", `-${SOFT_BREAK}`);
    return [
      { type: "wifi-code", text: wifiCodeText(own.name, own.key), words: `Join ${name}` },
      { type: "wifi-code", text: SET_UP_URL, words: `then open ${SET_UP_URL.slice(7, -1)}` },
      ...reason,
      { type: "wifi", top: "Wi-Fi", main: name, bottom: "", warns: false },
      { type: "wifi", top: "Key", main: inHalves(own.key), bottom: "", warns: false },
      { type: "wifi", top: "Scan", main: "1st, then 2nd", bottom: "code", warns: false },
    ];
  }
  if (phase === "scanning") return [said("looks around", ""), ...reason];
  if (phase === "joining" || phase === "changing") return [said("joins", network ?? "")];
  if (hasAddress) return hasInternet === false ? [said("no internet", network ?? "", true)] : [];
  return [
    ...(phase === "over" || isOffered ? [{ type: "wifi-begin" } as const] : []),
    ...(trouble === null ? [] : [troubleNotice(trouble, timeOf)]),
  ];
}

/** Sentences for a screen of 80 characters a line, without the codes. */
export function wifiSentences(standing: WifiStanding, hasAddress: boolean): string[] {
  const { phase, own, network, trouble, hasInternet, isNew } = standing;
  const reason = trouble === null ? [] : [wifiTroubleText(trouble)];
  const restart = isNew ? ", or a restart," : "";
  if (phase === "open" && own !== null)
    return [
      ...reason,
      "To set up the Wi-Fi with a phone, scan the left code, then the right one.",
      `Or join the network ${own.name} with the key ${own.key},`,
      `and open ${SET_UP_URL} there.`,
    ];
  if (phase === "scanning") return [...reason, "Tallydeck looks for networks."];
  if (phase === "joining" || phase === "changing") return [`Tallydeck joins ${network}.`];
  if (hasAddress) return hasInternet === false ? [`${network} does not lead to the internet.`] : [];
  return [
    ...reason,
    ...(phase === "over"
      ? [`The Wi-Fi set-up has ended: a key of the deck${restart} begins it again.`]
      : []),
  ];
}

const REASONS: Readonly<Record<WifiReason, readonly [top: string, main: string]>> = {
  "not-accepted": ["Password", "not accepted"],
  "not-found": ["Wi-Fi", "not found"],
  "no-address": ["Wi-Fi", "gives no address"],
  failed: ["Wi-Fi", "not joined"],
};

/** The time, if there is one, stands where a key of 72 pixels has room for all of it. */
function troubleNotice(
  { reason, network, at }: WifiTrouble,
  timeOf: (at: number) => string = () => "",
): Notice {
  const [about, main] = REASONS[reason];
  const time = at === null ? "" : timeOf(at);
  const isBeside = about === "Wi-Fi";
  const top = isBeside ? `${about} ${time}`.trim() : about;
  const bottom = isBeside ? network : `${time} ${network}`.trim();
  return { type: "wifi", top, main, bottom, warns: true };
}

function said(main: string, bottom: string, warns = false): Notice {
  return { type: "wifi", top: "Wi-Fi", main, bottom, warns };
}

/** A key that may break in its middle, so that it fits a key of the deck. */
function inHalves(key: string): string {
  const half = Math.ceil(key.length / 2);
  return `${key.slice(0, half)}${SOFT_BREAK}${key.slice(half)}`;
}
