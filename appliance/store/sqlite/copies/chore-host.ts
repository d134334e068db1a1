import { messageOf } from "../../../base/message-of.ts";
import { type DatabaseProblem, DatabaseRefused } from "../refused.ts";

export type ChoreAnswer =
  | { readonly ok: true }
  /** The problem of a database, where that is why. */
  | { readonly ok: false; readonly refused: DatabaseProblem | undefined; readonly message: string };

/** Runs in a process of its own: does the one chore that it is asked, answers, and lets the process end. */
export function hostChore<Chore>(work: (chore: Chore) => void | Promise<void>): void {
  process.once("message", async (chore: Chore) => {
    const answer = await answerOf(() => work(chore));
    process.send?.(answer, () => process.disconnect());
  });
}

async function answerOf(work: () => void | Promise<void>): Promise<ChoreAnswer> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    const message = messageOf(error);
    const refused = error instanceof DatabaseRefused ? error.about : undefined;
    return { ok: false, refused, message };
  }
}
