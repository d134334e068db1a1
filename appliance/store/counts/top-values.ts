import type { Dimension } from "../../base/text/dimensions.ts";
import type { BlockCounts } from "./block-counts.ts";
import type { SiteDays } from "./site-counts.ts";
import { valueTotals } from "./values.ts";

interface TopValuesQuery extends SiteDays {
  readonly dimensions: readonly Dimension[];
  /** The most values of a dimension. */
  readonly limit: number;
}

/** The values of dimensions that were counted most on inclusive days, the highest first, in the order of `dimensions`. */
export async function topValues(
  counts: BlockCounts,
  { dimensions, limit, ...range }: TopValuesQuery,
): Promise<string[][]> {
  const found = await valueTotals(counts.values(range, "views"), dimensions);
  return dimensions.map((dimension) => {
    const kept = found.find(({ name }) => name === dimension)?.kept ?? [];
    return kept.slice(0, limit).map(({ text }) => text);
  });
}
