import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Box, BoxActions } from "./use-box.ts";
import type { ChangeView } from "./view/use-view.ts";
import type { View } from "./view/view.ts";

/** The parts that the whole signed-in page may use. */
interface Shell {
  box: Box;
  actions: BoxActions;
  view: View;
  change: ChangeView;
}

export const ShellContext = createContext<Shell | null>(null);

/** Called when the session is over, also on a page that has no shell. */
export const SignedOutContext = createContext<() => void>(() => {});

/** @throws {Error} outside of the signed-in page */
export function useShell(): Shell {
  const shell = useContext(ShellContext);
  if (shell === null) throw new Error("This part belongs into the signed-in page.");
  return shell;
}
