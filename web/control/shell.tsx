import { useEffect, useState } from "preact/hooks";
import { WARNINGS } from "../../appliance/base/text/warnings.ts";
import type { BoxAnswer } from "../../appliance/control/wire.ts";
import { AdminTokenOffer } from "./box/admin-token.tsx";
import { BoxTab } from "./box/box-tab.tsx";
import { isRestarting, waits } from "./box/update-words.ts";
import { useShell } from "./context.ts";
import { DashboardLink } from "./dashboard-link.tsx";
import { DeckTab } from "./deck/deck-tab.tsx";
import { PushTab } from "./push/push-tab.tsx";
import { SitesTab } from "./sites/sites-tab.tsx";
import { isStarting, StartTab } from "./start/start-tab.tsx";
import type { Box } from "./use-box.ts";
import { usePolled } from "./use-polled.ts";
import { FIRST_PART, type Tab, tabsFor } from "./view/view.ts";

const AGAIN_MS = 30_000;

const BODIES: Record<Tab, () => preact.JSX.Element> = {
  start: StartTab,
  deck: DeckTab,
  push: PushTab,
  sites: SitesTab,
  box: BoxTab,
};

interface ShellProps {
  /** whether somebody signed in by the setup code who has not answered the offer of a token yet */
  offersToken: boolean;
  onAnswered: () => void;
}

/** The signed-in page: sections on top, the chosen one below. */
export function Shell({ offersToken, onAnswered }: ShellProps) {
  const { box, actions, view, change } = useShell();
  const [status] = usePolled<BoxAnswer>("api/box", AGAIN_MS);
  const Body = BODIES[view.tab];
  const tabs = tabsFor(view.tab, isStarting(box));
  const name = tabs.find(({ id }) => id === view.tab)?.name;
  return (
    <div class="page control">
      <header class="top">
        <img src="favicon.svg" alt="Tallydeck" width="26" height="26" />
        <nav aria-label="Sections" class="tabs">
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              aria-current={tab.id === view.tab ? "page" : undefined}
              onClick={() => change({ tab: tab.id, site: "", part: FIRST_PART })}
            >
              {tab.name}
              {tab.id === "box" && box.update !== null && waits(box.update) && (
                <span class="waits">
                  <span class="offscreen">, an update waits</span>
                </span>
              )}
            </button>
          ))}
        </nav>
        <span class="spacer" />
        <DashboardLink class="quiet" />
      </header>
      <div class="notices" role="status">
        {status?.warnings.map(
          (code) =>
            code.startsWith("storage") && (
              <p class="notice bad" key={code}>
                {WARNINGS[code]}
              </p>
            ),
        )}
        {!box.isLive && <Away update={box.update} />}
        {box.clockDoubt !== "" && (
          <p class="notice bad">
            {box.clockDoubt}
            <button type="button" onClick={() => actions.tellTime(true)}>
              The date is right
            </button>
          </p>
        )}
        {offersToken && <AdminTokenOffer onClose={onAnswered} />}
      </div>
      <main>
        {/* A site's page has its name for a heading. */}
        <h1 class={view.site === "" ? undefined : "offscreen"}>{name}</h1>
        <Body />
      </main>
    </div>
  );
}

/** A trial that is not well has led back by then, unless it hangs. */
const LONG_S = 15 * 60;

/** A note about the lost connection. */
function Away({ update }: Pick<Box, "update">) {
  const waited = useSecondsInSight();
  if (!navigator.onLine)
    return <p class="notice bad">This device is offline: what you see may be old.</p>;
  if (update !== null && isRestarting(update))
    return waited >= LONG_S ? (
      <p class="notice bad">
        The box is not back after fifteen minutes. Unplug it and plug it in again: that starts the
        release that ran before.
      </p>
    ) : (
      <p class="notice">
        The box restarts into {update.next?.version}. It is back in about two minutes, and this page
        goes on by itself.
      </p>
    );
  return (
    <p class="notice bad">The machine does not answer: what you see may be old. Trying again…</p>
  );
}

/**
 * Seconds for which the page was visible. Time asleep or in the background does not count, since the box may be back by
 * then.
 */
function useSecondsInSight(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const count = () => document.visibilityState === "visible" && setSeconds((n) => n + 1);
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, []);
  return seconds;
}
