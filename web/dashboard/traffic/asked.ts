/** A value of a dimension whose days the owner wants to see. */
export interface Asked {
  /** which of the colours is its own, from 1 */
  slot: Slot;
  dimension: string;
  value: string;
}

const SLOTS = [1, 2, 3, 4] as const;
type Slot = (typeof SLOTS)[number];

/** Asks for a value, or no more: it takes the first free slot, and the last one where none is. */
export function toggleAsked(asked: Asked[], dimension: string, value: string): Asked[] {
  const others = asked.filter((one) => !isAsked(one, dimension, value));
  if (others.length < asked.length) return others;
  const free = SLOTS.find((slot) => asked.every((one) => one.slot !== slot)) ?? SLOTS.length;
  return [...asked.filter(({ slot }) => slot !== free), { slot: free, dimension, value }].sort(
    (a, b) => a.slot - b.slot,
  );
}

export function isAsked(asked: Asked, dimension: string, value: string): boolean {
  return asked.dimension === dimension && asked.value === value;
}

/** Reads `ask1=path:/about` … `ask4=…` of an address. */
export function parseAsked(params: URLSearchParams): Asked[] {
  return SLOTS.flatMap((slot) => {
    const [, dimension, value] = /^([^:]+):(.+)$/s.exec(params.get(`ask${slot}`) ?? "") ?? [];
    return dimension === undefined || value === undefined ? [] : [{ slot, dimension, value }];
  });
}

/** The counter that a value's days are seen against. */
export function wholeOf(dimension: string): "pv" | "app" | "bot" {
  if (dimension.startsWith("app_")) return "app";
  return dimension === "bot_kind" ? "bot" : "pv";
}
