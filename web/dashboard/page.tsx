import { useEffect, useState } from "preact/hooks";
import { forgetToken, keepToken, loadToken } from "../shared/token.ts";
import { Dashboard } from "./dashboard.tsx";
import { SignIn } from "./sign-in.tsx";
import { useFeed } from "./use-feed.ts";
import { useView } from "./use-view.ts";

/** The sign-in form until a token has opened a site, then the dashboard. */
export function Page() {
  const [view, change] = useView();
  const [token, setToken] = useState(loadToken);
  const [remember, setRemember] = useState<boolean | null>(null);
  const [feed, refresh] = useFeed({ site: view.site, token });
  const { history, problem } = feed;

  useEffect(() => {
    if (!history) return;
    if (remember !== null) keepToken(token, remember);
    if (history.site !== view.site) change({ site: history.site }, "correction");
    document.title = `${history.site} · Tallydeck`;
  }, [history]);

  const signOut = () => {
    forgetToken();
    setToken("");
    document.title = "Dashboard · Tallydeck";
  };

  const isRefused = problem?.kind === "unauthorized" || (problem?.kind === "busy" && !history);
  if (token === "" || isRefused) {
    return (
      <SignIn
        site={view.site}
        problem={token === "" ? "" : (problem?.message ?? "")}
        busy={feed.busy}
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
    return <Opening slow={feed.slow} problem={problem?.message ?? ""} onRetry={refresh} />;
  return (
    <Dashboard
      history={history}
      feed={feed}
      view={view}
      token={token}
      change={change}
      refresh={refresh}
      signOut={signOut}
    />
  );
}

interface OpeningProps {
  slow: boolean;
  problem: string;
  onRetry: () => void;
}

/** What stands on the page until the first answer is there. */
function Opening({ slow, problem, onRetry }: OpeningProps) {
  if (problem !== "") {
    return (
      <main class="sign-in">
        <div class="card" role="alert">
          <h1>Nothing to show yet</h1>
          <p>{problem}</p>
          <button type="button" class="primary" onClick={onRetry}>
            Try again
          </button>
        </div>
      </main>
    );
  }
  return (
    <main class="sign-in" aria-busy="true">
      <p role="status">
        {slow
          ? "Still reading. A small box with a long history may take some seconds."
          : "Reading the counters…"}
      </p>
    </main>
  );
}
