import { entryOf, isObject, isText } from "../../../base/input/json.ts";

/** The kinds of failures, by their effect on the order. */
export type AcmeKind =
  /** The CA could not connect to the name … */
  | "connection"
  /** … did not find it … */
  | "dns"
  /** … found no challenge certificate there … */
  | "tls"
  /** … or got another answer. */
  | "unauthorized"
  /** A CAA record of the name allows other CAs only. */
  | "caa"
  | "limit"
  /** The terms are not agreed to, or have changed. */
  | "agreement"
  /** The CA does not take our account. */
  | "account"
  /** The CA issues no certificate for such a name. */
  | "rejected-name"
  | "server"
  | "unreachable"
  /** The answer violates the standard, or does not match the order. */
  | "bad-answer"
  | "stopped";

/** A validation by the CA: the challenge, and its finding. */
export interface Validation {
  /** `http-01` says nothing about port 443. */
  readonly challenge: "tls-alpn-01" | "http-01";
  readonly addressUsed?: string;
}

interface FailureDetails {
  readonly retryAfterMs?: number | undefined;
  readonly validation?: Validation | undefined;
  /** The error's type without the common prefix, like `badNonce` (RFC 8555 section 6.7). */
  readonly type?: string | undefined;
  readonly status?: number | undefined;
}

export class AcmeFailed extends Error {
  readonly kind: AcmeKind;
  /** One line for people, from the CA where it said something: cut and without control characters. */
  readonly detail: string;
  readonly retryAfterMs: number | undefined;
  readonly validation: Validation | undefined;
  readonly type: string | undefined;
  readonly status: number | undefined;

  constructor(kind: AcmeKind, detail: string, more: FailureDetails = {}) {
    const line = oneLine(detail);
    super(`${kind}: ${line}`);
    this.kind = kind;
    this.detail = line;
    this.retryAfterMs = more.retryAfterMs;
    this.validation = more.validation;
    this.type = more.type;
    this.status = more.status;
  }
}

const LONGEST_DETAIL = 300;

function oneLine(text: string): string {
  const line = text
    .slice(0, 4 * LONGEST_DETAIL)
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim();
  return line.length > LONGEST_DETAIL ? `${line.slice(0, LONGEST_DETAIL)}…` : line;
}

const PREFIX = "urn:ietf:params:acme:error:";

/** RFC 8555 section 6.7, RFC 9773 section 7.4. */
const KINDS: Readonly<Record<string, AcmeKind>> = {
  connection: "connection",
  dns: "dns",
  tls: "tls",
  unauthorized: "unauthorized",
  incorrectResponse: "unauthorized",
  caa: "caa",
  rateLimited: "limit",
  userActionRequired: "agreement",
  accountDoesNotExist: "account",
  externalAccountRequired: "account",
  badPublicKey: "account",
  badSignatureAlgorithm: "account",
  rejectedIdentifier: "rejected-name",
  unsupportedIdentifier: "rejected-name",
};

/**
 * Reads a problem document; undefined where it is invalid. With several subproblems (section 6.7.1) the first known one
 * counts.
 */
export function failureOf(problem: unknown, more: FailureDetails = {}): AcmeFailed | undefined {
  if (!isObject(problem) || !isText(problem.type)) return undefined;
  const type = problem.type.replace(PREFIX, "");
  const detail = isText(problem.detail) ? problem.detail : type;
  const kind = entryOf(KINDS, type);
  if (kind !== undefined) return new AcmeFailed(kind, detail, { ...more, type });
  const parts = Array.isArray(problem.subproblems) ? problem.subproblems.slice(0, 8) : [];
  const known = parts
    .map((part) => failureOf(isObject(part) ? { ...part, subproblems: [] } : part, more))
    .find((part) => part !== undefined && part.kind !== "server");
  return known ?? new AcmeFailed("server", detail, { ...more, type });
}
