import type { Log } from "../base/log.ts";
import { isTimeZone } from "../base/time-zone.ts";

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
