import { useRef, useState } from "preact/hooks";
import type { DeckView } from "../../../appliance/control/wire.ts";
import { deckPath } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Labelled, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { NameField } from "./fields/label-field.tsx";
import { SleepFields } from "./fields/sleep-fields.tsx";
import { VirtualOffer } from "./no-deck.tsx";

const EVIDENCE: Readonly<Record<DeckView["evidence"], string>> = {
  HW: "Verified on hardware by another project.",
  SRC: "Taken from another driver's source, not verified on hardware.",
  OFF: "Taken from the vendor's documentation, not verified on hardware.",
  INF: "Inferred from similar models, not verified on hardware.",
  untested: "Nobody is known to have tried this model.",
};

/** The interval at which the deck follows a moving slider. */
const FOLLOW_MS = 150;

/** A deck's name, brightness and sleep, and the state of its model. */
export function DeckBar({ deck }: { deck: DeckView }) {
  const { actions } = useShell();
  const { problem, run } = useAction();
  const patch = (change: Partial<DeckView>) =>
    run(() => actions.changeDeck("PATCH", deckPath(deck.id), change));
  return (
    <section class="deck-foot" aria-label={deck.name}>
      <div class="deck-bar">
        <NameField label="Name" name={deck.name} onSet={(name) => patch({ name })} />
        {deck.slots.length > 0 && (
          <Brightness value={deck.brightness} onSet={(brightness) => patch({ brightness })} />
        )}
      </div>
      <SleepFields deck={deck} onChange={patch} />
      <Problem text={problem} />
      <p class="hint">
        {deck.virtual ? "A virtual deck: it exists on this page only." : EVIDENCE[deck.evidence]}
        {deck.serial !== null && ` Serial ${deck.serial}.`}{" "}
        {deck.isRemovable && (
          <button
            type="button"
            class="quiet"
            title="Its keys come back when it is added again"
            onClick={() => run(() => ask("DELETE", deckPath(deck.id)))}
          >
            Remove it
          </button>
        )}
      </p>
      <details>
        <summary>Add a virtual deck</summary>
        <VirtualOffer />
      </details>
    </section>
  );
}

interface BrightnessProps {
  value: number;
  /** resolves when the deck has it, or will not have it */
  onSet: (percent: number) => Promise<unknown>;
}

function Brightness({ value, onSet }: BrightnessProps) {
  const [drawn, setDrawn] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const newest = useRef(value);
  const shown = drawn ?? value;
  const draw = (percent: number) => {
    setDrawn(percent);
    newest.current = percent;
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      await onSet(percent);
      if (newest.current === percent) setDrawn(null);
    }, FOLLOW_MS);
  };
  return (
    <Labelled label={`Brightness ${shown} %`}>
      {(at) => (
        <input
          {...at}
          type="range"
          min={0}
          max={100}
          step={5}
          value={shown}
          onInput={(event) => draw(event.currentTarget.valueAsNumber)}
        />
      )}
    </Labelled>
  );
}
