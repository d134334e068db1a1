import { type Day, formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { SavedView } from "../../base/input/selection.ts";
import type { Cancel } from "../../base/signal.ts";
import type { Goal } from "../../base/text/goals.ts";
import type { Mark } from "../../base/text/marks.ts";
import type { Hit } from "../../store/log/record.ts";
import { DEMO_PUSHES } from "./decks.ts";
import { demoVisits } from "./demo.ts";

interface DemoLifeOptions {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  readonly count: (site: string, hit: Hit) => void;
  readonly push: (channel: string, push: DemoPush) => void;
}

interface DemoPush {
  readonly text: string;
  readonly background?: string;
  readonly status?: "ok" | "fail";
  readonly ttl: 0;
}

/** The shortest pause between two pages of visitors. */
const MIN_PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 15_000;
/** A build fails so often, and is mended after so long. */
const FAILURE_MS = 10 * 60_000;
const MENDED_MS = 60_000;

/** The life of the demo: visitors come and go on, and a key alarms now and then until it is mended. */
export class DemoLife {
  readonly #options: DemoLifeOptions;
  readonly #visits: Iterator<{ site: string; hit: Hit }>;
  readonly #cancels = new Map<string, Cancel>();

  constructor(options: DemoLifeOptions) {
    this.#options = options;
    this.#visits = demoVisits(options.clock.now(), options.random);
    this.#visit();
    this.#fail();
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
  }

  #visit(): void {
    const { random, count } = this.#options;
    this.#after("visit", MIN_PAUSE_MS + random() * (MAX_PAUSE_MS - MIN_PAUSE_MS), () => {
      const { value } = this.#visits.next();
      if (value) count(value.site, value.hit);
      this.#visit();
    });
  }

  #fail(): void {
    const [{ channel, ...good }] = DEMO_PUSHES;
    const { push } = this.#options;
    this.#after("build", FAILURE_MS, () => {
      push(channel, { text: "Build\nfailed", background: "#7f1d1d", status: "fail", ttl: 0 });
      this.#after("build", MENDED_MS, () => {
        push(channel, { ...good, status: "ok", ttl: 0 });
        this.#fail();
      });
    });
  }

  #after(what: string, ms: number, task: () => void): void {
    this.#cancels.set(what, this.#options.clock.after(Math.round(ms), task));
  }
}

/** Goals of both sites, as an owner would have set them. */
export const DEMO_GOALS: readonly Goal[] = [
  { name: "Downloaded something", kind: "event", value: "download" },
  { name: "Went on elsewhere", kind: "event", value: "outbound" },
  { name: "Subscribed", kind: "event", value: "subscribe", unit: "€" },
  { name: "Read about it", kind: "page", value: "/about" },
];

/** Saved views of both sites. */
export const DEMO_VIEWS: readonly SavedView[] = [
  { name: "A year of search", query: "period=365d&where=ref_group%3Ais%3Asearch" },
  { name: "On phones", query: "where=device%3Ais%3Amobile" },
  { name: "Today by the hour", query: "period=day&metric=pv" },
];

const NOTED = [
  [171, "On Lobsters"],
  [96, "On Product Hunt"],
  [23, "On Hacker News"],
] as const;

/** Marks of both sites. */
export function demoMarks(today: Day): Mark[] {
  return NOTED.map(([ago, text]) => ({ day: formatDay(today - ago), text }));
}
