/** The width in units of the drawing, which is stretched to its place. */
export const WIDTH = 100;
export const HEIGHT = 30;
/** The margin at the top, so that the line is not cut. */
const MARGIN = 1;

/** `M0,29L50,…`: the line through values, the first on the left; zero is the lower edge. */
export function linePath(values: readonly number[]): string {
  const most = Math.max(...values) || 1;
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (n, i) => `${+(i * step).toFixed(2)},${+(HEIGHT - (n / most) * (HEIGHT - MARGIN)).toFixed(2)}`,
  );
  return `M${points.join("L")}`;
}
