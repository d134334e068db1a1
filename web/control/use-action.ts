import { useContext, useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import { AskError } from "./api.ts";
import { SignedOutContext } from "./context.ts";

interface Action {
  busy: boolean;
  /** The reason that the last try failed; empty when it did not. */
  problem: string;
  /** @returns whether `work` was done */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/**
 * A request to the box by a person: one at a time, with a sentence about a failure.
 * @param after is a part of each `work`, at its end
 */
export function useAction(after?: () => Promise<void>): Action {
  const signedOut = useContext(SignedOutContext);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
      await after?.();
      return true;
    } catch (error) {
      if (error instanceof AskError && error.kind === "unauthorized") signedOut();
      setProblem(messageOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, run };
}
