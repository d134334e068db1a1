import { useRef, useState } from "preact/hooks";
import { download } from "../shared/download.ts";
import { AdminToken } from "./admin-token.tsx";
import { ask, askRaw } from "./api.ts";
import { Confirm } from "./confirm.tsx";
import { useShell } from "./context.ts";
import { Problem } from "./parts.tsx";
import { useAction } from "./use-action.ts";

/** What concerns the box as a whole. */
export function BoxTab() {
  return (
    <div class="columns">
      <Access />
      <Settings />
      <Backup />
      <Diagnostics />
    </div>
  );
}

function Access() {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const signOut = () =>
    run(async () => {
      await ask("DELETE", "api/session");
      await actions.reload();
    });
  return (
    <section class="card stack" aria-labelledby="access-title">
      <h2 id="access-title">Access</h2>
      <p class="hint">
        The admin token signs in here and reads every site's dashboard. A new one takes the place of
        the one there is.
      </p>
      <AdminToken button="Make a new admin token" />
      <Problem text={problem} />
      <div class="row">
        <button type="button" disabled={busy} onClick={signOut}>
          Sign out
        </button>
      </div>
    </section>
  );
}

function Settings() {
  const { actions } = useShell();
  const { busy, problem, run } = useAction();
  const [done, setDone] = useState("");
  const save = () => run(() => saveFile("api/settings/export", "tallydeck-settings.json"));
  const take = (file: File) =>
    run(async () => {
      setDone("");
      await ask("POST", "api/settings/import", parsed(await file.text()));
      await actions.reload();
      setDone("The settings are taken over.");
    });
  return (
    <section class="card stack" aria-labelledby="settings-title">
      <h2 id="settings-title">Settings</h2>
      <p class="hint">
        Decks, what their keys show, and sites, as one file without any token. Taking it in changes
        what it names and deletes nothing.
      </p>
      <div class="row">
        <button type="button" disabled={busy} onClick={save}>
          Export settings
        </button>
        <FileButton label="Import settings…" accept=".json" disabled={busy} onFile={take} />
      </div>
      <Problem text={problem} />
      <p role="status">{done}</p>
    </section>
  );
}

function Backup() {
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
    <section class="card stack" aria-labelledby="backup-title">
      <h2 id="backup-title">Backup</h2>
      <p class="hint">
        Everything that was counted, with all settings, as one file. Push tokens stay with the box.
        Keep it where nobody else reads it.
      </p>
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
          text={`Everything the box has counted is replaced by what is in ${file.name}. This cannot be undone.`}
          yes="Restore"
          onYes={() => restore(file)}
          onClose={() => setFile(null)}
        />
      )}
    </section>
  );
}

function Diagnostics() {
  const { busy, problem, run } = useAction();
  const save = () => run(() => saveFile("api/diagnostics", "tallydeck-diagnostics.json"));
  return (
    <section class="card stack" aria-labelledby="diagnostics-title">
      <h2 id="diagnostics-title">Diagnostics</h2>
      <p class="hint">
        Versions, devices, storage and recent errors, to send along with a question. No token, no
        address and nothing about visitors is in it.
      </p>
      <div class="row">
        <button type="button" disabled={busy} onClick={save}>
          Download diagnostics
        </button>
      </div>
      <Problem text={problem} />
    </section>
  );
}

async function saveFile(path: string, name: string): Promise<void> {
  const response = await askRaw("GET", path);
  download(name, "application/json", [await response.text()]);
}

/** @throws Error that says what the file should have been */
function parsed(text: string): object {
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === "object" && settings !== null) return settings;
  } catch {
    // What is no JSON is as wrong as JSON that is no object.
  }
  throw new Error("This file is not an export of settings. Choose one that was exported here.");
}

interface FileButtonProps {
  label: string;
  accept: string;
  disabled: boolean;
  onFile: (file: File) => void;
}

/** A button that asks for a file. */
function FileButton({ label, accept, disabled, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        hidden
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </>
  );
}
