const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** The age of something in words: `<1 min`, `14 min`, `3 h`, `2 d`. */
export function ageText(since: number, now: number): string {
  const age = Math.max(0, now - since);
  if (age < MINUTE_MS) return "<1 min";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`;
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h` : `${Math.floor(age / DAY_MS)} d`;
}

/** The time at which that text changes, in epoch milliseconds. */
export function nextAgeText(since: number, now: number): number {
  const age = Math.max(0, now - since);
  const step = age < HOUR_MS ? MINUTE_MS : HOUR_MS;
  return since + (Math.floor(age / step) + 1) * step;
}
