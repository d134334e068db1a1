/** `stopped`: the signal was aborted. `cut`: the connection was closed, or the answer was no HTTP. */
type AskReason =
  | "no-answer"
  | "refused"
  | "no-host"
  | "certificate"
  | "too-large"
  | "cut"
  | "stopped";

/** The failure of a request to another server. Its message has no address and no header, so that it may be shown. */
export class AskFailed extends Error {
  readonly reason: AskReason;

  constructor(reason: AskReason, message: string = SAID[reason]) {
    super(message);
    this.reason = reason;
  }
}

const SAID: Readonly<Record<AskReason, string>> = {
  "no-answer": "there was no answer in time",
  refused: "the connection was refused",
  "no-host": "there is no such host, or the name servers did not answer",
  certificate: "the server's certificate is not trusted",
  "too-large": "the answer was too large",
  cut: "the connection broke before the answer was whole",
  stopped: "it was stopped",
};

const REASONS: Readonly<Record<string, AskReason>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EAI_AGAIN: "no-host",
  EAI_FAIL: "no-host",
  ETIMEDOUT: "no-answer",
  EHOSTUNREACH: "no-answer",
  ENETUNREACH: "no-answer",
  EADDRNOTAVAIL: "no-answer",
};

/** The codes of Node and OpenSSL for a certificate that is not to be trusted. */
const CERTIFICATE = /CERT|UNABLE_TO|_CHAIN|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|CRL/;

/**
 * The reason why a request of the box failed.
 * @param end aborted where it took too long
 */
export function askFailure(error: unknown, end: AbortSignal): AskFailed {
  if (error instanceof AskFailed) return error;
  if (end.aborted) return new AskFailed("no-answer");
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code in REASONS) return new AskFailed(REASONS[code] ?? "cut");
  if (!CERTIFICATE.test(code)) return new AskFailed("cut");
  return new AskFailed("certificate", `${SAID.certificate} (${code})`);
}
