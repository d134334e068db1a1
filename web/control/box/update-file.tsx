import { useState } from "preact/hooks";
import { Problem } from "../parts.tsx";
import { upload } from "../upload.ts";
import { useAction } from "../use-action.ts";
import { FileButton } from "./files.tsx";
import { sentText } from "./update-words.ts";

/** A release from a file of the owner's, for a box that asks no host. */
export function UpdateFile() {
  const { busy, problem, run } = useAction();
  const [sent, setSent] = useState({ done: 0, of: 0 });
  const take = (file: File) =>
    run(() => upload("api/update/file", file, (done) => setSent({ done, of: file.size })));
  const isSent = sent.done >= sent.of;
  return (
    <>
      <FileButton label="Upload a release…" accept=".tallydeck" disabled={busy} onFile={take} />
      {busy && (
        <div class="meter">
          <p id="upload-words" role={isSent ? "status" : undefined}>
            {isSent ? "The box looks through it…" : `Uploading: ${sentText(sent.done, sent.of)}`}
          </p>
          <progress
            aria-labelledby="upload-words"
            max={sent.of || 1}
            {...(!isSent && { value: sent.done })}
          />
        </div>
      )}
      <Problem text={problem} />
    </>
  );
}
