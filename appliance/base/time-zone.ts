import type { Log } from "./log.ts";
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

/**
 * The time zone of clocks: the one of the system (TZ, /etc/localtime), or UTC where this machine does not know that.
 * @param zone the IANA name in the settings of the system
 */
export function clockZone(
  log: Pick<Log, "warn">,
  zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone,
): string {
  // For an empty TZ, Node gives a name that it refuses itself (Etc/Unknown); for an unknown one, none.
  if (zone !== undefined && isTimeZone(zone)) return zone;
  log.warn(
    "The system's time zone is none that is known: clocks show UTC. Set TZ to one like Europe/Zurich, or leave it out",
  );
  return "UTC";
}
