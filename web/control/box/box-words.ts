import type { DiskAnswer } from "../../../appliance/control/wire.ts";
import { counted } from "../../shared/format.ts";

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** Bytes → `110 MB`, `3.9 GB`, as memory and cards are sold: a thousand to the next. */
export function bytesName(bytes: number): string {
  let rest = bytes / 1_000;
  let unit = 0;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1_000;
    unit += 1;
  }
  const digits = rest < 9.95 && unit > 1 ? 1 : 0;
  return `${rest.toFixed(digits)} ${UNITS[unit]}`;
}

/** Bytes written to a disk: `48 MB a day`. */
export function writtenText({
  writtenBytes,
  dailyBytes,
}: Pick<DiskAnswer, "writtenBytes" | "dailyBytes">): string {
  return dailyBytes === undefined
    ? `${bytesName(writtenBytes)}; what that is a day is known after a day`
    : `${bytesName(dailyBytes)} a day`;
}

/** A long time that nobody can foresee is not given a number. */
const MOST_YEARS = 20;

/** The meaning of that for a card of this size. */
export function lifeText(years: number): string {
  if (years >= MOST_YEARS)
    return `A card of this size takes that for more than ${MOST_YEARS} years.`;
  const whole = Math.floor(years);
  if (whole >= 1) return `A card of this size takes that for about ${counted(whole, "year")}.`;
  const months = counted(Math.max(1, Math.floor(years * 12)), "month");
  return `A card of this size may be worn out after ${months}: a larger one takes it longer.`;
}

/** Seconds → the two largest parts: `4 days 2 hours`, `3 minutes`; less than one is `less than a minute`. */
export function spanName(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60)];
  const parts = [
    [days, "day"],
    [hours, "hour"],
    [days > 0 ? 0 : minutes % 60, "minute"],
  ] as const;
  const said = parts.filter(([n]) => n > 0).map(([n, name]) => counted(n, name));
  return said.join(" ") || "less than a minute";
}

/** `home: strong (−56 dBm)`; the name only where it is known. */
export function wifiText({ dbm, name }: { dbm: number; name?: string }): string {
  return name === undefined ? signalName(dbm) : `${name}: ${signalName(dbm)}`;
}

/** The strength of a wireless network: dBm → words. */
function signalName(dbm: number): string {
  const word = ([-60, -70, -80] as const).findIndex((least) => dbm >= least);
  return `${["strong", "good", "weak"][word] ?? "very weak"} (${String(dbm).replace("-", "−")} dBm)`;
}

/** `14:06, Sunday 22 November 2026`, as the box's own clocks show it. */
export function clockText(epochMs: number, timeZone: string): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(epochMs);
  return `${part({ timeStyle: "short" })}, ${part({ weekday: "long" })} ${part({ dateStyle: "long" })}`;
}
