import type { DeckView } from "../../../../appliance/control/wire.ts";
import { Labelled } from "../../parts.tsx";

interface SleepFieldsProps {
  deck: DeckView;
  onChange: (change: Partial<Pick<DeckView, "sleep" | "homeAfterSeconds" | "asleep">>) => void;
}

interface Step {
  value: number;
  name: string;
}

const MINUTES: readonly Step[] = [
  { value: 1, name: "1 minute" },
  { value: 5, name: "5 minutes" },
  { value: 15, name: "15 minutes" },
  { value: 30, name: "30 minutes" },
  { value: 60, name: "1 hour" },
  { value: 240, name: "4 hours" },
];

const SECONDS: readonly Step[] = [
  { value: 10, name: "10 seconds" },
  { value: 30, name: "30 seconds" },
  { value: 60, name: "1 minute" },
  { value: 300, name: "5 minutes" },
];

const NIGHT = { from: "22:00", to: "06:30" };

/** The times after which a deck sleeps, and goes back to its first page. */
export function SleepFields({ deck, onChange }: SleepFieldsProps) {
  const { sleep, homeAfterSeconds, pages } = deck;
  const { night } = sleep;
  return (
    <details class="sleep">
      <summary>Sleep{pages.length > 1 && " and pages"}</summary>
      <div class="pair">
        <Wait
          label="Goes dark without a press for"
          value={sleep.afterMinutes}
          steps={MINUTES}
          unit="minutes"
          onChoose={(afterMinutes) => onChange({ sleep: { ...sleep, afterMinutes } })}
        />
        {pages.length > 1 && (
          <Wait
            label="Back to the first page after"
            value={homeAfterSeconds}
            steps={SECONDS}
            unit="seconds"
            onChoose={(seconds) => onChange({ homeAfterSeconds: seconds })}
          />
        )}
      </div>
      <div class="row night">
        <label class="check">
          <input
            type="checkbox"
            checked={night !== null}
            onChange={(event) =>
              onChange({ sleep: { ...sleep, night: event.currentTarget.checked ? NIGHT : null } })
            }
          />
          Dark at night
        </label>
        {night !== null && (
          <span class="choice">
            {(["from", "to"] as const).map((end) => (
              <label key={end} class="choice">
                <span>{end}</span>
                <input
                  type="time"
                  aria-label={`Night ${end}`}
                  value={night[end]}
                  onChange={(event) => {
                    const { value } = event.currentTarget;
                    if (value === "") event.currentTarget.value = night[end];
                    else onChange({ sleep: { ...sleep, night: { ...night, [end]: value } } });
                  }}
                />
              </label>
            ))}
          </span>
        )}
        <span class="spacer" />
        <button type="button" onClick={() => onChange({ asleep: !deck.asleep })}>
          {deck.asleep ? "Wake it" : "Sleep now"}
        </button>
      </div>
      <p class="hint">
        The first press on a dark deck only wakes it; at night for two minutes, or for the time
        above. A setup code is shown all the same.
      </p>
    </details>
  );
}

interface WaitProps {
  label: string;
  /** null for never */
  value: number | null;
  steps: readonly Step[];
  unit: string;
  onChoose: (value: number | null) => void;
}

function Wait({ label, value, steps, unit, onChoose }: WaitProps) {
  // A script may have set any other.
  const isKnown = value === null || steps.some((step) => step.value === value);
  const shown = isKnown ? steps : [...steps, { value, name: `${value} ${unit}` }];
  return (
    <Labelled label={label}>
      {(at) => (
        <select
          {...at}
          value={value ?? ""}
          onChange={({ currentTarget }) =>
            onChoose(currentTarget.value === "" ? null : Number(currentTarget.value))
          }
        >
          <option value="">Never</option>
          {shown.map((step) => (
            <option key={step.value} value={step.value}>
              {step.name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
