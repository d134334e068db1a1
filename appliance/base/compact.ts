const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

/** A count in at most five characters: `999`, `1.2k`, `12k`, `1.2M`, `1.2G`. */
export function compactCount(count: number): string {
  return COMPACT.format(count).replace("K", "k").replace("B", "G");
}
