import { formatDay } from "../../../appliance/base/calendar.ts";
import { selectionQuery } from "../../../appliance/base/input/selection.ts";
import { longDay } from "../../shared/dates.ts";
import { type Draft, draftUrl } from "../../shared/draft.ts";
import type { DayRange, History } from "../history.ts";
import type { View } from "../view.ts";
import { useWebUi } from "./use-web-ui.ts";

interface OwnerLinksProps {
  history: History;
  range: DayRange;
  view: View;
  token: string;
}

/** The items of a menu that lead the owner to the Web UI, with what is shown here filled in. */
export function OwnerLinks({ history: { site }, range: { to }, view, token }: OwnerLinksProps) {
  const webUi = useWebUi(site, token);
  if (webUi === null) return null;
  const urlOf = (draft: Draft) => draftUrl(webUi, site, draft);
  return (
    <>
      <a href={urlOf({ kind: "share", where: view.where })}>Share this view…</a>
      <a href={urlOf({ kind: "view", query: selectionQuery(view) })}>Save this view…</a>
      <a href={urlOf({ kind: "mark", day: formatDay(to) })}>
        Mark this day… <small>{longDay(to)}</small>
      </a>
    </>
  );
}
