import { useState } from "preact/hooks";
import { NUMBERS_ELSEWHERE } from "../../../../appliance/base/input/database-url.ts";
import type { BoxAnswer } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Confirm } from "../../confirm.tsx";
import { useShell } from "../../context.ts";
import { Card, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { FileButton } from "../files.tsx";

/** A backup to save by hand, and the way back. */
export function BackupCard({ numbersElsewhere }: Pick<BoxAnswer, "numbersElsewhere">) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const [file, setFile] = useState<File | null>(null);
  const [done, setDone] = useState("");
  const restore = (chosen: File) =>
    run(async () => {
      setDone("");
      await ask("POST", "api/restore", chosen);
      await actions.reload();
      setDone("The backup is restored.");
    });
  return (
    <Card id="backup" title="Backup" help="backup">
      <p class="hint">
        {numbersElsewhere
          ? "Decks and what they show"
          : "Everything that was counted, with all settings"}
        , as one file. Push tokens and the settings of the broker and the mail server stay with the
        machine. Keep it where nobody else reads it.
      </p>
      {numbersElsewhere && <p>{NUMBERS_ELSEWHERE}</p>}
      <div class="row">
        {/* A backup may be larger than a page can hold: the browser saves it as it comes. */}
        <a class="button" href="api/backup" download="tallydeck-backup.db">
          Download backup
        </a>
        <FileButton label="Restore…" accept=".db" disabled={busy} onFile={setFile} />
      </div>
      <Problem text={problem} />
      <p role="status">{done}</p>
      {file !== null && (
        <Confirm
          title="Restore this backup?"
          text={`${numbersElsewhere ? "What the machine keeps" : "Everything the machine has counted"} is replaced by what is in ${file.name}. This cannot be undone.`}
          yes="Restore"
          onYes={() => restore(file)}
          onClose={() => setFile(null)}
        />
      )}
    </Card>
  );
}
