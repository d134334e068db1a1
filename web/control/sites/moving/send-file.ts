import type { ImportUpload } from "../../../../appliance/control/wire.ts";
import { AskError, ask } from "../../api.ts";

/** The bytes of a piece: a second or so over Wi-Fi. */
const PIECE_BYTES = 1_048_576;
const TRIES = 8;
const AGAIN_MS = 1_000;

export function uploadPath({ site, id }: Pick<ImportUpload, "site" | "id">): string {
  return `api/sites/${site}/uploads/${id}`;
}

/** The files that this page sends now, by the id of the upload: they go on while it shows another section. */
const sending = new Map<string, AbortController>();

export function isSent(id: string): boolean {
  return sending.has(id);
}

/** Ends the sending of a file, if this page sends it. */
export function stopSending(id: string): void {
  sending.get(id)?.abort();
}

/**
 * Sends a file from where the box has it on, and goes on after a cut.
 * @param onSent is told how it is after each piece
 * @returns whether all of it is there; else it was stopped
 * @throws {AskError} with advice in a sentence
 */
export async function sendFile(
  file: File,
  begun: ImportUpload,
  onSent: (upload: ImportUpload) => void,
): Promise<boolean> {
  const controller = new AbortController();
  sending.set(begun.id, controller);
  try {
    await sendPieces(file, begun, onSent, controller.signal);
    return !controller.signal.aborted;
  } catch (error) {
    if (controller.signal.aborted) return false;
    throw error;
  } finally {
    sending.delete(begun.id);
  }
}

async function sendPieces(
  file: File,
  begun: ImportUpload,
  onSent: (upload: ImportUpload) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = uploadPath(begun);
  let upload = begun;
  let failures = 0;
  while (upload.state === "sending" && !signal.aborted) {
    const at = upload.received;
    try {
      upload = await ask<ImportUpload>(
        "PUT",
        `${path}?offset=${at}`,
        file.slice(at, at + PIECE_BYTES),
      );
      failures = 0;
      if (!signal.aborted) onSent(upload);
    } catch (error) {
      failures += 1;
      if (signal.aborted || !isPassing(error) || failures > TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * failures));
      // Its answer may have been lost, and the piece is there.
      upload = await ask<ImportUpload>("GET", path).catch((again: unknown) => {
        if (!isPassing(again)) throw again;
        return upload;
      });
    }
  }
}

/** Whether trying again may help. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof AskError)) return false;
  return error.kind === "offline" || ["wrong_offset", "busy", "invalid_json"].includes(error.code);
}
