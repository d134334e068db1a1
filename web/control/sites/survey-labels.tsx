import { useState } from "preact/hooks";
import type { SurveyLabels } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { FileButton } from "../box/files.tsx";
import { CodeArea, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

const EXAMPLE = `{
  "1": {
    "wants": {
      "name": "What next?",
      "options": { "pages": "More pages" }
    }
  }
}`;

/** The labels of the questions and options of a site's surveys: JSON, typed or from a file. */
export function SurveyLabelsField({ path }: { path: string }) {
  const { busy, problem, run } = useAction();
  const [text, setText] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const read = () =>
    run(async () => {
      const labels = await ask<SurveyLabels>("GET", path);
      setText(Object.keys(labels).length === 0 ? "" : JSON.stringify(labels, null, 2));
    });
  const change = (typed: string) => {
    setSaved(false);
    setText(typed);
  };
  const save = (typed: string) =>
    run(async () => {
      await ask("PUT", path, labelsIn(typed));
      setSaved(true);
    });
  return (
    <details onToggle={(event) => event.currentTarget.open && text === null && void read()}>
      <summary>Survey labels</summary>
      {text !== null && (
        <div class="stack labels">
          <CodeArea
            label="Labels as JSON"
            hint="Version, question and option ids, each with the name the dashboard shows instead."
            rows={8}
            placeholder={EXAMPLE}
            value={text}
            onText={change}
          />
          <div class="row">
            <button type="button" disabled={busy} onClick={() => void save(text)}>
              Save labels
            </button>
            <FileButton
              label="Take them from a file…"
              accept=".json,application/json"
              disabled={busy}
              onFile={(file) => void run(async () => change(await file.text()))}
            />
            {isSaved && <span role="status">Saved.</span>}
          </div>
        </div>
      )}
      <Problem text={problem} />
    </details>
  );
}

/** @throws {Error} where it is no JSON; what is in it the box checks */
function labelsIn(text: string): object {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    throw new Error(
      `This is not JSON. Look for a comma, bracket or quote that is missing or too many. (${error instanceof Error ? error.message : error})`,
    );
  }
}
