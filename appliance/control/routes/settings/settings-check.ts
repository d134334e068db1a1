import { parentPort } from "node:worker_threads";
import { parseJson } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { builtPages } from "../../../base/http/pages.ts";
import { Refusal, type RefusalCode } from "../../../base/refusal.ts";
import { Icons } from "../../../base/text/icons.ts";
import { type CheckedImport, checkImport, type Here } from "./settings-reader.ts";

/** Settings from outside, and the present ones. */
export interface CheckRequest {
  readonly body: Uint8Array;
  readonly here: Here;
}

export type CheckAnswer =
  | { readonly ok: true; readonly checked: CheckedImport }
  | { readonly ok: false; readonly code: RefusalCode; readonly message: string };

const icons = new Icons(() => builtPages().text("icons.json"));
// The check has a thread of its own, so that no hit waits for it.
parentPort?.on("message", ({ body, here }: CheckRequest) => {
  parentPort?.postMessage(answer(() => checkImport(parseJson(body), here, icons)));
});

function answer(check: () => CheckedImport): CheckAnswer {
  try {
    return { ok: true, checked: check() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code, message: error.message };
    if (error instanceof HttpError)
      return { ok: false, code: "invalid_json", message: error.message };
    throw error;
  }
}
