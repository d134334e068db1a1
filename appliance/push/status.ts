/**
 * A sender's word about what it watches; `start` is the beginning of a run that ends with another.
 */
export type Status = "ok" | "warn" | "fail" | "start";

export const STATUSES: readonly Status[] = ["ok", "warn", "fail", "start"];
