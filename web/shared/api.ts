import type { ErrorAnswer } from "../../appliance/traffic/collector/wire.ts";

/** The failure of a request, in a sentence for the person at the page. */
export class ReadError extends Error {
  /** `offline`: there was no answer, or only a part of it; another try may work. */
  readonly kind: "unauthorized" | "busy" | "offline" | "refused";

  constructor(kind: ReadError["kind"], message: string) {
    super(message);
    this.name = "ReadError";
    this.kind = kind;
  }
}

/** A body with its ETag, the server's clock and how many sites the token opens, or "unchanged" for a 304. */
export type Answer<T> =
  | { unchanged: false; body: T; etag: string | null; at: number; sites: number }
  | { unchanged: true; at: number };

export interface ReadOptions {
  /** The ETag of the present content, which then comes back as `unchanged`. */
  etag?: string | null;
  signal?: AbortSignal;
  method?: "POST";
}

/** Query parameters; `undefined` and empty ones are left out, and a list is one for each. */
export type Query = Record<string, string | number | readonly string[] | undefined>;

/** A URL relative to the page, so that a path prefix in front of the collector keeps working. */
export function relativeUrl(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of [value ?? ""].flat()) if (one !== "") params.append(key, String(one));
  }
  const text = params.toString();
  return text === "" ? path : `${path}?${text}`;
}

/**
 * Reads JSON with the token in the Authorization header.
 * @throws {ReadError} with a sentence that says what to do; AbortError when aborted
 */
export async function readJson<T>(
  path: string,
  query: Query,
  token: string,
  options: ReadOptions = {},
): Promise<Answer<T>> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
  if (options.etag) headers["If-None-Match"] = options.etag;
  const { method = "GET", signal } = options;
  const init = { method, headers, ...(signal && { signal }) };
  const response = await answerOf(relativeUrl(path, query), init);
  const at = Date.parse(response.headers.get("date") ?? "") || Date.now();
  if (response.status === 304) return { unchanged: true, at };
  if (!response.ok) throw await failureOf(response);
  return {
    unchanged: false,
    body: await bodyOf<T>(response),
    etag: response.headers.get("etag"),
    at,
    sites: Number(response.headers.get("tallydeck-sites")),
  };
}

async function answerOf(url: string, init: RequestInit) {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ReadError(
      "offline",
      "The machine does not answer. Check that it has power and network, and that this device is on the same network.",
    );
  }
}

async function bodyOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw new ReadError(
      "offline",
      "The answer was cut short or is not from Tallydeck. Try again; behind a proxy, check where it forwards to.",
    );
  }
}

async function failureOf(response: Response): Promise<ReadError> {
  if (response.status === 401) {
    return new ReadError(
      "unauthorized",
      "This token does not open this site. Check both: a site token opens its own site only, the admin token opens every site that exists.",
    );
  }
  if (response.status === 429) {
    const wait = response.headers.get("retry-after");
    return new ReadError(
      "busy",
      `Too many wrong tokens from this address. Wait ${wait ? `${wait} seconds` : "a minute"} and try again.`,
    );
  }
  const kind = AWAY.includes(response.status) ? "offline" : "refused";
  return new ReadError(kind, await sentenceOf(response));
}

/** The statuses of a proxy for a box that is away, and of a box that is not ready yet. */
const AWAY = [502, 503, 504];

async function sentenceOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as Partial<ErrorAnswer>;
    if (error) return plainWords(error);
  } catch {
    // A proxy's error page is no JSON: then only the status is known.
  }
  return `The machine answered with status ${response.status}. Try again in a moment; if it stays, look at the service's log.`;
}

/**
 * An error's sentence, which names a field by a path for programs, in words for people:
 * `"goals.2.value" must be …` → `Goals, number 3: value must be …`.
 */
export function plainWords(sentence: string): string {
  return sentence
    .replace(/^"([^"]+)" /, (_, path: string) => `${nameOf(path)} `)
    .replaceAll("`", '"');
}

function nameOf(path: string): string {
  // A number at the beginning is a name that somebody gave.
  const words = path
    .split(".")
    .map((word, at) => (at > 0 && /^\d+$/.test(word) ? `number ${Number(word) + 1}` : word));
  const field = /\.\d+$/.test(path) ? [] : words.splice(-1);
  const text = [words.join(", "), ...field].filter(Boolean).join(": ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
