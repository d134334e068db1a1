import type { DashboardCode } from "../../appliance/control/wire.ts";
import { ask } from "./api.ts";
import { useShell } from "./context.ts";

interface DashboardLinkProps {
  /** none for all of them */
  site?: string;
  class?: string;
}

/** Leads to the dashboard and signs in there by a code that is good once. */
export function DashboardLink({ site, class: className }: DashboardLinkProps) {
  const { box } = useShell();
  const url = `${box.collector}/dashboard${site === undefined ? "" : `?site=${site}`}`;
  const follow = async (event: MouseEvent) => {
    // In another tab or window it is the browser's to open.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // Without a code the dashboard asks for a token.
    const code = await ask<DashboardCode>("POST", "api/dashboard-code").catch(() => undefined);
    // What follows the # is sent to nobody.
    location.assign(code === undefined ? url : `${url}#code=${code.code}`);
  };
  return (
    <a class={className} href={url} onClick={(event) => void follow(event)}>
      Dashboard
    </a>
  );
}
