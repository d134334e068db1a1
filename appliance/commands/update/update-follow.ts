import type { UpdaterState } from "../../release/updater-state.ts";
import type { RootUpdater } from "../../updates/root.ts";
import { CommandFailed, type Terminal } from "../command.ts";
import { progressText } from "./update-text.ts";

interface Followed {
  readonly root: Pick<RootUpdater, "state" | "pending">;
  readonly terminal: Pick<Terminal, "out" | "rewrite">;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const LOOK_MS = 500;
/** For how long it may do nothing: with a reason told, and without. */
const ANSWERED_LOOKS = 10;
const SILENT_LOOKS = 240;

/**
 * Says what the updater does until it is done.
 * @throws {CommandFailed} with its sentence where it cannot
 */
export async function follow(
  { root, terminal, sleep }: Followed,
  isDone: (state: UpdaterState) => boolean,
): Promise<void> {
  const { out, rewrite } = terminal;
  let shown = "";
  for (let silent = 0; silent < SILENT_LOOKS; silent += 1) {
    await sleep(LOOK_MS);
    const state = root.state();
    if (state !== undefined && isDone(state)) {
      rewrite?.("");
      return;
    }
    const { work, problem } = state ?? {};
    const isWaiting = root.pending().length > 0;
    if (work !== undefined || isWaiting) silent = -1;
    else if (problem !== undefined && silent >= ANSWERED_LOOKS) throw new CommandFailed(problem);
    const text = work && progressText(work);
    if (text === undefined || text === shown) continue;
    // A reader of a log wants the steps, not each per cent.
    if (rewrite) rewrite(`It is ${text}`);
    else if (text.split(":")[0] !== shown.split(":")[0]) out(`It is ${text.split(":")[0]}.`);
    shown = text;
  }
  throw new CommandFailed("The updater does not answer. Restart the box and try again.");
}
