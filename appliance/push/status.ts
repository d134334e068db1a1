/**
 * A state that a sender reports; `start` is the begin of a run that ends with another state.
 */
export type Status = "ok" | "warn" | "fail" | "start";

export const STATUSES: readonly Status[] = ["ok", "warn", "fail", "start"];
