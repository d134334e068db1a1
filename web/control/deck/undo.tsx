import type { DoneAnswer } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

interface UndoProps {
  /** Told what was done, as a sentence. */
  onDone: (done: string) => void;
}

/** Takes back what was changed last on decks and by imports, and does it again. */
export function Undo({ onDone }: UndoProps) {
  const { box, actions } = useShell();
  const { busy, problem, run } = useAction();
  const go = (way: "undo" | "redo") =>
    run(async () => {
      const { done } = await ask<DoneAnswer>("POST", `api/decks/${way}`);
      await actions.reload();
      onDone(done);
    });
  const button = (way: "undo" | "redo", name: string, what: string | null) => (
    <button
      type="button"
      disabled={busy || what === null}
      title={what ?? undefined}
      aria-label={what === null ? undefined : `${name}: ${what}`}
      onClick={() => go(way)}
    >
      {name}
    </button>
  );
  return (
    <>
      <div class="row">
        {button("undo", "Undo", box.canUndo)}
        {button("redo", "Redo", box.canRedo)}
      </div>
      <Problem text={problem} />
    </>
  );
}
