import type { Sheet } from "./input.ts";

/** The most of a line that is read, in characters: a day of an export of ours has every view in one. */
const MAX_LINE = 16 * 1_048_576;

/** The lines of a text, without their ends. */
export async function* textLines(sheet: Pick<Sheet, "read">): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of sheet.read()) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = (lines.pop() ?? "").slice(0, MAX_LINE);
    for (const line of lines) yield trimmed(line);
  }
  rest += decoder.decode();
  if (rest !== "") yield trimmed(rest);
}

function trimmed(line: string): string {
  return (line.endsWith("\r") ? line.slice(0, -1) : line).slice(0, MAX_LINE);
}
