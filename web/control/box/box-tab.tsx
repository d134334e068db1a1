import { useState } from "preact/hooks";
import { NUMBERS_ELSEWHERE } from "../../../appliance/base/input/database-url.ts";
import type { BoxAnswer, PrivacyAnswer } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { ask } from "../api.ts";
import { Confirm } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { Card, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { usePolled } from "../use-polled.ts";
import { AdminToken } from "./admin-token.tsx";
import { BackupsCard } from "./backups/backups-card.tsx";
import { clockText } from "./box-words.ts";
import { FileButton, saveFile } from "./files.tsx";
import { MachineCard } from "./machine/machine-card.tsx";
import { ResetCard } from "./machine/reset-card.tsx";
import { PublicCard } from "./public-card.tsx";
import { MailCard } from "./servers/mail-card.tsx";
import { MqttCard } from "./servers/mqtt-card.tsx";
import { SettingsCard } from "./settings-card.tsx";
import { StatusCard } from "./status-card.tsx";
import { UpdateCard } from "./update-card.tsx";
import { WifiCard } from "./wifi-card.tsx";

const AGAIN_MS = 10_000;

/** The cards about the box as a whole. */
export function BoxTab() {
  const { box } = useShell();
  const [status] = usePolled<BoxAnswer>("api/box", AGAIN_MS);
  return (
    <div class="columns together">
      <div class="column">
        <StatusCard status={status} />
        <MachineCard />
        <WifiCard wifi={status?.wifi} />
        <UpdateCard update={box.update} />
        <PublicCard />
      </div>
      <div class="column">
        <Access />
        <MqttCard />
        <MailCard />
        <SettingsCard />
        <BackupsCard />
        <Backup numbersElsewhere={status?.numbersElsewhere === true} />
        <Privacy />
        <Diagnostics status={status} />
        <ResetCard />
      </div>
    </div>
  );
}

function Access() {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.reload);
  return (
    <Card id="access" title="Access" help="security">
      <p class="hint">
        The admin token signs in here and reads every site's dashboard. A new one takes the place of
        the one there is.
      </p>
      <AdminToken button="Make a new admin token" />
      <Problem text={problem} />
      <div class="row">
        <button
          type="button"
          disabled={busy}
          onClick={() => run(() => ask("DELETE", "api/session"))}
        >
          Sign out
        </button>
      </div>
    </Card>
  );
}

function Backup({ numbersElsewhere }: Pick<BoxAnswer, "numbersElsewhere">) {
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

function Privacy() {
  const { busy, problem, run } = useAction();
  const [text, setText] = useState("");
  const show = () =>
    run(async () => setText((await ask<PrivacyAnswer>("GET", "api/privacy")).text));
  return (
    <Card id="privacy" title="Privacy" help="privacy">
      <p class="hint">
        A text for your privacy page, by the settings of this machine: what is kept of a visit, and
        for how long. Put in what stands in CAPITALS, and leave out what you do not use. This is no
        legal advice.
      </p>
      <div class="row">
        <button type="button" disabled={busy} onClick={show}>
          Show the text
        </button>
      </div>
      <Problem text={problem} />
      {text !== "" && <Snippet text={text} label="the text" />}
    </Card>
  );
}

function Diagnostics({ status }: { status: BoxAnswer | undefined }) {
  const { busy, problem, run } = useAction();
  const keptAt = status?.logKeptAt ?? null;
  const save = () => run(() => saveFile("api/diagnostics", "tallydeck-diagnostics.json"));
  return (
    <Card id="diagnostics" title="Diagnostics" help="troubleshooting">
      <p class="hint">
        Versions, devices, storage and recent errors, to send along with a question. No token, no
        address and nothing about visitors is in it.
      </p>
      {keptAt !== null && (
        <p class="hint">
          The log is that of the box before it failed last,{" "}
          {clockText(keptAt, status?.timeZone ?? "UTC")}. Look through it before you send it: it has
          names of this machine and its devices.
        </p>
      )}
      <div class="row">
        <button type="button" disabled={busy} onClick={save}>
          Download diagnostics
        </button>
        {keptAt !== null && (
          <a class="button" href="api/log" download="tallydeck-log.txt">
            Download log
          </a>
        )}
      </div>
      <Problem text={problem} />
    </Card>
  );
}
