import { FIELD_LIMITS } from "../../../../appliance/base/input/deck-fields.ts";
import type { CountdownWidget, GaugeWidget } from "../../../../appliance/control/wire.ts";
import { Labelled } from "../../parts.tsx";
import { ChannelField } from "./channel-field.tsx";
import { KeyNameField, LabelField } from "./label-field.tsx";
import { RulesField, withRules } from "./rules-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

/** The channel of a gauge, and its bounds. */
export function GaugeFields({ widget, onEdit }: FieldsProps<GaugeWidget>) {
  return (
    <>
      <ChannelField
        channel={widget.channel}
        onChoose={(channel) => onEdit({ ...widget, channel })}
      />
      <div class="pair">
        <NumberField label="From" value={widget.min} onSet={(min) => onEdit({ ...widget, min })} />
        <NumberField label="To" value={widget.max} onSet={(max) => onEdit({ ...widget, max })} />
      </div>
      <div class="pair">
        <LabelField
          label="Unit"
          value={widget.unit}
          length={FIELD_LIMITS.unit}
          onSet={(unit) => onEdit(withField(widget, "unit", unit))}
        />
        <KeyNameField widget={widget} onEdit={onEdit} />
      </div>
      <RulesField rules={widget} onSet={(rules) => onEdit(withRules(widget, rules))} />
    </>
  );
}

export function CountdownFields({ widget, onEdit }: FieldsProps<CountdownWidget>) {
  return (
    <>
      <ChannelField
        channel={widget.channel}
        onChoose={(channel) => onEdit({ ...widget, channel })}
      />
      <KeyNameField widget={widget} onEdit={onEdit} />
    </>
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  onSet: (value: number) => void;
}

function NumberField({ label, value, onSet }: NumberFieldProps) {
  return (
    <Labelled label={label}>
      {(at) => (
        <input
          {...at}
          type="number"
          step="any"
          defaultValue={value}
          onInput={(event) => {
            const number = event.currentTarget.valueAsNumber;
            if (Number.isFinite(number)) onSet(number);
          }}
        />
      )}
    </Labelled>
  );
}
