import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DAY_MS, dayOf, HOUR_MS, hourOf, parseDay } from "../../appliance/base/calendar.ts";
import { messageOf } from "../../appliance/base/message-of.ts";
import type { OverviewAnswer, StatsAnswer } from "../../appliance/collector/wire.ts";
import { ReadError, readJson } from "../shared/api.ts";
import { wallOf } from "../shared/dates.ts";
import { decodeHistory, type History } from "./history.ts";

/** The page's history of a site, and how the last try went. */
export interface Feed {
  history: History | null;
  /** of all sites, where none is chosen; stays while one is looked at */
  overview: OverviewAnswer | null;
  /** how many sites the token opens, once a site's history is there */
  reach: number;
  /**
   * when the hour of the last answer began on the wall clock by which days are counted, milliseconds
   * since 1970 there: nothing that is drawn goes finer, so that within the hour the same answer draws
   * nothing anew
   */
  hour: number;
  busy: boolean;
  /** the answer takes longer than people expect */
  slow: boolean;
  problem: ReadError | null;
}

const REFRESH_MS = 60_000;
const SLOW_MS = 4_000;
/** After the box was out of reach: soon, for it may be back. */
const RETRY_MS = 4_000;
const NOTHING: Feed = {
  history: null,
  overview: null,
  reach: 1,
  hour: 0,
  busy: false,
  slow: false,
  problem: null,
};

/** The identity of what is shown. */
interface Wanted {
  site: string;
  /** the only one that counts; empty for all of them */
  source: string;
  token: string;
}

/** The time of an answer: its zone, and the day that runs there. */
interface DayOfAnswer {
  zone: string;
  to: string;
}

/** The last answer's. */
interface Held extends Wanted, DayOfAnswer {
  etag: string | null;
}

const NOTHING_HELD: Held = {
  ...{ site: "", source: "", token: "" },
  ...{ etag: null, zone: "UTC", to: "" },
};

/**
 * Reads a site's whole history with one request, or how all of them do where none is chosen, and
 * asks again every minute while the page is visible: the same request, which costs nothing when
 * nothing was counted since and no visitor is there now.
 */
export function useFeed({ site, source, token }: Wanted): [Feed, refresh: () => void] {
  const [feed, setFeed] = useState(NOTHING);
  const held = useRef(NOTHING_HELD);
  const running = useRef<AbortController>(undefined);
  const isIdle = useRef(true);

  const refresh = useCallback(() => {
    running.current?.abort();
    if (token === "") return;
    const abort = new AbortController();
    running.current = abort;
    const isSameToken = held.current.token === token;
    const isSame = isSameToken && held.current.site === site && held.current.source === source;
    if (!isSame) held.current = { ...NOTHING_HELD, site, source, token };
    const update = (change: Partial<Feed>) => {
      if (!abort.signal.aborted) setFeed((feed) => ({ ...feed, ...change }));
    };
    const slow = setTimeout(() => update({ slow: true }), SLOW_MS);
    update({
      busy: true,
      ...(isSame ? {} : { history: null }),
      ...(isSameToken ? {} : { overview: null }),
    });
    read({ site, source, token }, held.current, abort.signal)
      .then((answer) => {
        if (abort.signal.aborted) return;
        if (answer.etag !== undefined) {
          const { site, source, etag } = answer;
          held.current = { ...dayOfAnswer(answer), site, source, token, etag };
        }
        update({ ...answer.change, hour: wallHour(answer.at, answer), problem: null });
      })
      .catch((error: unknown) => update({ problem: asReadError(error) }))
      .finally(() => {
        clearTimeout(slow);
        update({ busy: false, slow: false });
      });
  }, [site, source, token]);

  useEffect(() => {
    if (token === "") {
      running.current?.abort();
      held.current = NOTHING_HELD;
      setFeed(NOTHING);
    } else if (
      held.current.token !== token ||
      held.current.site !== site ||
      held.current.source !== source
    )
      refresh();
  }, [site, source, token, refresh]);

  useEffect(() => {
    if (token === "") return;
    const whenVisible = () => {
      if (document.visibilityState === "visible") refresh();
    };
    const timer = setInterval(() => {
      // A request that takes a minute would never come to its end.
      if (isIdle.current) whenVisible();
    }, REFRESH_MS);
    document.addEventListener("visibilitychange", whenVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", whenVisible);
    };
  }, [token, refresh]);

  const isAway = feed.problem?.kind === "offline" && !feed.busy;
  isIdle.current = !feed.busy && !isAway;
  useEffect(() => {
    if (!isAway) return;
    let abort = new AbortController();
    // A try that hangs makes way for the next one: its connection may be of before the outage.
    const timer = setInterval(() => {
      abort.abort();
      abort = new AbortController();
      void isThere(abort.signal).then((there) => there && refresh());
    }, RETRY_MS);
    addEventListener("online", refresh);
    return () => {
      abort.abort();
      clearInterval(timer);
      removeEventListener("online", refresh);
    };
  }, [isAway, refresh]);

  return [feed, refresh];
}

/** Whether the collector answers at all: that is quick, however long its reports take. */
async function isThere(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch("./", { signal, cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

function asReadError(error: unknown): ReadError {
  if (error instanceof ReadError) return error;
  return new ReadError("refused", messageOf(error));
}

interface Reading extends DayOfAnswer {
  site: string;
  source: string;
  etag?: string | null;
  /** the server's clock, epoch milliseconds */
  at: number;
  change: Partial<Feed>;
}

async function read(wanted: Wanted, held: Held, signal: AbortSignal): Promise<Reading> {
  if (wanted.site !== "") return readSite(wanted, held, signal);
  try {
    return await readAll(wanted, held, signal);
  } catch (error) {
    if (!(error instanceof ReadError) || error.kind !== "unauthorized") throw error;
    // A site's own token: which site, the address may tell.
    return readSite(wanted, NOTHING_HELD, signal);
  }
}

/** It is of all sources, whichever was asked for. */
async function readAll(wanted: Wanted, held: Held, signal: AbortSignal): Promise<Reading> {
  const { etag, zone, to } = held;
  const answer = await readJson<OverviewAnswer>("overview", {}, wanted.token, { etag, signal });
  const { at } = answer;
  if (answer.unchanged) return { site: "", source: "", at, zone, to, change: {} };
  const [first, ...more] = answer.body.sites;
  if (first === undefined) throw new ReadError("refused", NO_SITES);
  // Of one site there is nothing to look over.
  if (more.length === 0) return readSite({ ...wanted, site: first.id }, NOTHING_HELD, signal);
  const change = { overview: answer.body, history: null };
  return { ...dayOfAnswer(answer.body), site: "", source: "", etag: answer.etag, at, change };
}

const dayOfAnswer = ({ zone, to }: DayOfAnswer): DayOfAnswer => ({ zone, to });

/** When the hour of a moment began, on the day that the answer says. */
function wallHour(at: number, { zone, to }: DayOfAnswer): number {
  const wall = wallOf(zone, at);
  return (parseDay(to) ?? dayOf(wall)) * DAY_MS + hourOf(wall) * HOUR_MS;
}

const NO_SITES =
  "There is no site yet. Add one in the control page of the box, or with: tallydeck sites add <id>";

async function readSite(
  { site, source, token }: Wanted,
  { etag, zone, to }: Held,
  signal: AbortSignal,
): Promise<Reading> {
  const query = { site, source, from: "first", series: 1, daily: "text", sources: 1 };
  const answer = await readJson<StatsAnswer>("stats", query, token, { etag, signal });
  const { at } = answer;
  if (answer.unchanged) return { site, source, at, zone, to, change: {} };
  const history = decodeHistory(answer.body);
  return {
    ...dayOfAnswer(answer.body),
    site: history.site,
    source,
    etag: answer.etag,
    at,
    change: { history, reach: answer.sites },
  };
}
