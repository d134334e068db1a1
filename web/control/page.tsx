import { useEffect, useState } from "preact/hooks";
import { AdminTokenOffer } from "./box/admin-token.tsx";
import { ShellContext } from "./context.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { useBox } from "./use-box.ts";
import { useView } from "./use-view.ts";

/** Signs in where the box asks for it, then shows the box. */
export function Page() {
  const [view, change] = useView();
  const [standing, actions] = useBox((deck, slot) => {
    if (view.tab === "deck") change({ deck, slot });
  });
  const [isOffered, setOffered] = useState(false);

  useEffect(() => {
    document.title = standing.state === "signed-out" ? "Sign in · Tallydeck" : "Tallydeck";
  }, [standing.state]);

  switch (standing.state) {
    case "opening":
      return (
        <main class="sign-in" aria-busy="true">
          <p role="status">Asking the box…</p>
        </main>
      );
    case "failed":
      return (
        <main class="sign-in">
          <div class="card" role="alert">
            <h1>Nothing to show yet</h1>
            <p>{standing.message}</p>
            <button type="button" class="primary" onClick={actions.reload}>
              Try again
            </button>
          </div>
        </main>
      );
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
      return (
        <ShellContext.Provider value={{ box: standing.box, actions, view, change }}>
          <Shell />
          {isOffered && <AdminTokenOffer onClose={() => setOffered(false)} />}
        </ShellContext.Provider>
      );
  }
}
