import { FIELD_LIMITS } from "../../../../appliance/base/input/deck-fields.ts";
import { Labelled } from "../../parts.tsx";

interface LabelFieldProps {
  label: string;
  hint?: string;
  value: string | undefined;
  length?: number;
  onSet: (text: string) => void;
}

/** A short text that a key may have. */
export function LabelField({ label, hint, value = "", length, onSet }: LabelFieldProps) {
  return (
    <Labelled label={label} {...(hint !== undefined && { hint })}>
      {(at) => (
        <input
          {...at}
          value={value}
          maxLength={length ?? FIELD_LIMITS.label}
          autocomplete="off"
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}
