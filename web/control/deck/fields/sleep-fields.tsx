import type { DeckView } from "../../../../appliance/control/wire.ts";
import { Check, Select } from "../../parts.tsx";

interface SleepFieldsProps {
  deck: DeckView;
  onChange: (change: Partial<Pick<DeckView, "sleep" | "homeAfterSeconds" | "asleep">>) => void;
}

/** Minutes. */
const UNTIL_DARK = [
  { id: 1, name: "1 minute" },
  { id: 5, name: "5 minutes" },
  { id: 15, name: "15 minutes" },
  { id: 30, name: "30 minutes" },
  { id: 60, name: "1 hour" },
  { id: 240, name: "4 hours" },
];
/** Seconds. */
const UNTIL_HOME = [
  { id: 10, name: "10 seconds" },
  { id: 30, name: "30 seconds" },
  { id: 60, name: "1 minute" },
  { id: 300, name: "5 minutes" },
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
          steps={UNTIL_DARK}
          unit="minutes"
          onChoose={(afterMinutes) => onChange({ sleep: { ...sleep, afterMinutes } })}
        />
        {pages.length > 1 && (
          <Wait
            label="Back to the first page after"
            value={homeAfterSeconds}
            steps={UNTIL_HOME}
            unit="seconds"
            onChoose={(seconds) => onChange({ homeAfterSeconds: seconds })}
          />
        )}
      </div>
      <div class="row night">
        <Check
          name="Dark at night"
          isOn={night !== null}
          onSet={(isOn) => onChange({ sleep: { ...sleep, night: isOn ? NIGHT : null } })}
        />
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
  steps: readonly { id: number; name: string }[];
  unit: string;
  onChoose: (value: number | null) => void;
}

function Wait({ label, value, steps, unit, onChoose }: WaitProps) {
  // A script may have set any other.
  const isKnown = value === null || steps.some(({ id }) => id === value);
  return (
    <Select
      label={label}
      value={value ?? ""}
      options={[
        { id: "", name: "Never" },
        ...steps,
        ...(isKnown ? [] : [{ id: value, name: `${value} ${unit}` }]),
      ]}
      onChoose={(id) => onChoose(id === "" ? null : Number(id))}
    />
  );
}
