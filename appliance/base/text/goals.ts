/** An aim of a site: an event that happens, or a page that is reached. */
export interface Goal {
  readonly name: string;
  readonly kind: (typeof GOAL_KINDS)[number];
  /** The stored name of an event, or path of a page; a `*` at the end matches any continuation. */
  readonly value: string;
  /** The unit of the numbers that its events carry, like `€`, where their sum is told. */
  readonly unit?: string;
}

export interface Goals {
  readonly goals: readonly Goal[];
}

export const GOAL_KINDS = ["event", "page"] as const;
/** Goals of a site, and characters of their texts. */
export const GOAL_LIMITS = { goals: 20, name: 64, value: 128, unit: 8 } as const;

/** The text that a goal's values are, or begin with. */
export function matchOf({ value }: Pick<Goal, "value">): { text: string; begins: boolean } {
  return value.endsWith("*")
    ? { text: value.slice(0, -1), begins: true }
    : { text: value, begins: false };
}
