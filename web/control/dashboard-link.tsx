import { useEffect } from "preact/hooks";
import type { DashboardCode } from "../../appliance/control/wire.ts";
import { ask } from "./api.ts";
import { useShell } from "./context.ts";
import { Opening } from "./sign-in.tsx";

interface Days {
  from: string;
  to: string;
}

interface DashboardLinkProps {
  /** none for all of them */
  site?: string;
  /** of a site, to open there; the last ones unless given */
  days?: Days;
  class?: string;
  children?: string;
}

/** The dashboard's address, with a code for one sign-in if the box gives one. */
async function dashboardUrl(collector: string, site?: string, days?: Days): Promise<string> {
  // The dashboard asks for a token when it has no code.
  const code = await ask<DashboardCode>("POST", "api/dashboard-code").catch(() => undefined);
  // The part after the # is never sent.
  const bare = bareUrl(collector, site, days);
  return code === undefined ? bare : `${bare}#code=${code.code}`;
}

function bareUrl(collector: string, site?: string, days?: Days): string {
  const range = days === undefined ? "" : `&from=${days.from}&to=${days.to}`;
  return `${collector}/dashboard${site === undefined ? "" : `?site=${site}${range}`}`;
}

/** A link to the dashboard that signs in there, by a code for one use. */
export function DashboardLink({
  site,
  days,
  class: className,
  children = "Dashboard",
}: DashboardLinkProps) {
  const { box } = useShell();
  const follow = async (event: MouseEvent) => {
    // The browser itself opens other tabs and windows.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    location.assign(await dashboardUrl(box.collector, site, days));
  };
  return (
    <a
      class={className}
      href={bareUrl(box.collector, site, days)}
      onClick={(event) => void follow(event)}
    >
      {children}
    </a>
  );
}

/** Goes to the dashboard at once, for visitors of a link to it. */
export function ToDashboard({ collector }: { collector: string }) {
  useEffect(() => {
    // The dashboard replaces this page, so that going back leads to the page before.
    void dashboardUrl(collector).then((url) => location.replace(url));
  }, []);
  return <Opening text="Opening the dashboard…" />;
}
