import type { SiteImport } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { ask } from "../../api.ts";
import { AskFirst } from "../../confirm.tsx";
import { Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { daysName, totalsText } from "./import-words.ts";

interface ImportsListProps {
  site: string;
  imports: readonly SiteImport[];
  onDeleted: () => Promise<void>;
}

/** The imports of a site, with buttons to delete them. */
export function ImportsList({ site, imports, onDeleted }: ImportsListProps) {
  const { busy, problem, run } = useAction(onDeleted);
  const remove = ({ number }: SiteImport) =>
    run(() => ask("DELETE", `api/sites/${site}/imports/${number}?confirm=${number}`));
  return (
    <>
      <ul class="entries" aria-label={`Imports of ${site}`}>
        {imports.map((one) => (
          <li key={one.number} class="entry">
            <div>
              <bdi>{one.name}</bdi>
              <small>
                {one.format !== null && `${one.format}, `}
                {daysName(one)}: {counted(one.days, "day")}, {totalsText(one.totals)}
              </small>
            </div>
            <AskFirst
              label="Delete…"
              class="danger"
              disabled={busy}
              aria-label={`Delete ${one.name}…`}
              title={`Delete what was imported from ${one.name}?`}
              text={`${counted(one.days, "day")} of ${site} go, ${daysName(one)}. What was counted here stays, and the same file imports them again.`}
              yes="Delete"
              onYes={() => remove(one)}
            />
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </>
  );
}
