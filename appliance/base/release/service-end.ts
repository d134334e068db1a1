/** `tallydeck.service` exits by this when it refuses its settings. */
export const REFUSED_SETTINGS = 2;
export const NO_START = "The service does not come up.";

/** The end of the service, as systemd tells of it. */
interface ServiceEnd {
  /** `exit-code`, `watchdog`, `signal`, …; see `$SERVICE_RESULT` in systemd.exec(5). */
  readonly result: string;
  /** NaN where a signal ended it. */
  readonly exitStatus: number;
}

/** A sentence about a service that did not end well. */
export function endOfService({ result, exitStatus }: ServiceEnd): string {
  if (result === "watchdog") return "The service hung, and was stopped.";
  if (result === "exit-code" && exitStatus === REFUSED_SETTINGS)
    return "The service refuses its settings.";
  if (result === "timeout") return NO_START;
  if (result === "oom-kill") return "The service took too much memory, and was stopped.";
  return "The service stops by itself.";
}
