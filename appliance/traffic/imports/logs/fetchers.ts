/** The clients that view pages, and how many of them fetch files that belong to pages, too. */
export interface Viewers {
  readonly all: number;
  readonly fetching: number;
}

export const NO_VIEWERS: Viewers = { all: 0, fetching: 0 };

/** The quantile of the normal distribution for a bound that holds in nine of ten cases. */
const Z = 1.28;
/** The weight of the days before: few view a small site on one day. */
const WEIGHT_BEFORE = 0.8;

/** The viewers of a day, with those before it. */
export function withBefore(day: Viewers, before: Viewers): Viewers {
  return {
    all: day.all + WEIGHT_BEFORE * before.all,
    fetching: day.fetching + WEIGHT_BEFORE * before.fetching,
  };
}

/**
 * Whether who views pages and fetches no file is probably a program: only where most of a day fetch files, which styles
 * within pages, or at another host, let nobody do. One fetch of an icon says nothing of the others.
 * @param before those of the days before, the older the lighter
 */
export function mostFetch(day: Viewers, before: Viewers): boolean {
  return 2 * day.fetching > day.all && lowerBound(withBefore(day, before)) > 0.5;
}

/** The lower bound of the confidence interval of a share, by Wilson. */
function lowerBound({ all, fetching }: Viewers): number {
  const share = fetching / all;
  const spread = Z * Math.sqrt((share * (1 - share)) / all + (Z / (2 * all)) ** 2);
  return (share + Z ** 2 / (2 * all) - spread) / (1 + Z ** 2 / all);
}
