export interface Point {
  x: number;
  y: number;
}

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Steps narrower than this (pixels) look like a saw, not like a trend. */
const NARROWEST_STEP = 3;

/**
 * The line of a series, with the oldest value on the left. Values that are too dense for the area are averaged. The lower
 * edge of the area is zero, and the upper edge the largest value.
 */
export function sparkline(series: readonly number[], area: Area): Point[] {
  const values = thinned(series, Math.max(2, Math.floor(area.width / NARROWEST_STEP)));
  const largest = Math.max(...values) || 1;
  const step = area.width / (values.length - 1);
  return values.map((value, i) => ({
    x: area.left + i * step,
    y: area.top + area.height * (1 - value / largest),
  }));
}

/** Between two and `most` values that follow the series. */
function thinned(series: readonly number[], most: number): number[] {
  if (series.length === 1) return [...series, ...series];
  const count = Math.min(series.length, most);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * series.length) / count);
    const to = Math.floor(((i + 1) * series.length) / count);
    return series.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
  });
}
