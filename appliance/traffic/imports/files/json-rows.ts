import { isObject } from "../../../base/input/json.ts";
import { ImportRefused } from "../refused.ts";
import type { Sheet } from "./input.ts";
import { textLines } from "./lines.ts";

/**
 * The rows of a file with a JSON object in each line.
 * @throws {ImportRefused} where a line is something else
 */
export async function* jsonRows(sheet: Sheet): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let n = 0;
  for await (const line of textLines(sheet)) {
    n += 1;
    if (line.trim() === "") continue;
    yield objectIn(line, sheet, n);
  }
}

function objectIn(line: string, { name }: Sheet, n: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // The sentence below says it.
  }
  throw new ImportRefused(`Line ${n} of ${name} is no object in JSON. Download the file again.`);
}
