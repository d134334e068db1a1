import { SAVED_VIEW_LIMITS, type SavedView } from "../../../appliance/base/input/selection.ts";
import type { DraftOf } from "../../shared/draft.ts";
import { ListField } from "./list-field.tsx";
import { inWords } from "./share-links.tsx";

interface ViewsFieldProps {
  path: string;
  /** the address of the site's dashboard, like `http://tallydeck.local/dashboard?site=blog` */
  dashboard: string;
  draft: DraftOf<"view"> | null;
}

/** The saved views of a site: selections of its dashboard, each with a name. */
export function ViewsField({ path, dashboard, draft }: ViewsFieldProps) {
  const addressOf = (query: string) => (query === "" ? dashboard : `${dashboard}&${query}`);
  return (
    <ListField<"views", SavedView>
      path={path}
      name="views"
      title="Saved views"
      hint="A period, filters and a figure under a name: the dashboard shows them as buttons. Choose there what you want to see again, then “Save this view…” behind its three dots; or paste its address."
      most={SAVED_VIEW_LIMITS.views}
      filled={draft && { address: addressOf(draft.query) }}
      nameOf={({ name }) => name}
      show={(view, replace) => (
        <div class="field">
          <input
            aria-label={`Name of the view ${view.name}`}
            dir="auto"
            required
            defaultValue={view.name}
            autocomplete="off"
            maxLength={SAVED_VIEW_LIMITS.name}
            onChange={({ currentTarget }) => {
              const name = currentTarget.value.trim();
              if (name === "") currentTarget.value = view.name;
              else if (name !== view.name) replace({ ...view, name });
            }}
          />
          <small dir="auto">{shown(view)}</small>
        </div>
      )}
      read={(given) => ({
        name: String(given.get("name")).trim(),
        query: String(given.get("address")).split("?")[1]?.split("#")[0] ?? "",
      })}
    >
      <input
        name="address"
        required
        aria-label="Address of the dashboard"
        placeholder={dashboard}
        pattern=".*\?.*"
        title="The address of the dashboard, as the browser shows it"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <input
        name="name"
        required
        aria-label="Name of the view"
        placeholder="Name"
        autocomplete="off"
        maxLength={SAVED_VIEW_LIMITS.name}
      />
    </ListField>
  );
}

/** `period 7d, Page begins with /blog`; `as it opens` where nothing is chosen. */
function shown({ query }: SavedView): string {
  const parts = [...new URLSearchParams(query)].map(([key, value]) =>
    key === "where" ? inWords(value) : `${key} ${value}`,
  );
  return parts.length === 0 ? "as it opens" : parts.join(", ");
}
