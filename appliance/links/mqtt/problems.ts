import { entryOf } from "../../base/input/json.ts";

/** Reason codes with which a broker refuses: those of MQTT 3.1.1 below 128, those of 5 above. */
const REFUSED: Readonly<Record<number, string>> = {
  1: "The broker speaks neither MQTT 5 nor 3.1.1: update it.",
  132: "The broker speaks neither MQTT 5 nor 3.1.1: update it.",
  2: "The broker refuses the machine's name: another client may use it.",
  133: "The broker refuses the machine's name: another client may use it.",
  3: "The broker is there but does not serve now. The machine tries again.",
  136: "The broker is there but does not serve now. The machine tries again.",
  137: "The broker is busy. The machine tries again.",
  4: "The broker refuses user and password: check both.",
  134: "The broker refuses user and password: check both.",
  5: "The broker lets this user not in: check user and password, and what the broker allows.",
  135: "The broker lets this user not in: check user and password, and what the broker allows.",
  138: "The broker has banned this machine: look at its settings.",
  142: "Another client signed in with this machine's name and took its place.",
};

const FAILED: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    "Nothing answers at the broker's port: check address and port, and whether it runs.",
  ENOTFOUND: "No machine is known by the broker's name: check it, or give its number.",
  EAI_AGAIN: "The broker's name cannot be looked up now. The machine tries again.",
  EHOSTUNREACH: "The broker cannot be reached: check its address and the network.",
  ENETUNREACH: "The broker cannot be reached: check its address and the network.",
  ETIMEDOUT: "The broker does not answer: check its address and the network.",
  ECONNRESET: "The broker ended the connection. The machine tries again.",
  EPIPE: "The broker ended the connection. The machine tries again.",
  SILENT:
    "The broker ended the connection without a word: check port and address, and what its log says. The machine tries again.",
  STALLED: "The broker took nothing from the machine for a minute. The machine tries again.",
  TOO_LARGE:
    "A message of more than 128 kB came in on a topic of this machine: find out who sends it. The machine tries again.",
  LONG_TOPIC:
    "A message came in whose topic has more than 512 bytes and begins like one of this machine: find out who sends it, and remove what the broker keeps of it. The machine tries again.",
  QOS_2:
    "The broker sent a message with QoS 2, which the machine had not asked for: update the broker. The machine tries again.",
  UNASKED:
    "The broker sent answers that the machine had not asked for: update the broker. The machine tries again.",
  TINY_PIECES:
    "The broker sends its messages in pieces of a few bytes: look what stands between it and the machine. The machine tries again.",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "The broker's certificate is signed by itself: give it as the certificate to trust.",
  SELF_SIGNED_CERT_IN_CHAIN:
    "The broker's certificate is signed by somebody this machine does not know: give that certificate.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "The broker's certificate is signed by somebody this machine does not know: give that certificate.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "The broker's certificate is signed by somebody this machine does not know: give that certificate.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The broker's certificate is for another name than the one it is reached by.",
  CERT_HAS_EXPIRED: "The broker's certificate has expired: renew it.",
  CERT_NOT_YET_VALID: "The broker's certificate is not valid yet: check the date of both machines.",
};

/** Whether a broker ended a connection because it does not speak MQTT 5: some only end it. */
export function isTooNew(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === 1 || code === 132 || code === "SILENT";
}

/** Whether it ended without a reason. */
export function isEndedUnsaid(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return error === undefined || code === "ECONNRESET" || code === "EPIPE";
}

/** A sentence about the end of a connection. @param error its reason; undefined where there is none */
export function problemOf(error: unknown): string {
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code === "number")
    return REFUSED[code] ?? `The broker refuses the connection (reason ${code}).`;
  const failed = typeof code === "string" ? entryOf(FAILED, code) : undefined;
  if (failed !== undefined) return failed;
  if (typeof code === "string" && /^ERR_SSL|^EPROTO/.test(code))
    return "The broker speaks no TLS at this port: check the port, or begin the address with mqtt://.";
  if (/keepalive timeout/i.test(message))
    return "The broker no longer answers. The machine tries again.";
  // All other errors are about input that is no MQTT, or about no input.
  if (message !== "")
    return "Something answers at the broker's address, but not as a broker: check the port.";
  return "The broker ended the connection. The machine tries again.";
}
