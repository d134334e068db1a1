import { join } from "node:path";
import { replaceFile, textOf } from "../../../base/system/files.ts";
import { JUMPERS, type Jumper } from "./pins.ts";

/** The jumpers of the last start, by their names. It outlives a reset: a jumper that is left on asks for no other one. */
const MEMORY = "data/system/jumpers";
const NONE = "none";

/**
 * The jumpers that were not on at the last start: one that stays on asks once, and a pin that something else holds down for
 * good never does. Nor does any at the first start of a card, after which they are known.
 * @throws {Error} when the data partition cannot be written; then they ask for nothing
 */
export function jumpersPutOn(root: string, on: ReadonlySet<Jumper>): readonly Jumper[] {
  const path = join(root, MEMORY);
  const text = textOf(path);
  const before = text === undefined ? undefined : jumpersIn(text);
  const now = JUMPERS.filter((jumper) => on.has(jumper));
  const said = now.join(" ") || NONE;
  if (said !== text) replaceFile(path, said, 0o600);
  return before === undefined ? [] : now.filter((jumper) => !before.includes(jumper));
}

/** Undefined for what no start has written. */
function jumpersIn(text: string): readonly Jumper[] | undefined {
  const words = text === NONE ? [] : text.split(" ");
  const jumpers = JUMPERS.filter((jumper) => words.includes(jumper));
  return jumpers.length === words.length ? jumpers : undefined;
}
