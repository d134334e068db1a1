import { useEffect, useState } from "preact/hooks";
import { forgetToken, keepToken, loadToken } from "../shared/token.ts";
import { Dashboard } from "./dashboard.tsx";
import { SignIn } from "./sign-in.tsx";
import { Skeleton } from "./skeleton.tsx";
import { useFeed } from "./use-feed.ts";
import { useView } from "./use-view.ts";

/** The sign-in form until a token has opened a site, then the dashboard. */
export function Page() {
  const [view, change] = useView();
  const [token, setToken] = useState(loadToken);
  const [remember, setRemember] = useState<boolean | null>(null);
  const [isForgetful, setForgetful] = useState(false);
  const [feed, refresh] = useFeed({ site: view.site, token });
  const { history, problem } = feed;

  useEffect(() => {
    if (!history) return;
    if (remember !== null) setForgetful(!keepToken(token, remember));
    setRemember(null);
    if (history.site !== view.site) change({ site: history.site }, "correction");
    document.title = `${history.site} · Tallydeck`;
  }, [history]);

  const signOut = () => {
    forgetToken();
    setToken("");
    document.title = "Dashboard · Tallydeck";
  };

  const isRefused = problem?.kind === "unauthorized" || (problem?.kind === "busy" && !history);
  // The form stays until what was typed into it has opened a site: it is still there when not.
  const isTyped = remember !== null && !history;
  if (token === "" || isRefused || isTyped) {
    return (
      <SignIn
        site={view.site}
        problem={token === "" ? "" : (problem?.message ?? "")}
        busy={feed.busy}
        slow={feed.slow}
        onSignIn={(site, typed, keep) => {
          setRemember(keep);
          setToken(typed);
          if (site !== view.site) change({ site }, "correction");
          else if (typed === token) refresh();
        }}
      />
    );
  }
  if (!history)
    return <Skeleton slow={feed.slow} problem={problem?.message ?? ""} onRetry={refresh} />;
  return (
    <Dashboard
      history={history}
      feed={feed}
      view={view}
      token={token}
      isForgetful={isForgetful}
      change={change}
      refresh={refresh}
      signOut={signOut}
    />
  );
}
