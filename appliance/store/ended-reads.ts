import { type Day, formatDay, HOUR_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { isObject } from "../base/json.ts";
import { Refusal } from "../base/refusal.ts";
import type { EndedRead } from "./reports.ts";

interface Ended extends EndedRead {
  /** Monotonic milliseconds from which on it is tried again. */
  readonly until: number;
}

/** The data may be another after that: folded, merged, past retention. */
const REST_MS = HOUR_MS;
/** The one that ended the reader first is tried again first. */
const MOST = 64;
/** These change from one time to the next, and what is read does not. */
const PASSING: ReadonlySet<string> = new Set(["live", "warnings", "secret", "accepts"]);
/** Is asked again and again, each time with the time. */
const ALWAYS_THE_SAME: ReadonlySet<string> = new Set(["settlement"]);

/** As an owner knows them; others have names that say it. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["stats", "/stats"],
  ["overview", "/overview"],
  ["surveySummary", "/surveys"],
  ["surveyPage", "/surveys/export"],
  ["surveyVersions", "/surveys/versions"],
  ["viewCounts", "a badge"],
  ["settlement", "settling the log"],
]);

/** Questions that ended the reader; each is refused for an hour. */
export class EndedReads {
  readonly #clock: Clock;
  readonly #ended = new Map<string, Ended>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Newest first. */
  list(): EndedRead[] {
    this.#dropOld();
    return [...this.#ended.values()].map(({ at, question }) => ({ at, question })).reverse();
  }

  /** @throws {Refusal} `too_much` for a question that ended the reader */
  refuse(query: string, input: unknown): void {
    this.#dropOld();
    // Asked before each read: most of the time there is none.
    if (this.#ended.size === 0 || !this.#ended.has(keyOf(query, input))) return;
    throw new Refusal(
      "too_much",
      "This question took more memory than there is when it was asked last, and is not tried again for an hour. Ask for fewer days, or for one thing at a time.",
    );
  }

  note(query: string, input: unknown): EndedRead {
    const key = keyOf(query, input);
    const at = this.#clock.now();
    const ended = {
      ...{ at, question: questionOf(query, input) },
      until: this.#clock.monotonic() + REST_MS,
    };
    this.#ended.delete(key);
    this.#ended.set(key, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MOST && oldest !== undefined) this.#ended.delete(oldest);
    return ended;
  }

  /** The data is another. */
  clear(): void {
    this.#ended.clear();
  }

  #dropOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#ended) if (until <= now) this.#ended.delete(key);
  }
}

function keyOf(query: string, input: unknown): string {
  if (ALWAYS_THE_SAME.has(query)) return query;
  return `${query} ${JSON.stringify(input, (key, value) => (PASSING.has(key) ? undefined : value))}`;
}

function questionOf(query: string, input: unknown): string {
  const asked = isObject(input) && isObject(input.query) ? input.query : {};
  const { id, from, to } = asked;
  const site = typeof id === "string" ? ` of ${id}` : "";
  const days = to === undefined ? "" : `, ${dayText(from)} to ${dayText(to)}`;
  return `${NAMES.get(query) ?? query}${site}${days}`;
}

function dayText(day: unknown): string {
  return typeof day === "number" ? formatDay(day as Day) : String(day);
}
