import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DAY_MS, dayOf, HOUR_MS, hourOf, parseDay } from "../../appliance/base/calendar.ts";
import { messageOf } from "../../appliance/base/message-of.ts";
import { type Condition, conditionText } from "../../appliance/base/text/condition.ts";
import type { CountsOf } from "../../appliance/base/text/dimensions.ts";
import type { OverviewAnswer, StatsAnswer } from "../../appliance/traffic/collector/wire.ts";
import { ReadError, readJson } from "../shared/api.ts";
import { wallOf } from "../shared/dates.ts";
import { whereKey } from "./filters/where.ts";
import { decodeHistory, type History, isUnvisited } from "./history.ts";

/** The page's history of a site, and how the last try went. */
export interface Feed {
  history: History | null;
  /** of all sites, where none is chosen; stays while one is looked at */
  overview: OverviewAnswer | null;
  /** the number of sites that the token opens, once a site's history is there */
  reach: number;
  /**
   * the start of the hour of the last answer, on the wall clock of days, milliseconds since 1970 there. Drawings have no
   * finer resolution, so the same answer within the hour causes no rendering
   */
  hour: number;
  busy: boolean;
  /** the answer takes longer than people expect */
  slow: boolean;
  problem: ReadError | null;
}

/** A visible page asks again this soon, and later where answers take the box or the network long. */
const SOONEST_MS = 4_000;
const LATEST_MS = 60_000;
/** The pause after an answer, by the time that it took. */
const PAUSES = 20;
const SLOW_MS = 4_000;
/** The short delay after the box was out of reach, since it may be back soon. */
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

/** The identity of the shown data. */
interface Wanted {
  site: string;
  /** the only one that counts; empty for all of them */
  source: string;
  where: Condition[];
  /** the kind of counts that values are to have */
  of: CountsOf;
  token: string;
}

/** The time of an answer: its zone, and the day that runs there. */
interface DayOfAnswer {
  zone: string;
  to: string;
}

/** An answer, with its changes to the feed. */
interface Kept extends DayOfAnswer {
  etag: string | null;
  change: Partial<Feed>;
}

/** Answers for one site and source, or for all sites. */
interface Held extends Omit<Wanted, "where" | "of"> {
  /** which of the answers is shown, by its conditions */
  key: string;
  /** answers to the last conditions, so that removing a condition needs no request */
  answers: Map<string, Kept>;
  /** the last one without conditions */
  whole: History | null;
}

const NOTHING_HELD: Held = {
  site: "",
  source: "",
  token: "",
  key: "",
  answers: new Map(),
  whole: null,
};
const MAX_KEPT = 6;

/**
 * Reads a site's whole history with one request, or the overview of all sites where none is chosen, and repeats it every
 * few seconds while the page is visible; without new counts or live views, the answer is empty. The shown data stays until the
 * next answer, unless site or source have changed.
 */
export function useFeed({ site, source, where, of, token }: Wanted): [Feed, refresh: () => void] {
  const [feed, setFeed] = useState(NOTHING);
  const held = useRef(NOTHING_HELD);
  const running = useRef<AbortController>(undefined);
  const isReading = useRef(false);
  const isLost = useRef(false);
  const took = useRef(0);
  const key = of + whereKey(where);

  const ask = useCallback(
    (isQuiet: boolean) => {
      running.current?.abort();
      if (token === "") return;
      const abort = new AbortController();
      running.current = abort;
      isReading.current = true;
      const begun = performance.now();
      const isSameToken = held.current.token === token;
      const isSame = isSameToken && held.current.site === site && held.current.source === source;
      const isAsked = isSame && held.current.key === key;
      held.current = { ...(isSame ? held.current : { ...NOTHING_HELD, answers: new Map() }), key };
      Object.assign(held.current, { site, source, token });
      const { answers, whole } = held.current;
      const kept = answers.get(key);
      const update = (change: Partial<Feed>) => {
        if (!abort.signal.aborted) setFeed((feed) => ({ ...feed, ...change }));
      };
      const slow = setTimeout(() => update({ slow: true }), SLOW_MS);
      update({
        ...(isQuiet ? {} : { busy: true }),
        ...(isSame ? kept?.change : { history: null }),
        ...(isSameToken ? {} : { overview: null }),
        ...(isAsked ? {} : { problem: null, slow: false }),
      });
      read({ site, source, where, of, token }, { kept, whole }, abort.signal)
        .then((answer) => {
          if (abort.signal.aborted) return;
          const { site, kept, at } = answer;
          held.current = { ...held.current, site, source: site === "" ? "" : source };
          if (where.length === 0) held.current.whole = kept.change.history ?? null;
          keep(answers, key, kept);
          update({ ...kept.change, hour: wallHour(at, kept), problem: null });
        })
        .catch((error: unknown) => update({ problem: asReadError(error) }))
        .finally(() => {
          clearTimeout(slow);
          if (!abort.signal.aborted) isReading.current = false;
          took.current = performance.now() - begun;
          update({ busy: false, slow: false });
        });
    },
    [site, source, key, token],
  );
  const refresh = useCallback(() => ask(false), [ask]);

  useEffect(() => {
    if (token === "") {
      running.current?.abort();
      held.current = NOTHING_HELD;
      setFeed(NOTHING);
    } else if (
      held.current.token !== token ||
      held.current.site !== site ||
      held.current.source !== source ||
      held.current.key !== key
    )
      refresh();
  }, [site, source, key, token, refresh]);

  useEffect(() => {
    if (token === "") return;
    const whenVisible = () => {
      if (document.visibilityState === "visible") ask(true);
    };
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const pause = Math.min(LATEST_MS, Math.max(SOONEST_MS, PAUSES * took.current));
      timer = setTimeout(() => {
        // A request that takes long must not be aborted by the next one.
        if (!isReading.current && !isLost.current) whenVisible();
        wait();
      }, pause);
    };
    wait();
    document.addEventListener("visibilitychange", whenVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", whenVisible);
    };
  }, [token, ask]);

  const isAway = feed.problem?.kind === "offline" && !feed.busy;
  isLost.current = isAway;
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

/** Whether the collector answers, which is quick even while its reports are slow. */
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

interface Reading {
  /** the site of the answer, where none was chosen; empty for the overview */
  site: string;
  kept: Kept;
  /** the server's clock, epoch milliseconds */
  at: number;
}

interface Known {
  /** the last answer to the same question */
  kept: Kept | undefined;
  /** the last one without conditions */
  whole: History | null;
}

const UNKNOWN: Known = { kept: undefined, whole: null };

async function read(wanted: Wanted, known: Known, signal: AbortSignal): Promise<Reading> {
  if (wanted.site !== "") return readSite(wanted, known, signal);
  try {
    return await readAll(wanted, known, signal);
  } catch (error) {
    if (!(error instanceof ReadError) || error.kind !== "unauthorized") throw error;
    // The token is that of a site, which the address may name.
    return readSite(wanted, UNKNOWN, signal);
  }
}

/** Reads the overview, which has no source or conditions. */
async function readAll(wanted: Wanted, { kept }: Known, signal: AbortSignal): Promise<Reading> {
  const options = { etag: kept?.etag ?? null, signal };
  const answer = await readJson<OverviewAnswer>("overview", {}, wanted.token, options);
  const { at } = answer;
  if (answer.unchanged) return { site: "", kept: unchanged(kept), at };
  const [first, ...more] = answer.body.sites;
  if (first === undefined) throw new ReadError("refused", NO_SITES);
  // One site alone needs no overview.
  if (more.length === 0) return readSite({ ...wanted, site: first.id }, UNKNOWN, signal);
  const change = { overview: answer.body, history: null };
  return { site: "", kept: { ...dayOfAnswer(answer.body), etag: answer.etag, change }, at };
}

/** @throws {ReadError} where a collector says so of what was never asked for */
function unchanged(kept: Kept | undefined): Kept {
  if (kept === undefined) throw new ReadError("refused", "The answer is empty. Reload the page.");
  return kept;
}

function keep(answers: Map<string, Kept>, key: string, kept: Kept): void {
  answers.delete(key);
  answers.set(key, kept);
  if (answers.size <= MAX_KEPT) return;
  const [oldest = ""] = answers.keys();
  answers.delete(oldest);
}

const dayOfAnswer = ({ zone, to }: DayOfAnswer): DayOfAnswer => ({ zone, to });

/** The beginning of a moment's hour, on the day of the answer. */
function wallHour(at: number, { zone, to }: DayOfAnswer): number {
  const wall = wallOf(zone, at);
  return (parseDay(to) ?? dayOf(wall)) * DAY_MS + hourOf(wall) * HOUR_MS;
}

const NO_SITES =
  "There is no site yet. Add one in the control page of the machine, or with: tallydeck sites add <id>";

async function readSite(wanted: Wanted, known: Known, signal: AbortSignal): Promise<Reading> {
  const { site, source, where, of, token } = wanted;
  const { kept, whole } = known;
  // Lists of visitors would be empty for a site that does not tell visitors apart.
  const kind = of === "visitors" && whole !== null && isUnvisited(whole) ? "views" : of;
  const query = {
    site,
    source,
    from: "first",
    series: 1,
    daily: "text",
    sources: 1,
    entry: 1,
    surveys: 1,
    views: 1,
  };
  const answer = await readJson<StatsAnswer>(
    "stats",
    { ...query, of: kind, where: where.map(conditionText) },
    token,
    { etag: kept?.etag ?? null, signal },
  );
  const { at } = answer;
  if (answer.unchanged) return { site, kept: unchanged(kept), at };
  const isWhole = where.length === 0;
  const history = decodeHistory(answer.body, { where, of: kind }, isWhole ? null : whole);
  if (isWhole && of === "visitors" && (kind === "views") !== isUnvisited(history))
    return readSite(wanted, { kept: undefined, whole: history }, signal);
  const change = { history, reach: answer.sites };
  return {
    site: history.site,
    kept: { ...dayOfAnswer(answer.body), etag: answer.etag, change },
    at,
  };
}
