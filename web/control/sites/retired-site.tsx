import { useState } from "preact/hooks";
import type { Site } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { EraseQuestion } from "./erase-question.tsx";

/** A site that only keeps its numbers: back to counting, or gone for good. */
export function RetiredSite({ site: { id } }: { site: Site }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const [isAsked, setAsked] = useState(false);
  const bringBack = () =>
    run(async () => {
      await ask("POST", "api/sites", { id });
      await actions.readSites();
    });
  return (
    <li>
      <div class="entry">
        <div>
          <h3>{id}</h3>
        </div>
        <fieldset class="row" aria-label={id}>
          <button type="button" disabled={busy} onClick={() => void bringBack()}>
            Bring back
          </button>
          <button type="button" class="danger" disabled={busy} onClick={() => setAsked(true)}>
            Erase…
          </button>
        </fieldset>
      </div>
      <Problem text={problem} />
      {isAsked && <EraseQuestion id={id} run={run} onClose={() => setAsked(false)} />}
    </li>
  );
}
