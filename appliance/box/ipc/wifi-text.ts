import type { WifiReason, WifiState, WifiTrouble } from "./wifi-state.ts";

/**
 * The text of a QR code that lets phones join a network: zxing's wiki, “Barcode Contents”.
 * @param name up to 32 bytes
 */
export function wifiCodeText(name: string, key: string): string {
  return `WIFI:T:WPA;S:${codeValue(name)};P:${codeValue(key)};;`;
}

/** A value with its signs escaped. One that could be read as hexadecimal stands in quotes. */
function codeValue(text: string): string {
  const escaped = text.replace(/[\\;,":]/g, "\\$&");
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? `"${escaped}"` : escaped;
}

/**
 * The name of a network for people. Names are any bytes: invisible signs become `?`, and bytes that are no UTF-8 are
 * written in hexadecimal.
 */
export function networkNameText(bytes: Uint8Array): string {
  try {
    const name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  } catch {
    return Array.from(bytes, (byte) =>
      byte >= 0x20 && byte < 0x7f
        ? String.fromCharCode(byte)
        : `\\x${byte.toString(16).padStart(2, "0")}`,
    ).join("");
  }
}

/** A sentence about what came of the Wi-Fi; empty while nothing did. */
export function wifiResultText({ phase, trouble, network, hasInternet }: WifiState): string {
  if (trouble !== null) return wifiTroubleText(trouble);
  if (network === null || phase === "joining" || phase === "changing") return "";
  const note = hasInternet === false ? ", which does not lead to the internet" : "";
  return `The box joined ${network}${note}.`;
}

/** A sentence about a network that was not joined. */
export function wifiTroubleText({ reason, network, at }: WifiTrouble): string {
  const when = at === null ? "" : `, at ${new Date(at).toISOString().slice(11, 16)} UTC`;
  return `${REASONS[reason](network)}${when}.`;
}

const REASONS: Readonly<Record<WifiReason, (network: string) => string>> = {
  "not-accepted": (network) => `The password was not accepted by ${network}`,
  "not-found": (network) => `${network} was not found`,
  "no-address": (network) => `${network} was joined, but its router gave no address`,
  failed: (network) => `${network} could not be joined`,
};
