import { useId } from "preact/hooks";
import type { ImportOptions, ImportUpload } from "../../../../appliance/control/wire.ts";
import { counted } from "../../../shared/format.ts";
import { FileButton } from "../../box/files.tsx";
import { sentText } from "../../box/update-words.ts";
import { DashboardLink } from "../../dashboard-link.tsx";
import { Problem } from "../../parts.tsx";
import { ImportForm, ImportPreview } from "./import-preview.tsx";
import { daysName } from "./import-words.ts";
import { isSent } from "./send-file.ts";

interface ImportUploadProps {
  /** whose panel it is */
  site: string;
  upload: ImportUpload;
  wishes: ImportOptions;
  busy: boolean;
  onRead: (wishes: ImportOptions) => void;
  onImport: (replace: boolean) => void;
  onGoOn: (file: File) => void;
  /** has this one go */
  onAnother: (file: File) => void;
  onCancel: () => void;
}

/** The file that the box takes in, from its first byte to its days. */
export function ImportUploadPart(props: ImportUploadProps) {
  const { site, upload, busy, onCancel } = props;
  if (upload.site !== site) return <Elsewhere {...props} />;
  const another = (upload.state === "sent" || upload.state === "read") && (
    <FileButton label="Choose another file…" accept="" disabled={busy} onFile={props.onAnother} />
  );
  return (
    <>
      <Standing {...upload} />
      <Problem text={upload.problem ?? ""}>{another}</Problem>
      <Choices {...props} />
      {upload.state !== "done" && (
        <div class="row">
          {upload.state === "sending" && !isSent(upload.id) && (
            <FileButton
              label="Go on with this file…"
              accept=""
              disabled={busy}
              onFile={props.onGoOn}
            />
          )}
          {upload.problem === null && another}
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
      )}
    </>
  );
}

/** A file that is on its way into another site. */
function Elsewhere({ upload, onCancel }: ImportUploadProps) {
  if (upload.state === "done") return null;
  return (
    <p class="notice">
      <bdi>{upload.name}</bdi> is on its way into {upload.site}. One file at a time: see there.{" "}
      <button type="button" onClick={onCancel}>
        Cancel that one
      </button>
    </p>
  );
}

/** The state of a file in words, told to screen readers once, and how far it is. */
function Standing(upload: ImportUpload) {
  const id = useId();
  const bar = barOf(upload);
  return (
    <div class="meter">
      <p id={id} role="status">
        {standingText(upload)}
      </p>
      {bar !== null && (
        <>
          <progress aria-labelledby={id} max={1} value={bar.share} />
          <small>{bar.text}</small>
        </>
      )}
      {upload.state === "done" && upload.preview?.brings && (
        <DashboardLink site={upload.site} days={upload.preview.brings}>
          Open the dashboard where they begin
        </DashboardLink>
      )}
    </div>
  );
}

function standingText({ id, name, state, preview }: ImportUpload): string {
  switch (state) {
    case "sending":
      return isSent(id)
        ? `Sending ${name}…`
        : `${name} is not here whole. It was cut off, or another browser sends it: choose the same file to go on.`;
    case "sent":
      return `${name} is here.`;
    case "reading":
      return `The machine reads ${name}…`;
    case "read":
      return `${name} was read. Nothing is written yet.`;
    case "writing":
      return "The machine imports the days. You may close this page.";
    case "done": {
      const brings = preview?.brings ?? null;
      return brings === null
        ? `${name} is imported.`
        : `Imported ${counted(brings.fresh, "day")} from ${name}: ${daysName(brings)}.`;
    }
  }
}

function barOf({ state, received, size, share }: ImportUpload) {
  switch (state) {
    case "sending":
      return { share: received / size, text: sentText(received, size) };
    case "reading":
    case "writing":
      return { share, text: `${Math.floor(100 * share)} %` };
    default:
      return null;
  }
}

/** The contents of a file that was read, and its owner's choices about it. */
function Choices({ site, upload, wishes, busy, onRead, onImport }: ImportUploadProps) {
  const { state, preview, problem } = upload;
  if (state !== "sent" && state !== "read") return null;
  return (
    <>
      {state === "read" && preview !== null && (
        <ImportPreview site={site} preview={preview} busy={busy} onImport={onImport} />
      )}
      {state === "sent" && (
        <div class="row">
          <button type="button" disabled={busy} onClick={() => onRead(wishes)}>
            Read it
          </button>
        </div>
      )}
      <ImportForm wishes={wishes} isOpen={problem !== null} busy={busy} onRead={onRead} />
    </>
  );
}
