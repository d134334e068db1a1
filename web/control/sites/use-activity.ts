import { useEffect, useState } from "preact/hooks";
import type {
  SiteActivity as Answered,
  SiteActivityAnswer,
} from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";

/** The counts of a site, by days of a zone. */
export type SiteActivity = Answered & Pick<SiteActivityAnswer, "zone">;

/**
 * The counts of sites, by their ids, again and again while the page is in sight; none until they
 * are known.
 */
export function useActivity(everyMs: number): ReadonlyMap<string, SiteActivity> {
  const [activity, setActivity] = useState<ReadonlyMap<string, SiteActivity>>(new Map());
  useEffect(() => {
    const read = () => {
      if (document.visibilityState !== "visible") return;
      ask<SiteActivityAnswer>("GET", "api/site-activity").then(
        ({ sites, zone }) =>
          setActivity(new Map(sites.map((site) => [site.id, { ...site, zone }]))),
        // The counts on the page stay there; the page says itself that the box does not answer.
        () => {},
      );
    };
    read();
    const timer = setInterval(read, everyMs);
    document.addEventListener("visibilitychange", read);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, [everyMs]);
  return activity;
}
