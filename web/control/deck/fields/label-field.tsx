import { FIELD_LIMITS } from "../../../../appliance/base/input/deck-fields.ts";
import type { Widget } from "../../../../appliance/control/wire.ts";
import { Input, Labelled } from "../../parts.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

interface LabelFieldProps {
  label: string;
  hint?: string;
  value: string | undefined;
  length?: number;
  onSet: (text: string) => void;
}

/** A short text that a key may have. */
export function LabelField({ value = "", length, onSet, ...labels }: LabelFieldProps) {
  return (
    <Input {...labels} value={value} maxLength={length ?? FIELD_LIMITS.label} onText={onSet} />
  );
}

type Named = Extract<Widget, { label?: string }>;

/** The name that a key shows beside what it is about. */
export function KeyNameField({ hint, widget, onEdit }: FieldsProps<Named> & { hint?: string }) {
  return (
    <LabelField
      label="Name on the key"
      {...(hint !== undefined && { hint })}
      value={widget.label}
      onSet={(label) => onEdit(withField(widget, "label", label))}
    />
  );
}

interface NameFieldProps {
  label: string;
  name: string;
  onSet: (name: string) => void;
}

/** A name that is kept once it is typed; without one, that of before stays. */
export function NameField({ label, name, onSet }: NameFieldProps) {
  return (
    <Labelled label={label}>
      {(at) => (
        <input
          {...at}
          key={name}
          defaultValue={name}
          maxLength={FIELD_LIMITS.name}
          autocomplete="off"
          onChange={(event) => {
            const next = event.currentTarget.value.trim();
            if (next === "") event.currentTarget.value = name;
            else if (next !== name) onSet(next);
          }}
        />
      )}
    </Labelled>
  );
}
