import { AskError, accepted, NO_ANSWER } from "./api.ts";

/**
 * Sends a file that may take minutes, and tells how many bytes of it are gone: `fetch` does not.
 * @throws {AskError} with a sentence that says what to do
 */
export async function upload(
  path: string,
  file: File,
  onSent: (bytes: number) => void,
): Promise<void> {
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
