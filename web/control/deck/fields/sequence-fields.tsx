import type { ComponentChildren } from "preact";
import { choicesOf, FIELD_LIMITS, idsOf } from "../../../../appliance/base/input/deck-fields.ts";
import type { Action, Step } from "../../../../appliance/control/wire.ts";
import { Labelled } from "../../parts.tsx";
import { ACTION_WORDS, firstStep } from "./actions.ts";

type SingleStep = Exclude<Step, { do: "pause" }>;

interface SequenceFieldsProps {
  action: Extract<Action, { do: "sequence" }>;
  /** The channel the place is about; empty for none. */
  ownChannel: string;
  /** Makes the fields of a step that is an action of its own. */
  fieldsOf: (step: SingleStep, onEdit: (next: Action) => void) => ComponentChildren;
  onEdit: (next: Action) => void;
}

const { sequence: _, ...SINGLE } = ACTION_WORDS;
const STEP_WORDS: Readonly<Record<Step["do"], { name: string }>> = {
  ...SINGLE,
  pause: { name: "Wait" },
};

/** The steps of a sequence, each with its own fields. */
export function SequenceFields({ action, ownChannel, fieldsOf, onEdit }: SequenceFieldsProps) {
  const { steps } = action;
  const put = (next: readonly Step[]) => onEdit({ ...action, steps: [...next] });
  const change = (at: number, next: Step) =>
    put(steps.map((one, place) => (place === at ? next : one)));
  const move = (at: number, by: -1 | 1) => {
    const next = [...steps];
    next.splice(at + by, 0, ...next.splice(at, 1));
    put(next);
  };
  return (
    <>
      <ol class="steps-of">
        {steps.map((step, at) => (
          // Steps have no id of their own: they are what stands at a place.
          <li key={`${at} ${step.do}`} class="stack">
            <div class="row">
              <strong>
                {at + 1}. {STEP_WORDS[step.do].name}
              </strong>
              <span class="spacer" />
              {([-1, 1] as const).map((by) => (
                <button
                  key={by}
                  type="button"
                  class="quiet"
                  disabled={steps[at + by] === undefined}
                  aria-label={`Move step ${at + 1} ${by < 0 ? "up" : "down"}`}
                  onClick={() => move(at, by)}
                >
                  {by < 0 ? "↑" : "↓"}
                </button>
              ))}
              <button
                type="button"
                class="quiet"
                aria-label={`Remove step ${at + 1}`}
                onClick={() => put(steps.filter((_, place) => place !== at))}
              >
                Remove
              </button>
            </div>
            {step.do === "pause" ? (
              <PauseField
                seconds={step.seconds}
                onSet={(seconds) => change(at, { ...step, seconds })}
              />
            ) : (
              fieldsOf(step, (next) => change(at, next as Step))
            )}
          </li>
        ))}
      </ol>
      {steps.length < FIELD_LIMITS.steps && (
        <select
          aria-label="Add a step"
          value=""
          onChange={(event) => {
            const kind = idsOf(STEP_WORDS).find((id) => id === event.currentTarget.value);
            event.currentTarget.value = "";
            if (kind !== undefined) put([...steps, firstStep(kind, ownChannel)]);
          }}
        >
          <option value="">Add a step…</option>
          {choicesOf(STEP_WORDS).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function PauseField({ seconds, onSet }: { seconds: number; onSet: (seconds: number) => void }) {
  return (
    <Labelled label="Seconds">
      {(at) => (
        <input
          {...at}
          type="number"
          min={0.1}
          max={FIELD_LIMITS.pauseSeconds}
          step={0.1}
          value={seconds}
          onInput={({ currentTarget: { validity, valueAsNumber } }) =>
            validity.valid && valueAsNumber > 0 && onSet(valueAsNumber)
          }
        />
      )}
    </Labelled>
  );
}
