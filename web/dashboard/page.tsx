import { useEffect, useState } from "preact/hooks";
import { keepToken } from "../shared/token.ts";
import { Dashboard } from "./dashboard.tsx";
import type { History } from "./history.ts";
import { Later } from "./later.tsx";
import { Skeleton } from "./skeleton.tsx";
import { chartable, METRIC_FACTS } from "./traffic/figures.ts";
import { useFeed } from "./use-feed.ts";
import { useToken } from "./use-token.ts";
import { useView } from "./use-view.ts";

const OVERVIEW = { name: "the sites", load: () => import("./overview/overview.tsx") };
const SIGN_IN = { name: "the form", load: () => import("./sign-in.tsx") };

const NO_GAPS: Pick<History, "first" | "last" | "gaps"> = { first: 0, last: 0, gaps: [] };

/** The sign-in form until a token has opened a site or all of them, and then the dashboard. */
export function Page() {
  const [view, change] = useView();
  const [{ token, isArriving, said }, entry] = useToken();
  const [remember, setRemember] = useState<boolean | null>(null);
  const [isForgetful, setForgetful] = useState(false);
  const [gaps, setGaps] = useState(NO_GAPS);
  const [feed, refresh] = useFeed({
    site: view.site,
    source: view.source,
    where: view.where,
    of: METRIC_FACTS[chartable({ ...gaps, where: view.where, since: 0 }, view)].of,
    token: isArriving ? "" : token,
  });
  const { history, problem } = feed;
  const overview = view.site === "" && history === null ? feed.overview : null;
  const isOpen = history !== null || overview !== null;

  // A figure that the whole history lacks is not charted, and lists have to count another one, too.
  useEffect(() => setGaps(history && history.gaps.length > 0 ? history : NO_GAPS), [history]);
  useEffect(() => {
    if (!isOpen) return;
    if (remember !== null) setForgetful(!keepToken(token, remember));
    setRemember(null);
    if (history && history.site !== view.site) change({ site: history.site }, "correction");
    if (overview && (view.source !== "" || view.where.length > 0))
      change({ source: "", where: [] }, "correction");
    document.title = `${history ? history.site : "All sites"} · Tallydeck`;
  }, [history, overview]);

  const isRefused = problem?.kind === "unauthorized";
  useEffect(() => {
    if (isRefused) entry.refused();
  }, [isRefused]);

  const signOut = () => {
    entry.signOut();
    document.title = "Dashboard · Tallydeck";
  };

  // The form stays until its token has opened a site, so that it is still there after a failure.
  const isTyped = remember !== null && !isOpen;
  const isAsked = token === "" || isRefused || (problem?.kind === "busy" && !isOpen) || isTyped;
  if (isAsked && !isArriving) {
    return (
      <Later part={SIGN_IN} waiting={<main class="sign-in" />}>
        {({ SignIn }) => (
          <SignIn
            site={view.site}
            problem={token === "" ? said : (problem?.message ?? "")}
            busy={feed.busy}
            slow={feed.slow}
            onSignIn={(site, typed, keep) => {
              setRemember(keep);
              entry.typed(typed);
              if (site !== view.site) change({ site }, "correction");
              else if (typed === token) refresh();
            }}
          />
        )}
      </Later>
    );
  }
  const all = { feed, view, isForgetful, change, refresh, signOut };
  if (history) return <Dashboard history={history} token={token} {...all} />;
  const skeleton = (
    <Skeleton
      slow={feed.slow}
      problem={problem?.message ?? ""}
      onRetry={refresh}
      onAll={
        (view.source !== "" || view.where.length > 0) && problem?.kind === "refused"
          ? () => change({ source: "", where: [] })
          : null
      }
    />
  );
  if (!overview) return skeleton;
  return (
    <Later part={OVERVIEW} waiting={skeleton}>
      {({ Overview }) => <Overview overview={overview} {...all} />}
    </Later>
  );
}
