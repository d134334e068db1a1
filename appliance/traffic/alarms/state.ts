/** The alarms that a site may have: no view for improbably long, far more than usual. */
export const ALARM_KINDS = ["silence", "rush"] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

/** The phase of an alarm: too little history, too little traffic since a start, all well, or not. */
export type AlarmPhase = "learning" | "waiting" | "quiet" | "firing";

/** The phase of an alarm of a site, and its beginning in epoch milliseconds. */
export interface AlarmState {
  readonly state: AlarmPhase | "off";
  readonly since: number | null;
}
