import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView, InputView } from "../../../appliance/control/wire.ts";
import { useShell } from "../context.ts";
import { CardTitle } from "../parts.tsx";
import { Fingers } from "./fingers.tsx";
import { PlaceActions } from "./place-actions.tsx";

const ABOUT: Readonly<Record<InputView["kind"], string>> = {
  dial: "A dial can be pressed and turned.",
  button: "A button can be pressed.",
  touch: "A touch point can be pressed.",
};

/** Everything about one dial, button or touch point. */
export function InputPanel({ deck, input }: { deck: DeckView; input: InputView }) {
  const { change } = useShell();
  const name = placeName(input.input);
  return (
    <section class="card panel" aria-labelledby="input-title">
      <header class="slot-head">
        <span class={`input-mark ${input.kind}`} aria-hidden="true" />
        <div>
          <CardTitle id="input-title" help="deck#what-a-press-does">
            {name}
          </CardTitle>
          <p class="hint">Shows no picture</p>
        </div>
        <span class="spacer" />
        <button
          type="button"
          class="quiet"
          aria-label={`Close ${name}`}
          onClick={() => change({ slot: "" })}
        >
          ✕
        </button>
      </header>
      <p>{ABOUT[input.kind]}</p>
      <Fingers deck={deck.id} input={input} />
      <PlaceActions deck={deck} place={input} ownChannel="" />
    </section>
  );
}
