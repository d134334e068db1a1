const KINDS = ["view", "event", "left_out", "bot", "ping", "survey"] as const;
export type HitKind = (typeof KINDS)[number];
/** A hit for a site that does not exist counts nowhere; nothing but surveys is refused. */
type HitOutcome = "counted" | "unknown_site" | "refused";

const OUTCOMES: readonly HitOutcome[] = ["counted", "unknown_site"];

interface HitCount {
  readonly kind: HitKind;
  readonly outcome: HitOutcome;
  readonly count: number;
}

/** Numbers of hits since the start, without their sites. */
export class HitCounter {
  readonly #counts = new Map<HitKind, Map<HitOutcome, number>>(
    KINDS.map((kind) => [kind, new Map(OUTCOMES.map((outcome) => [outcome, 0]))]),
  );

  constructor() {
    this.#counts.get("survey")?.set("refused", 0);
  }

  count(kind: HitKind, outcome: HitOutcome): void {
    const counts = this.#counts.get(kind);
    counts?.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** The numbers of all kinds, those at zero included. */
  get counts(): readonly HitCount[] {
    return [...this.#counts].flatMap(([kind, counts]) =>
      [...counts].map(([outcome, count]) => ({ kind, outcome, count })),
    );
  }
}
