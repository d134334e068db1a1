import type { SiteAlarm } from "./alarms.ts";

/** The request for an alarm: a POST of `{site, alarm, state, since, text}`; `since` is epoch milliseconds. */
export function webhookRequest(url: string, { site, kind, state, since, sentence }: SiteAlarm) {
  const body = JSON.stringify({ site, alarm: kind, state, since, text: sentence });
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    body: Buffer.from(body),
  };
}
