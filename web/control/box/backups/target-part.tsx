import type { BackupsAnswer } from "../../../../appliance/control/wire.ts";
import { useNow } from "../../parts.tsx";
import { ago } from "../../times.ts";
import { bytesName, clockText } from "../box-words.ts";

type Target = BackupsAnswer["targets"][number];

/** A target of backups: the last good one, why there is none, when the next is due, and what is there. */
export function TargetPart({ target, backups }: { target: Target; backups: BackupsAnswer }) {
  const now = useNow();
  const { good, why, tries, triedAt, isRunning, isOverdue, isPresent, next, files } = target;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="stack">
      <h3>{titleOf(target, backups)}</h3>
      <div role="status" class="stack">
        {isRunning && <p>A backup is being made…</p>}
        {!isRunning && tries > 0 && (
          <p class="notice bad">
            The last backup failed, {ago(triedAt, now)}. {why}
          </p>
        )}
        {isOverdue && <p class="notice bad">There was no good backup here for a week.</p>}
        {good === null ? (
          !isRunning && tries === 0 && <p>There is none here yet.</p>
        ) : (
          <p>
            The last good one is of {clockText(good.at, zone)} ({bytesName(good.bytes)}). It was
            read back and compared.
          </p>
        )}
        {!isPresent && <p class="hint">{ABSENT[target.kind]}</p>}
        {isPresent && !isRunning && next !== null && next > now && (
          <p class="hint">The next is due {clockText(next, zone)}.</p>
        )}
      </div>
      {files.length > 1 && (
        <details class="part">
          <summary>{files.length} backups are kept there</summary>
          <ul class="backup-files">
            {files.map(({ file, at, bytes }) => (
              <li key={file}>
                {clockText(at, zone)} <span class="hint">{bytesName(bytes)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

const ABSENT: Readonly<Record<Target["kind"], string>> = {
  stick: "It is not plugged in.",
  folder: "It is not there now.",
  webdav: "It is not there now.",
};

function titleOf({ kind }: Target, { url, folder }: BackupsAnswer): string {
  switch (kind) {
    case "stick":
      return "USB stick";
    case "folder":
      return folder ?? "Folder";
    case "webdav":
      return new URL(url).host;
  }
}
