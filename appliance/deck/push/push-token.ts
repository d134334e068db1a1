/** The use that a push token is good for: to write on channels, to read them, to send lines of access logs. */
export type Scope = "push" | "read" | "logs";

/** A token as it may be shown; times are epoch milliseconds. */
export interface PushToken {
  id: string;
  name: string;
  /** The six characters after `tdp_`, which identify a token for people. */
  prefix: string;
  /** Empty while the token is paused. */
  scopes: Scope[];
  createdAt: number;
  lastUsedAt: number | null;
}
