import { DETAIL_DIMENSIONS } from "../../appliance/store/blocks/detail.ts";
import { percentile } from "../running/report.ts";
import { addressOf, ask } from "./ask.ts";
import { type Attack, type Figure, isOver, type Target, tally } from "./attack.ts";

/** Requests at the same time, each from an address of its own. */
const AT_ONCE = 10;
/** A question may wait for all others. */
const PATIENCE_MS = 5 * 60_000;
/** The most conditions of one query. */
const CONDITIONS = 8;

/**
 * All questions of a dashboard, a share link, a deck and a badge over all days, ten at a time, and each at least
 * once.
 */
export const questions: Attack = async (field) => {
  const { target } = field;
  const waiting = questionsOf(target);
  const all = waiting.length;
  const statuses: string[] = [];
  const times: number[] = [];
  const one = async (n: number) => {
    for (let at = n; at < all || !isOver(field); at += AT_ONCE) {
      const path = waiting[at % all] as string;
      const reply = await ask(target.origin, path, {
        headers: { authorization: `Bearer ${target.token}`, "accept-encoding": "br" },
        from: addressOf(target.visitors, 500 + n),
        timeoutMs: PATIENCE_MS,
      }).catch((error: Error) => ({ status: error.message, ms: PATIENCE_MS }));
      statuses.push(`${reply.status}`);
      times.push(reply.ms);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => one(n)));
  return [
    ["questions, by status", tally(statuses)],
    [
      "questions, ten at once, time to answer",
      `median ${percentile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
    ],
  ] satisfies Figure[];
};

function questionsOf({ site }: Target): string[] {
  const all = `site=${site}&from=first&series=1`;
  const not = (name: string) => `where=${name}:not:${name}`;
  const views = DETAIL_DIMENSIONS.filter((name) => !name.startsWith("event"));
  return [
    `/stats?${all}`,
    `/stats?${all}&daily=1`,
    `/stats?${all}&of=visitors`,
    `/stats?${all}&of=sessions&daily=1`,
    `/stats?site=${site}`,
    ...views.map((name) => `/stats?${all}&daily=1&${not(name)}`),
    `/stats?${all}&daily=1&${views.slice(0, CONDITIONS).map(not).join("&")}`,
    "/overview",
    `/goals?${all}`,
    `/goals?${all}&${not("path")}`,
    `/badge?site=${site}&days=400&total=1`,
    `/badge?site=${site}&days=all`,
    `/surveys?site=${site}`,
  ];
}
