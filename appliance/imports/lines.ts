import type { Sheet } from "./input.ts";

/** The most of a line that is read, in characters: a day of an export of ours has every view in one. */
const MAX_LINE = 16 * 1_048_576;

/** The lines of a text, without their ends. */
export async function* textLines(sheet: Pick<Sheet, "read">): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of sheet.read()) {
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    // A text of gigabytes without an end of a line is not searched again with each piece.
    if (rest.length < MAX_LINE) rest += first;
    if (others.length === 0) continue;
    yield trimmed(rest);
    rest = others.pop() ?? "";
    for (const line of others) yield trimmed(line);
  }
  rest += decoder.decode();
  if (rest !== "") yield trimmed(rest);
}

function trimmed(line: string): string {
  return (line.endsWith("\r") ? line.slice(0, -1) : line).slice(0, MAX_LINE);
}
