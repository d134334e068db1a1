import { useState } from "preact/hooks";
import type { DeckView } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Problem, Select } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { VIRTUAL_MODELS } from "./fields/virtual-models.ts";

/** Advice for a box that has never seen a deck. */
export function NoDeck() {
  const { box } = useShell();
  return (
    <section class="card empty" aria-labelledby="no-deck-title">
      <h2 id="no-deck-title">
        {box.problems.some(({ deck }) => deck !== "")
          ? "The deck cannot be used yet"
          : "No deck is plugged in"}
      </h2>
      {box.problems.length > 0 ? (
        <ul role="status">
          {box.problems.map(({ code, port, message }) => (
            <li key={`${code} ${port}`}>{message}</li>
          ))}
        </ul>
      ) : (
        <>
          <p>Plug one in, and it appears here by itself. If it is plugged in already:</p>
          <ul>
            <li>Use a cable that carries data; many only charge.</li>
            <li>Plug it into the machine itself, or into a hub with its own power supply.</li>
            <li>
              See whether the model is supported: <code>tallydeck devices --models</code> lists them
              all.
            </li>
          </ul>
        </>
      )}
      <h3>No deck at hand?</h3>
      <VirtualOffer />
    </section>
  );
}

export function VirtualOffer() {
  const { change } = useShell();
  const { busy, problem, run } = useAction();
  const [model, setModel] = useState<(typeof VIRTUAL_MODELS)[number]["id"]>("mk2");
  const add = () =>
    run(async () => {
      const { id } = await ask<DeckView>("POST", "api/decks", { model });
      change({ deck: id, slot: "" });
    });
  return (
    <>
      <p>A virtual deck shows on this page what a real one would.</p>
      <div class="row">
        <Select label="Model" value={model} options={VIRTUAL_MODELS} onChoose={setModel} />
        <button type="button" disabled={busy} onClick={add}>
          Add it
        </button>
      </div>
      <Problem text={problem} />
    </>
  );
}
