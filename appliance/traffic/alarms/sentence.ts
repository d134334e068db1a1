import { HOUR_MS } from "../../base/calendar.ts";
import type { AlarmChange } from "./watch.ts";

const MINUTE_MS = 60_000;

/**
 * The beginning or the end of an alarm, for people: `blog: no view for 3 hours. About 40 are usual
 * in that time.`
 */
export function alarmSentence(site: string, change: AlarmChange): string {
  const { kind, state, seen, usual, spanMs } = change;
  const isOver = state === "resolved";
  if (kind === "silence")
    return isOver
      ? `${site}: views come again, after ${durationOf(spanMs)} without one.`
      : `${site}: no view for ${durationOf(spanMs)}. ${about(usual)} usual in that time.`;
  return isOver
    ? `${site}: the rush is over. The last hour had ${views(seen)}.`
    : `${site}: ${views(seen)} in ${durationOf(spanMs)}. ${about(usual)} usual in that time.`;
}

function about(usual: number): string {
  const n = Math.round(usual);
  return n === 1 ? "About 1 is" : `About ${n} are`;
}

function views(n: number): string {
  return n === 1 ? "1 view" : `${n} views`;
}

/** `25 minutes`, `3 hours`, `2 days` */
function durationOf(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours < 1.5) return plural(Math.round(ms / MINUTE_MS), "minute");
  if (hours < 36) return plural(Math.round(hours), "hour");
  return plural(Math.round(hours / 24), "day");
}

function plural(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}
