import { appendFile } from "node:fs/promises";

/** A terminal device that is cleared for each text; one that is not there is no reason to stop. */
export function screenAt(device: string): (text: string) => void {
  let last = Promise.resolve();
  return (text) => {
    const drawn = `\x1b[H\x1b[2J${text.replaceAll("\n", "\r\n")}\r\n`;
    // Drawings are written one by one, so that the last one stays.
    last = last.then(() => appendFile(device, drawn)).catch(() => {});
  };
}
