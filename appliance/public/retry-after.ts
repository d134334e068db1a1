import type { IncomingHttpHeaders } from "node:http";
import { DAY_MS } from "../base/calendar.ts";

/**
 * The wait of a Retry-After, in milliseconds, at most `mostMs` (RFC 9110, 10.2.3); undefined without one. A date is
 * relative to that of the answer, so that no clock of this box is needed.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, mostMs = DAY_MS): number | undefined {
  const said = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+$/.test(said)
    ? Number(said) * 1_000
    : Date.parse(said) - Date.parse(headers.date ?? "");
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostMs);
}
