import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ShellContext, SignedOutContext } from "./context.ts";
import { ToDashboard } from "./dashboard-link.tsx";
import { Shell } from "./shell.tsx";
import { Failed, Opening, SignIn } from "./sign-in.tsx";
import { isStarting } from "./start/start-tab.tsx";
import { useBox } from "./use-box.ts";
import { useView } from "./view/use-view.ts";
import { isBare, leadsToDashboard } from "./view/view.ts";

/** Shows the sign-in where it is necessary, and then the box. */
export function Page() {
  const [view, change] = useView();
  const [standing, actions] = useBox((deck, slot) => {
    if (view.tab === "deck") change({ deck, slot });
  });
  const [isOffered, setOffered] = useState(false);
  const [leadsOn] = useState(() => leadsToDashboard(location.search));

  useEffect(() => {
    document.title = standing.state === "signed-out" ? "Sign in · Tallydeck" : "Tallydeck";
  }, [standing.state]);

  useLayoutEffect(() => {
    // An address of another section is kept.
    if (standing.state !== "open" || leadsOn || !isBare(location.search)) return;
    if (isStarting(standing.box)) change({ tab: "start" });
    else if (standing.box.decks.length === 0) change({ tab: "sites" });
  }, [standing.state]);

  switch (standing.state) {
    case "opening":
      return <Opening />;
    case "failed":
      return <Failed message={standing.message} onAgain={actions.reload} />;
    case "signed-out":
      return (
        <SignIn
          onSignedIn={(byCode) => {
            setOffered(byCode);
            return actions.reload();
          }}
        />
      );
    case "open":
      if (leadsOn) return <ToDashboard collector={standing.box.collector} />;
      return (
        <ShellContext.Provider value={{ box: standing.box, actions, view, change }}>
          <SignedOutContext.Provider value={actions.signedOut}>
            <Shell offersToken={isOffered} onAnswered={() => setOffered(false)} />
          </SignedOutContext.Provider>
        </ShellContext.Provider>
      );
  }
}
