import type { StepView } from "../../../appliance/control/wire.ts";
import { useNow } from "../parts.tsx";
import { clockOf } from "../times.ts";
import { STATES, STEPS } from "./public-words.ts";

/** The way from a name to visitors, line by line; what keeps it from going on is open. */
export function PublicChain({ steps }: { steps: readonly StepView[] }) {
  return (
    <ol class="chain">
      {steps.map((step) => (
        <Line key={step.step} {...step} />
      ))}
    </ol>
  );
}

function Line({ step, state, sentence, next, nextTryAt }: StepView) {
  const { sign, word } = STATES[state];
  return (
    <li class={state}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <div>
        <h3>
          {STEPS[step]} <small class={state === "done" ? "offscreen" : ""}>{word}</small>
        </h3>
        {sentence !== "" && <p>{sentence}</p>}
        {next !== undefined && <p class="next">{next}</p>}
        {nextTryAt !== undefined && <NextTry at={nextTryAt} />}
      </div>
    </li>
  );
}

function NextTry({ at }: { at: number }) {
  const left = at - useNow();
  if (left <= 0) return null;
  return (
    <p>
      <small>The box tries again by itself in {clockOf(left / 1_000)}.</small>
    </p>
  );
}
