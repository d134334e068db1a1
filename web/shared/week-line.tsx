import { HEIGHT, linePath, WIDTH } from "./line-path.ts";

interface WeekLineProps {
  days: readonly number[];
  /** none of them still runs */
  areOver?: boolean;
}

/**
 * Days as a filled line. The last one still runs: the way to it is dashed, for it always seems to
 * fall. The same has to stand beside it in words.
 */
export function WeekLine({ days, areOver = false }: WeekLineProps) {
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
      <path d={areOver ? line : line.slice(0, lastStep)} />
      {!areOver && <path class="running" d={`M${line.slice(beforeLast + 1)}`} />}
    </svg>
  );
}
