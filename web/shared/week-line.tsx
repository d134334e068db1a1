/** In units of the drawing, which is stretched to its place. */
const WIDTH = 100;
const HEIGHT = 30;
/** So that the line is not cut at the top. */
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

/**
 * Days as a filled line. The last one still runs: the way to it is dashed, for it always seems to
 * fall. What it shows has to stand beside it in words.
 */
export function WeekLine({ days }: { days: readonly number[] }) {
  const line = linePath(days);
  const lastStep = line.lastIndexOf("L");
  const beforeLast = line.lastIndexOf("L", lastStep - 1);
  return (
    <svg
      class="week-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="fill" d={`${line}V${HEIGHT}H0Z`} />
      <path d={line.slice(0, lastStep)} />
      <path class="running" d={`M${line.slice(beforeLast + 1)}`} />
    </svg>
  );
}
