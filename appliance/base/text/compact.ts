let compact: Intl.NumberFormat | undefined;

/** A count in at most five characters: `999`, `1.2k`, `12k`, `1.2M`, `1.2G`. */
export function compactCount(count: number): string {
  // It is created for the first count: loading a language takes longer than most parts of a start.
  compact ??= new Intl.NumberFormat("en", { notation: "compact" });
  return compact.format(count).replace("K", "k").replace("B", "G");
}
