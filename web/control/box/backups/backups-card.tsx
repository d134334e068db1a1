import type { BackupsAnswer, BackupsChange } from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { AnswerCard, Problem, Switch } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import type { Polled } from "../../use-polled.ts";
import { type Row, SettingsForm } from "../settings-form.tsx";
import { TargetPart } from "./target-part.tsx";

const PATH = "api/backups";

const ROWS: readonly Row<BackupsChange>[] = [
  {
    key: "url",
    label: "Address",
    placeholder: "https://cloud.example.org/remote.php/dav/files/me/Tallydeck",
    hint: "The folder is made where it is not there yet. By http:// the password and the backups can be read on the way.",
    isRequired: true,
  },
  {
    kind: "sign-in",
    hint: "A Nextcloud wants an app password. Without a user, the password is sent as a token.",
  },
];
const MORE: readonly Row<BackupsChange>[] = [
  {
    kind: "certificates",
    key: "ca",
    label: "Certificates to trust",
    hint: "PEM, for a server whose certificate nobody else has signed.",
  },
];

/** The backups that the machine makes by itself, each night. */
export function BackupsCard({ polled: [answer, show] }: { polled: Polled<BackupsAnswer> }) {
  return (
    <AnswerCard id="backups" title="Nightly backups" help="backup#by-itself" answer={answer}>
      {(backups) => (
        <>
          <p class="hint">
            {backups.stick === null
              ? "Each night at 3 to a WebDAV folder, as a Nextcloud or a NAS has one"
              : "Each night at 3 to a USB stick that is plugged in, and to a WebDAV folder, as a Nextcloud or a NAS has one"}
            : all that the machine needs to be itself again, passwords too. Kept are the last 7
            days, 4 weeks and 12 months.
          </p>
          <Standing backups={backups} onSaved={show} />
          {backups.stick !== null && <Stick backups={backups} onSaved={show} />}
          <Settings backups={backups} onSaved={show} />
        </>
      )}
    </AnswerCard>
  );
}

interface PartProps {
  backups: BackupsAnswer;
  onSaved: (answer: BackupsAnswer) => void;
}

function Standing({ backups, onSaved }: PartProps) {
  const { busy, problem, run } = useAction();
  const { targets } = backups;
  const begin = () => run(async () => onSaved(await ask<BackupsAnswer>("POST", PATH)));
  if (targets.length === 0) return null;
  return (
    <>
      {targets.map((target) => (
        <TargetPart key={target.kind} target={target} backups={backups} />
      ))}
      <Problem text={problem} />
      <div class="row">
        <button
          type="button"
          disabled={busy || targets.some(({ isRunning }) => isRunning)}
          onClick={begin}
        >
          Back up now
        </button>
      </div>
    </>
  );
}

function Stick({ backups: { stick, stickProblem, targets }, onSaved }: PartProps) {
  const { busy, problem, run } = useAction();
  const hasOne = targets.some(({ kind, isPresent }) => kind === "stick" && isPresent);
  const turn = (isOn: boolean) =>
    run(async () =>
      onSaved(await ask<BackupsAnswer>("PUT", PATH, { stick: isOn } satisfies BackupsChange)),
    );
  return (
    <>
      <Switch
        name="To a USB stick"
        hint={
          hasOne || stickProblem !== null
            ? undefined
            : "None is plugged in. One with FAT, exFAT or ext4 will do; nothing on it is touched but our own folder."
        }
        isOn={stick === true}
        disabled={busy}
        onSwitch={turn}
      />
      {stickProblem !== null && stick === true && <p class="notice bad">{stickProblem}</p>}
      <Problem text={problem} />
    </>
  );
}

function Settings({ backups, onSaved }: PartProps) {
  return (
    <details class="part">
      <summary>WebDAV folder</summary>
      <SettingsForm<BackupsChange, BackupsAnswer>
        path={PATH}
        answer={backups}
        rows={ROWS}
        more={MORE}
        removal={backups.url === "" ? undefined : { url: "" }}
        onSaved={onSaved}
      />
    </details>
  );
}
