import { parentPort, workerData } from "node:worker_threads";
import { backUp, makeReady, swapIn } from "./backup.ts";
import { DatabaseRefused } from "./database.ts";

/** What takes long and is done once: a worker of its own, so that neither hits nor reads wait. */
export type Chore =
  | { readonly kind: "backUp"; readonly source: string; readonly target: string }
  | { readonly kind: "makeReady"; readonly incoming: string }
  | { readonly kind: "swapIn"; readonly incoming: string; readonly target: string };

export type ChoreAnswer =
  | { readonly ok: true }
  /** `refused` when the message is meant for the owner. */
  | { readonly ok: false; readonly refused: boolean; readonly message: string };

const CHORES: { [K in Chore["kind"]]: (chore: Extract<Chore, { kind: K }>) => void } = {
  backUp: ({ source, target }) => backUp(source, target),
  makeReady: ({ incoming }) => makeReady(incoming),
  swapIn: ({ incoming, target }) => swapIn(incoming, target),
};

function answer(): ChoreAnswer {
  try {
    const chore = workerData as Chore;
    (CHORES[chore.kind] as (chore: Chore) => void)(chore);
    return { ok: true };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, refused: error instanceof DatabaseRefused, message };
  }
}

parentPort?.postMessage(answer());
