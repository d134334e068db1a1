import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ASKS, type Ask } from "../release/told.ts";
import { ASKED, type Box } from "./box.ts";
import { keepVisited } from "./outcome.ts";
import { tell } from "./tell.ts";

/** A release number with its line end. */
const MOST_BYTES = 16;

/** Does what the service asked for; what cannot be done, it says. */
export async function answer(box: Box): Promise<void> {
  for (const [ask, number] of takeAsks(box))
    try {
      await ANSWERS[ask](box, number);
      tell(box, { problem: "" });
    } catch (error) {
      tell(box, { problem: (error as Error).message });
    }
}

const ANSWERS: Readonly<Record<Ask, (box: Box, release: number) => Promise<void> | void>> = {
  prepare: () => {},
  start: () => {},
  back: () => {},
  keep: keepVisited,
  discard: () => {},
};

/** Taken away first, or whatever goes wrong would go wrong again at once. */
function takeAsks({ root }: Box): [Ask, number][] {
  return ASKS.flatMap((ask) => {
    const path = join(root, ASKED, ask);
    const text = readAsk(path);
    if (text === undefined) return [];
    rmSync(path, { force: true });
    return [[ask, Number(text.trim())] as [Ask, number]];
  });
}

/** The service may put anything there. */
function readAsk(path: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "";
  }
  try {
    const bytes = Buffer.alloc(MOST_BYTES);
    return fstatSync(file).isFile() ? bytes.toString("latin1", 0, readSync(file, bytes)) : "";
  } finally {
    closeSync(file);
  }
}
