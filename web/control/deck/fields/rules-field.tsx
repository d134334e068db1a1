import { FIELD_LIMITS } from "../../../../appliance/base/input/deck-fields.ts";
import type { GaugeWidget, PushWidget } from "../../../../appliance/control/wire.ts";
import { Labelled } from "../../parts.tsx";
import { ColorPair } from "./color-field.tsx";

type Ruled = Pick<PushWidget, "rules" | "hysteresis">;
type Rule = NonNullable<Ruled["rules"]>[number];

interface RulesFieldProps {
  rules: Ruled;
  onSet: (rules: Ruled) => void;
}

/** Colours that follow the number in a text. */
export function RulesField({ rules: { rules = [], hysteresis }, onSet }: RulesFieldProps) {
  const set = (next: Rule[]) => onSet({ rules: next, ...(hysteresis && { hysteresis }) });
  return (
    <fieldset class="rules">
      <legend>Colours that follow the number</legend>
      {rules.map((rule, at) => (
        <RuleFields
          // Other rules need new fields after a removal.
          key={`${at} of ${rules.length}`}
          rule={rule}
          place={at + 1}
          onSet={(next) => set(rules.flatMap((each, i) => (i === at ? (next ?? []) : [each])))}
        />
      ))}
      {rules.length > 0 && (
        <Labelled
          label="Lets go after coming back by"
          hint="So that colours do not flicker while the number is near its bound."
        >
          {(at) => (
            <input
              {...at}
              type="number"
              min={0}
              step="any"
              defaultValue={hysteresis ?? 0}
              onInput={(event) => {
                const number = event.currentTarget.valueAsNumber;
                if (number >= 0) onSet({ rules, hysteresis: number });
              }}
            />
          )}
        </Labelled>
      )}
      {rules.length < FIELD_LIMITS.rules && (
        <button type="button" onClick={() => set([...rules, { above: 0, background: "#b91c1c" }])}>
          Add a rule
        </button>
      )}
      {rules.length > 1 && <p class="hint">The first that holds counts.</p>}
    </fieldset>
  );
}

interface RuleFieldsProps {
  rule: Rule;
  /** from 1 */
  place: number;
  /** undefined takes it away */
  onSet: (rule: Rule | undefined) => void;
}

function RuleFields({ rule, place, onSet }: RuleFieldsProps) {
  const { above, below, ...colors } = rule;
  const bound = above ?? below ?? 0;
  const side = above === undefined ? "below" : "above";
  const withColor = (name: "color" | "background", color: string | undefined) => {
    const { [name]: _, ...rest } = rule;
    onSet(color === undefined ? rest : { ...rest, [name]: color });
  };
  return (
    <div class="rule">
      <select
        aria-label={`Rule ${place}: side`}
        value={side}
        onChange={(event) => onSet({ ...colors, [event.currentTarget.value]: bound })}
      >
        <option value="above">above</option>
        <option value="below">below</option>
      </select>
      <input
        type="number"
        step="any"
        aria-label={`Rule ${place}: bound`}
        defaultValue={bound}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (Number.isFinite(number)) onSet({ ...colors, [side]: number });
        }}
      />
      <div class="colors">
        <ColorPair colors={rule} start="#b91c1c" onSet={withColor} />
      </div>
      <button
        type="button"
        class="quiet"
        aria-label={`Take rule ${place} away`}
        onClick={() => onSet(undefined)}
      >
        ✕
      </button>
    </div>
  );
}

/** The widget with other rules; without any, nothing of them is left. */
export function withRules<W extends PushWidget | GaugeWidget>(widget: W, next: Ruled): W {
  const { rules: _, hysteresis: __, ...rest } = widget;
  return { ...rest, ...(next.rules?.length && next) } as W;
}
