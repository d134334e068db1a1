import type { InputView } from "../../../appliance/control/wire.ts";
import { deckPath, slotPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

/** Steps of a dial by arrow key. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
};

/** Presses, holds and turns an input, as a finger would. */
export function Fingers({ deck, input }: { deck: string; input: InputView }) {
  const { problem, run } = useAction();
  const touch = (how?: { turn: number } | { hold: true }) =>
    void run(() => ask("POST", slotPath(deck, input.input, "/press"), how));
  const isDial = input.kind === "dial";
  const turnByKey = (event: KeyboardEvent) => {
    const steps = STEPS[event.key];
    if (!isDial || steps === undefined) return;
    event.preventDefault();
    touch({ turn: steps });
  };
  return (
    <>
      <fieldset class="row fingers" aria-label="As a finger would" onKeyDown={turnByKey}>
        {isDial && (
          <button type="button" aria-label="Turn left" onClick={() => touch({ turn: -1 })}>
            −
          </button>
        )}
        <button type="button" onClick={() => touch()}>
          Press
        </button>
        {input.hasRelease && (
          <button type="button" onClick={() => touch({ hold: true })}>
            Hold
          </button>
        )}
        {isDial && (
          <button type="button" aria-label="Turn right" onClick={() => touch({ turn: 1 })}>
            +
          </button>
        )}
      </fieldset>
      {isDial && <p class="hint">Arrow keys turn it too.</p>}
      <Problem text={problem} />
    </>
  );
}

/** Swipes over the touch strip of a deck, as a finger would. */
export function Swipes({ deck }: { deck: string }) {
  const { problem, run } = useAction();
  const swipe = (direction: "left" | "right") =>
    void run(() => ask("POST", deckPath(deck, "/swipe"), { direction }));
  return (
    <>
      <div class="row fingers">
        <button type="button" onClick={() => swipe("left")}>
          ← Swipe
        </button>
        <button type="button" onClick={() => swipe("right")}>
          Swipe →
        </button>
      </div>
      <Problem text={problem} />
    </>
  );
}
