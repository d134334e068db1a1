/** Milliseconds since midnight in a zone. @param timeZone an IANA name that this machine knows */
export function timeOfDay(now: number, timeZone: string): number {
  const text = new Intl.DateTimeFormat("en", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(now);
  const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + (now % 1_000);
}

/** Whether this machine knows a time zone of this name, like Europe/Zurich. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
