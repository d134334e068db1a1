import type { IncomingHttpHeaders } from "node:http";
import { DAY_MS } from "../base/calendar.ts";

/**
 * How long a server asks to be left alone, in milliseconds of at most `mostMs` (RFC 9110, 10.2.3); a
 * date counts from the answer's own, so that no clock of this box is needed. Undefined where it says
 * nothing.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, mostMs = DAY_MS): number | undefined {
  const said = headers["retry-after"]?.trim() ?? "";
  const ms = /^\d+$/.test(said)
    ? Number(said) * 1_000
    : Date.parse(said) - Date.parse(headers.date ?? "");
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostMs);
}
