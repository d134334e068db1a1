import { useEffect, useMemo, useState } from "preact/hooks";
import { hourOf } from "../../appliance/base/calendar.ts";
import { isShareToken } from "../../appliance/base/tokens.ts";
import type { MarksAnswer } from "../../appliance/traffic/collector/wire.ts";
import { rangeName } from "../shared/dates.ts";
import { keepChoice, loadChoice } from "../shared/token.ts";
import type { BelowProps } from "./below.tsx";
import { Controls } from "./controls.tsx";
import { isFree, whereKey } from "./filters/where.ts";
import { useGoals } from "./goals/use-goals.ts";
import { Header } from "./header.tsx";
import { type History, isEmpty } from "./history.ts";
import { keyActions, useKeys } from "./keys/keys.ts";
import { Later, load, usePart, useSteps } from "./later.tsx";
import { REST } from "./menu.tsx";
import { DaysNotice, Notices, OnlyNotice } from "./notices.tsx";
import { comparedRange, rangeOf } from "./period/period.ts";
import { TrendCard } from "./traffic/chart/trend-card.tsx";
import { chartable, totalText } from "./traffic/figures.ts";
import type { Shown } from "./traffic/shown.ts";
import { Tiles } from "./traffic/tiles.tsx";
import type { Feed } from "./use-feed.ts";
import { useReading } from "./use-reading.ts";
import type { ChangeView } from "./use-view.ts";
import type { View } from "./view.ts";

const SURVEYS = { name: "the surveys", load: () => import("./surveys/surveys.tsx") };

export interface DashboardProps {
  history: History;
  feed: Feed;
  view: View;
  token: string;
  /** the browser did not keep the token */
  isForgetful: boolean;
  change: ChangeView;
  refresh: () => void;
  signOut: () => void;
}

/** Everything below is drawn from the one history; only the surveys ask for more. */
export function Dashboard(props: DashboardProps) {
  const { history, feed, token, isForgetful, refresh, signOut } = props;
  const { bound } = history;
  const where = useMemo(() => [...bound, ...props.view.where], [props.view.where, whereKey(bound)]);
  const view = { ...props.view, where };
  // No choice takes away what a shared link is bound to.
  const change: ChangeView = ({ where, ...part }, how) =>
    props.change({ ...part, ...(where && { where: where.filter(isFree(bound)) }) }, how);
  const [bots, setBots] = useState(() => loadChoice("bots") === "on");
  const [areKeysShown, showKeys] = useState(false);
  const [isUnkept, setUnkept] = useState(false);
  const toggleBots = () => {
    setUnkept(!keepChoice("bots", bots ? "off" : "on"));
    setBots(!bots);
  };
  const isShared = isShareToken(token);
  const tab = isShared ? "traffic" : view.tab;
  const range = useMemo(
    () => rangeOf(view.choice, history, hourOf(feed.hour)),
    [view.choice, history, feed.hour],
  );
  const isNew = useMemo(() => history.where.length === 0 && isEmpty(history), [history]);
  const isOld = whereKey(history.where) !== whereKey(view.where);
  const isRefused = isOld && feed.problem?.kind === "refused";
  useKeys(keyActions({ view, history, change, toggleBots, showKeys: () => showKeys(true) }));

  return (
    <div class={`page dashboard ${isOld && !isRefused ? "old" : ""}`}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header
        site={history.site}
        tab={tab}
        token={token}
        isShared={isShared}
        hasSurveys={history.hasSurveys}
        hasMore={feed.reach > 1}
        busy={feed.busy}
        change={change}
        refresh={refresh}
        signOut={signOut}
        showKeys={() => showKeys(true)}
      />
      <Notices
        feed={isRefused ? { ...feed, problem: null } : feed}
        {...{ history, isForgetful, isUnkept, refresh }}
      >
        {history.only && <OnlyNotice {...{ only: history.only, tab, change }} />}
        {tab === "traffic" && !isNew && <DaysNotice {...{ history, range }} />}
      </Notices>
      <main id="content" tabIndex={-1} aria-busy={isOld && feed.busy}>
        <h1 class="offscreen">
          {tab === "surveys" ? "Surveys" : "Traffic"} of {history.site}
        </h1>
        {(tab === "surveys" ? history.hasSurveys : !isNew) && (
          <Controls
            history={history}
            range={range}
            token={token}
            view={{ ...view, tab }}
            bots={bots}
            toggleBots={toggleBots}
            change={change}
          />
        )}
        {history.views.length > 0 && (
          <Later part={REST} waiting={<div class="views" />}>
            {({ ViewChips }) => <ViewChips {...{ history, view, token, change }} />}
          </Later>
        )}
        {(isOld || view.where.length > 0) && (
          <Later part={REST} waiting={<section class="asking" />}>
            {({ Asking }) => (
              <Asking
                {...{ history, range, tab, isOld, now: feed.hour, change }}
                compared={comparedRange(range, view.compare)}
                metric={chartable(history, view)}
                where={view.where}
                refusal={isRefused ? (feed.problem?.message ?? null) : null}
              />
            )}
          </Later>
        )}
        {tab === "surveys" ? (
          <Later part={SURVEYS}>
            {({ Surveys }) => <Surveys {...{ history, range, view, token, change }} />}
          </Later>
        ) : isNew ? (
          <Later part={REST}>{({ Empty }) => <Empty {...{ history, token, refresh }} />}</Later>
        ) : (
          <Traffic
            {...{ history, range, token, view, bots, toggleBots, change }}
            now={feed.hour}
            onKept={(isKept) => setUnkept(!isKept)}
          />
        )}
      </main>
      {areKeysShown && (
        <Later part={REST}>{({ KeyList }) => <KeyList onClose={() => showKeys(false)} />}</Later>
      )}
    </div>
  );
}

/** The order of the parts that follow the tiles; see `useSteps`. */
const STEPS = { chart: 1, below: 2 } as const;

const NO_MARKS: MarksAnswer["marks"] = [];

type TrafficProps = Omit<Shown, "compared" | "metric" | "unit" | "where" | "stars" | "toggleStar">;

function Traffic(props: TrafficProps) {
  const { history, range, now, token, view, bots, toggleBots, change, onKept } = props;
  const { compare, where, filter, layout, open, front } = view;
  const metric = chartable(history, view);
  const compared = useMemo(() => {
    const days = comparedRange(range, compare);
    return days && days.from < history.since ? null : days;
  }, [range, compare, history.since]);
  const noted = useReading<MarksAnswer>("marks", { site: history.site }, token, now).answer;
  const isMarked = noted?.site === history.site && noted.marks.length > 0;
  const marks = isMarked ? noted.marks : NO_MARKS;
  // Asked for while the parts above are drawn: the lists wait for it, or it would push them down.
  const goals = useGoals({ history, range, compared, token });
  const drawn = useSteps(STEPS.below);
  // So that no press on a menu has to wait.
  useEffect(() => void load(REST).catch(() => {}), []);
  // Told once for each choice, and not again with each count that comes.
  const told = useMemo(
    () =>
      `${totalText(history, metric, range)}, ${range.hour === undefined ? rangeName(range.from, range.to) : "24 hours"}`,
    [whereKey(history.where), metric, range.from, range.to, range.hour],
  );
  const asked = { history, range, compared, now };
  const chart = { ...asked, metric, unit: view.unit, bots, toggleBots, change, onKept, marks };
  const heated = chartable(history, view, "pv");
  const lists = { where, filter, layout, open, front, heated };
  return (
    <>
      <p class="offscreen" role="status">
        {told}
      </p>
      {usePart(Tiles, { ...asked, metric, change })}
      {usePart(TrendCard, { ...chart, isDrawn: drawn >= STEPS.chart })}
      {usePart(
        LaterBelow,
        { ...asked, ...lists, token, goals, change, onKept },
        drawn >= STEPS.below,
      )}
    </>
  );
}

function LaterBelow(props: BelowProps) {
  return <Later part={REST}>{({ Below }) => <Below {...props} />}</Later>;
}
