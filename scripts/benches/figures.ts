export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that `share` of them do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
