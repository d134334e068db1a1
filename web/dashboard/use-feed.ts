import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { HOUR_MS } from "../../appliance/base/calendar.ts";
import type { OverviewAnswer, StatsAnswer } from "../../appliance/collector/wire.ts";
import { ReadError, readJson } from "../shared/api.ts";
import { decodeHistory, type History } from "./history.ts";

/** What the page has of a site's history, and how the last try went. */
export interface Feed {
  history: History | null;
  /** of all sites, where none is chosen; stays while one is looked at */
  overview: OverviewAnswer | null;
  /** how many sites the token opens, once a site's history is there */
  reach: number;
  /**
   * when the hour of the last answer began on the server's clock, epoch milliseconds: nothing that
   * is drawn goes finer, so that within the hour the same answer draws nothing anew
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

interface Source {
  site: string;
  token: string;
}

/**
 * Reads a site's whole history with one request, or how all of them do where none is chosen, and asks again every minute while the page is
 * visible: the same request, which costs nothing when nothing was counted since and nobody is there now.
 */
export function useFeed({ site, token }: Source): [Feed, refresh: () => void] {
  const [feed, setFeed] = useState(NOTHING);
  const held = useRef<{ site: string; token: string; etag: string | null }>({
    site: "",
    token: "",
    etag: null,
  });
  const running = useRef<AbortController>(undefined);
  const isIdle = useRef(true);

  const refresh = useCallback(() => {
    running.current?.abort();
    if (token === "") return;
    const abort = new AbortController();
    running.current = abort;
    const isSameToken = held.current.token === token;
    const isSame = isSameToken && held.current.site === site;
    if (!isSame) held.current = { site, token, etag: null };
    const update = (change: Partial<Feed>) => {
      if (!abort.signal.aborted) setFeed((feed) => ({ ...feed, ...change }));
    };
    const slow = setTimeout(() => update({ slow: true }), SLOW_MS);
    update({
      busy: true,
      ...(isSame ? {} : { history: null }),
      ...(isSameToken ? {} : { overview: null }),
    });
    read({ site, token }, held.current.etag, abort.signal)
      .then((answer) => {
        if (abort.signal.aborted) return;
        if (answer.etag !== undefined)
          held.current = { site: answer.site, token, etag: answer.etag };
        update({ ...answer.change, problem: null });
      })
      .catch((error: unknown) => update({ problem: asReadError(error) }))
      .finally(() => {
        clearTimeout(slow);
        update({ busy: false, slow: false });
      });
  }, [site, token]);

  useEffect(() => {
    if (token === "") {
      running.current?.abort();
      held.current = { site: "", token: "", etag: null };
      setFeed(NOTHING);
    } else if (held.current.token !== token || held.current.site !== site) refresh();
  }, [site, token, refresh]);

  useEffect(() => {
    if (token === "") return;
    const whenVisible = () => {
      if (document.visibilityState === "visible") refresh();
    };
    const timer = setInterval(() => {
      // What takes a minute would never come to its end.
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
  return new ReadError("refused", error instanceof Error ? error.message : String(error));
}

interface Reading {
  site: string;
  etag?: string | null;
  change: Partial<Feed>;
}

async function read(source: Source, etag: string | null, signal: AbortSignal): Promise<Reading> {
  if (source.site !== "") return readSite(source, etag, signal);
  try {
    return await readAll(source.token, etag, signal);
  } catch (error) {
    if (!(error instanceof ReadError) || error.kind !== "unauthorized") throw error;
    // A site's own token: which site, the address may tell.
    return readSite(source, null, signal);
  }
}

async function readAll(token: string, etag: string | null, signal: AbortSignal): Promise<Reading> {
  const answer = await readJson<OverviewAnswer>("overview", {}, token, { etag, signal });
  const hour = hourStart(answer.at);
  if (answer.unchanged) return { site: "", change: { hour } };
  const [first, ...more] = answer.body.sites;
  if (first === undefined) throw new ReadError("refused", NO_SITES);
  // Of one site there is nothing to look over.
  if (more.length === 0) return readSite({ site: first.id, token }, null, signal);
  return { site: "", etag: answer.etag, change: { overview: answer.body, history: null, hour } };
}

/** When the hour of a moment began. */
const hourStart = (at: number): number => at - (at % HOUR_MS);

const NO_SITES =
  "There is no site yet. Add one in the control page of the box, or with: tallydeck sites add <id>";

async function readSite({ site, token }: Source, etag: string | null, signal: AbortSignal) {
  const query = { site, from: "first", series: 1, daily: "text" };
  const answer = await readJson<StatsAnswer>("stats", query, token, { etag, signal });
  const hour = hourStart(answer.at);
  if (answer.unchanged) return { site, change: { hour } };
  const history = decodeHistory(answer.body);
  return {
    site: history.site,
    etag: answer.etag,
    change: { history, reach: answer.sites, hour },
  };
}
