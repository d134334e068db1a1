/** The alarms that a site may have: no view for improbably long, far more than usual. */
export const ALARM_KINDS = ["silence", "rush"] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** How far an alarm is: too little is known, too little was seen since a start, all well, or not. */
export type AlarmPhase = "learning" | "waiting" | "quiet" | "firing";

/** How far an alarm of a site is, and since when it stands, epoch milliseconds. */
export interface AlarmState {
  readonly state: AlarmPhase | "off";
  readonly since: number | null;
}
