import { useState } from "preact/hooks";
import type { DoneAnswer, ImportPreview } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Confirm } from "../../confirm.tsx";
import { useShell } from "../../context.ts";
import { UndoButtons } from "../../deck/undo.tsx";
import { Card, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { FileButton, saveFile } from "../files.tsx";

/** Settings out to a file, and in from one: looked at first, and undone when it was a mistake. */
export function SettingsCard() {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const [done, setDone] = useState("");
  const [isTaken, setTaken] = useState(false);
  const [asked, setAsked] = useState<{ settings: object; changes: string } | null>(null);
  const save = () => run(() => saveFile("api/settings/export", "tallydeck-settings.json"));
  const look = (file: File) =>
    run(async () => {
      setDone("");
      const settings = parsed(await file.text());
      const preview = await ask<ImportPreview>("POST", "api/settings/import?preview=1", settings);
      const changes = changesOf(preview);
      if (changes === "") setDone("All of this file is here already: nothing changes.");
      else setAsked({ settings, changes });
    });
  const take = (settings: object) =>
    run(async () => {
      await ask("POST", "api/settings/import", settings);
      setTaken(true);
      await actions.reload();
      setDone("The settings are taken over.");
    });
  const go = (way: "undo" | "redo") =>
    run(async () => {
      const { done: now } = await ask<DoneAnswer>("POST", `api/decks/${way}`);
      await actions.reload();
      setDone(now);
    });
  return (
    <Card id="settings" title="Settings" help="configuration">
      <p class="hint">
        Decks, what their keys show, and sites, as one file without any token. Taking it in
        overwrites the keys, names and hosts it holds, and deletes nothing; you see first what
        changes.
      </p>
      <div class="row">
        <button type="button" disabled={busy} onClick={save}>
          Export settings
        </button>
        <FileButton label="Import settings…" accept=".json" disabled={busy} onFile={look} />
      </div>
      {isTaken && <UndoButtons onUndo={() => go("undo")} onRedo={() => go("redo")} />}
      <Problem text={problem} />
      <p role="status">{done}</p>
      {asked !== null && (
        <Confirm
          title="Take these settings in?"
          text={`${asked.changes} What is there now is overwritten. You can undo it afterwards.`}
          yes="Take them in"
          onYes={() => take(asked.settings)}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

/** @throws {Error} that says what the file should have been */
function parsed(text: string): object {
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === "object" && settings !== null) return settings;
  } catch {
    // Text that is no JSON is as wrong as JSON that is no object.
  }
  throw new Error("This file is not an export of settings. Choose one that was exported here.");
}

/** The changes of an import, as one sentence; empty when it would change nothing. */
function changesOf({ keys, decks, sites }: ImportPreview): string {
  const parts = [
    counted(keys, "key changes", "keys change"),
    counted(
      decks.changed,
      "deck gets its name and brightness",
      "decks get their names and brightness",
    ),
    counted(decks.added, "deck is new", "decks are new"),
    counted(sites.changed, "site changes", "sites change"),
    counted(sites.added, "site is new", "sites are new"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}
