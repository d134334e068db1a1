import { storable } from "../../base/text/storable.ts";

/** A name of a file may have 255 bytes. */
const MOST_BYTES = 200;

/** A name under which a file can be kept here, by the one that its owner gave it. */
export function fileName(given: string): string {
  const name = storable(given.split(/[/\\]/).at(-1)).trim();
  let characters = [...name];
  // The end of it says which kind it is.
  while (Buffer.byteLength(characters.join("")) > MOST_BYTES) characters = characters.slice(1);
  const kept = characters.join("");
  return /^\.*$/.test(kept) ? "file" : kept;
}
