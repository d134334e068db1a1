interface Preference {
  readonly quality: number;
  /** 2 for the type itself, 1 for its kind, 0 for all types. */
  readonly nearness: number;
}

/**
 * Whether an `Accept` prefers Prometheus text to OpenMetrics: it names the former, and ranks the latter lower.
 * Parameters like `version` are ignored.
 */
export function prefersPlainText(accept: string): boolean {
  const plain = preferenceFor("text/plain", accept);
  const open = preferenceFor("application/openmetrics-text", accept);
  return (
    plain.quality > open.quality ||
    (plain.quality === open.quality && plain.quality > 0 && plain.nearness > open.nearness)
  );
}

/** The preference of a type: the most specific matching range decides (RFC 9110, section 12.5.1). */
function preferenceFor(type: string, accept: string): Preference {
  const ranges = ["*/*", type.replace(/\/.*/, "/*"), type];
  const preferences = accept.split(",").flatMap((element) => {
    const [range = "", ...parameters] = element
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    const nearness = ranges.indexOf(range);
    return nearness < 0 ? [] : [{ nearness, quality: qualityIn(parameters) }];
  });
  const nearest = Math.max(...preferences.map(({ nearness }) => nearness));
  const of = preferences.filter(({ nearness }) => nearness === nearest);
  return of.reduce((best, each) => (each.quality > best.quality ? each : best), {
    quality: 0,
    nearness: -1,
  });
}

function qualityIn(parameters: readonly string[]): number {
  const [, text = "1"] =
    parameters.map((part) => /^q=([01](?:\.\d{0,3})?)$/.exec(part)).find(Boolean) ?? [];
  return Math.min(1, Number(text));
}
