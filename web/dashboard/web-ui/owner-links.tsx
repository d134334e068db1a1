import { draftUrl } from "../../shared/draft.ts";
import type { History } from "../history.ts";
import type { View } from "../view.ts";
import { useWebUi } from "./use-web-ui.ts";

interface OwnerLinksProps {
  history: History;
  view: View;
  token: string;
}

/** The items of a menu that lead the owner to the Web UI, with what is shown here filled in. */
export function OwnerLinks({ history: { site }, view, token }: OwnerLinksProps) {
  const webUi = useWebUi(site, token);
  if (webUi === null) return null;
  return <a href={draftUrl(webUi, site, { kind: "share", where: view.where })}>Share this view…</a>;
}
