import { useState } from "preact/hooks";
import { Snippet } from "../../shared/copy-button.tsx";
import { useShell } from "../context.ts";
import { Labelled } from "../parts.tsx";
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
            <li>Plug it into the box itself, or into a hub with its own power supply.</li>
            <li>
              See whether the model is supported: <code>tallydeck devices --models</code> lists them
              all.
            </li>
          </ul>
        </>
      )}
      <VirtualOffer />
    </section>
  );
}

/** The offer of a virtual deck, which is set where the service is started. */
function VirtualOffer() {
  const [model, setModel] = useState("mk2");
  return (
    <>
      <h3>No deck at hand?</h3>
      <p>A virtual deck shows on this page what a real one would. Start the service with it:</p>
      <Labelled label="Model">
        {(at) => (
          <select {...at} value={model} onChange={(event) => setModel(event.currentTarget.value)}>
            {VIRTUAL_MODELS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Snippet text={`scripts/start --virtual-deck ${model}`} label="the command" />
      <p class="hint">
        On the image, put <code>VIRTUAL_DECK={model}</code> into <code>tallydeck.env</code> on the
        boot partition and restart the box.
      </p>
    </>
  );
}
