import { readSelection, selectionQuery } from "../../../appliance/base/input/selection.ts";
import type { Shown } from "../traffic/shown.ts";
import { useWebUi } from "../web-ui/use-web-ui.ts";

/** A chip for each saved view of the site; that of what is shown is pressed. Their owner finds the way to where they are kept. */
export function ViewChips({ history, view, token, change }: ViewChipsProps) {
  const webUi = useWebUi(history.site, token);
  const shown = selectionQuery(view);
  return (
    <nav class="views" aria-label="Saved views">
      <ul class="chips">
        {history.views.map(({ name, query }) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={query === shown}
              onClick={() => change(readSelection(new URLSearchParams(query)))}
            >
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
        {webUi !== null && (
          <li>
            <a
              class="quiet"
              href={`${webUi}/?${new URLSearchParams({ tab: "sites", site: history.site })}`}
            >
              Rename or remove…
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

type ViewChipsProps = Pick<Shown, "history" | "view" | "token" | "change">;
