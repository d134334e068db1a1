import { useState } from "preact/hooks";
import type { SurveyLabels } from "../../../appliance/control/wire.ts";
import { FileButton } from "../box/files.tsx";
import { CodeArea, Problem } from "../parts.tsx";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

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
  const { busy, problem, run, kept, write } = useSetting<SurveyLabels>(path);
  const [typed, setTyped] = useState<string | null>(null);
  const [isSaved, setSaved] = useState(false);
  const isEmpty = kept !== null && Object.keys(kept).length === 0;
  const change = (text: string) => {
    setSaved(false);
    setTyped(text);
  };
  const text = typed ?? (isEmpty ? "" : JSON.stringify(kept, null, 2));
  const save = () =>
    run(async () => {
      await write(labelsIn(text));
      setSaved(true);
    });
  return (
    <Section title="Survey labels" state={kept === null ? undefined : isEmpty ? "none" : "set"}>
      {kept !== null && (
        <>
          <CodeArea
            label="Labels as JSON"
            hint="Version, question and option ids, each with the name the dashboard shows instead."
            rows={8}
            placeholder={EXAMPLE}
            value={text}
            onText={change}
          />
          <div class="row">
            <button type="button" disabled={busy} onClick={() => void save()}>
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
        </>
      )}
      <Problem text={problem} />
    </Section>
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
