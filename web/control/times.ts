import { counted } from "../shared/format.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds → `9:31`, `1:02:09`; less than nothing is `0:00`. */
export function clockOf(seconds: number): string {
  const rest = Math.max(0, Math.ceil(seconds));
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = Math.floor((rest % HOUR) / MINUTE);
  const hours = Math.floor(rest / HOUR);
  const tail = two(rest % MINUTE);
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** The time since something, both in epoch milliseconds: `just now`, `3 minutes ago`. */
export function ago(then: number, now: number): string {
  const seconds = (now - then) / 1_000;
  if (seconds < MINUTE) return "just now";
  if (seconds < HOUR) return `${counted(Math.floor(seconds / MINUTE), "minute")} ago`;
  if (seconds < DAY) return `${counted(Math.floor(seconds / HOUR), "hour")} ago`;
  return `${counted(Math.floor(seconds / DAY), "day")} ago`;
}
