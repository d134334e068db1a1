import type { ErrorAnswer } from "../../appliance/control/wire.ts";
import { plainWords } from "../shared/api.ts";

/** The failure of a request to the box, in a sentence for the person at the page. */
export class AskError extends Error {
  readonly kind: "unauthorized" | "offline" | "refused";
  /** The box's code for it; empty where the box has said nothing. */
  readonly code: string;

  constructor(kind: AskError["kind"], message: string, code = "") {
    super(message);
    this.name = "AskError";
    this.kind = kind;
    this.code = code;
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The body of a request: a value, sent as JSON, or a file, sent as it is. */
type Body = object | Blob;

/**
 * Sends a request to the control API. The session is in a cookie that scripts cannot read.
 * @returns the answer, with its body unread
 * @throws {AskError} with advice in a sentence
 */
export async function askRaw(method: Method, path: string, body?: Body): Promise<Response> {
  return accepted(await answerOf(method, path, body));
}

/**
 * Checks an answer.
 * @returns the answer after a success
 * @throws {AskError} after a failure
 */
export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const given = await givenError(response);
  const kind = response.status === 401 ? "unauthorized" : "refused";
  throw new AskError(kind, sentenceOf(response, given), given.code);
}

/**
 * Sends a request, and reads the JSON of the answer; undefined without a body.
 * @throws {AskError} with advice in a sentence
 */
export async function ask<T = void>(method: Method, path: string, body?: Body): Promise<T> {
  const response = await askRaw(method, path, body);
  noteTime(response);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch {
    throw new AskError(
      "refused",
      "The answer was cut short or is not from a Tallydeck. Try again; behind a proxy, check where it forwards to.",
    );
  }
}

async function answerOf(method: Method, path: string, body?: Body): Promise<Response> {
  const init: RequestInit = { method };
  if (body instanceof Blob) {
    init.body = body;
    init.headers = { "Content-Type": "application/octet-stream" };
  } else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  try {
    return await fetch(path, init);
  } catch {
    throw new AskError("offline", NO_ANSWER);
  }
}

export const NO_ANSWER =
  "The machine does not answer. Check that it has power and network, and that this device is on the same network.";

const BY_STATUS: Readonly<Record<number, string>> = {
  401: "Sign in first.",
  403: "The machine does not answer to this address. Open it by its own name or number, or add the name to ALLOWED_HOSTS.",
  413: "That is more than the machine takes.",
  429: "Too many tries.",
  503: "The machine cannot do this now. Its storage may be full or read-only: check its disk or memory card.",
};

function sentenceOf(response: Response, { error }: Partial<ErrorAnswer>): string {
  const { status } = response;
  const sentence =
    error === undefined
      ? (BY_STATUS[status] ?? `The machine answered with status ${status}. Try again in a moment.`)
      : plainWords(error);
  const seconds = Number(response.headers.get("retry-after"));
  return status === 429 && seconds > 0 ? `${sentence} Wait ${waitOf(seconds)}.` : sentence;
}

async function givenError(response: Response): Promise<Partial<ErrorAnswer>> {
  try {
    return (await response.json()) as Partial<ErrorAnswer>;
  } catch {
    // A proxy's error page is not JSON.
    return {};
  }
}

function waitOf(seconds: number): string {
  if (seconds === 1) return "a second";
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** Milliseconds the box's clock is ahead of this device's. */
let ahead = 0;

/** A smaller difference of clocks is ignored: the header has whole seconds, and the answer takes some time. */
const SAME_MS = 2_000;

function noteTime(response: Response): void {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return;
  const difference = date - Date.now();
  ahead = Math.abs(difference) < SAME_MS ? 0 : difference;
}

/** The time by the clock of the box, epoch milliseconds. */
export function boxNow(): number {
  return Date.now() + ahead;
}
