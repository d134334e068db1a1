import { type DatabaseProblem, DatabaseRefused } from "../refused.ts";
import { backUp } from "./backup.ts";
import { copyIn, keepOwn } from "./restore.ts";

/**
 * What takes long, or reads what anybody may have made: a process of its own, so that neither hits
 * nor reads wait, and nothing a file does to it reaches the service.
 */
export type Chore =
  | { readonly kind: "backUp"; readonly source: string; readonly target: string }
  | { readonly kind: "copyIn"; readonly source: string; readonly target: string }
  | { readonly kind: "keepOwn"; readonly box: string; readonly incoming: string };

export type ChoreAnswer =
  | { readonly ok: true }
  /** What is wrong with a database, where that is why. */
  | { readonly ok: false; readonly refused: DatabaseProblem | undefined; readonly message: string };

const CHORES: { [K in Chore["kind"]]: (chore: Extract<Chore, { kind: K }>) => void } = {
  backUp: ({ source, target }) => backUp(source, target),
  copyIn: ({ source, target }) => copyIn(source, target),
  keepOwn: ({ box, incoming }) => keepOwn(box, incoming),
};

function answer(chore: Chore): ChoreAnswer {
  try {
    (CHORES[chore.kind] as (chore: Chore) => void)(chore);
    return { ok: true };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      refused: error instanceof DatabaseRefused ? error.about : undefined,
      message,
    };
  }
}

process.once("message", (chore: Chore) => {
  process.send?.(answer(chore), () => process.disconnect());
});
