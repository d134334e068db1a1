import { useShell } from "../context.ts";

interface UndoProps {
  onUndo: () => void;
  onRedo: () => void;
}

/** Buttons that undo and redo the last changes to decks and by imports. */
export function UndoButtons({ onUndo, onRedo }: UndoProps) {
  const { box } = useShell();
  return (
    <div class="row">
      <OneWay name="Undo" what={box.canUndo} onGo={onUndo} />
      <OneWay name="Redo" what={box.canRedo} onGo={onRedo} />
    </div>
  );
}

function OneWay({ name, what, onGo }: { name: string; what: string | null; onGo: () => void }) {
  return (
    <button
      type="button"
      disabled={what === null}
      title={what ?? undefined}
      aria-label={what === null ? undefined : `${name}: ${what}`}
      onClick={onGo}
    >
      {name}
    </button>
  );
}
