import { useState } from "preact/hooks";
import { AskError, accepted, NO_ANSWER } from "../api.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { FileButton } from "./files.tsx";
import { sentText } from "./update-words.ts";

/** A field for a release from a file, for a box without a release host. */
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

/**
 * Sends a file, which may take minutes, and reports the sent bytes, which `fetch` does not.
 * @throws {AskError} with advice in a sentence
 */
async function upload(path: string, file: File, onSent: (bytes: number) => void): Promise<void> {
  await accepted(await sent(path, file, onSent));
}

function sent(path: string, file: File, onSent: (bytes: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded }) => onSent(loaded));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      resolve(new Response(responseText, { status }));
    });
    request.addEventListener("error", () => reject(new AskError("offline", NO_ANSWER)));
    request.send(file);
  });
}
