import { useMemo } from "preact/hooks";
import type {
  SiteActivity as Answered,
  SiteActivityAnswer,
} from "../../../appliance/control/wire.ts";
import { usePolled } from "../use-polled.ts";

/** The counts of a site, by days of a zone. */
export type SiteActivity = Answered & Pick<SiteActivityAnswer, "zone">;

/** The counts of sites, by their ids; none until they are known. */
export function useActivity(everyMs: number): ReadonlyMap<string, SiteActivity> {
  const [answer] = usePolled<SiteActivityAnswer>("api/site-activity", everyMs);
  return useMemo(
    () => new Map(answer?.sites.map((site) => [site.id, { ...site, zone: answer.zone }])),
    [answer],
  );
}
