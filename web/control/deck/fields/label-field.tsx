import { Labelled } from "../../parts.tsx";

/** The most characters of a label on a key. */
const LABEL_LENGTH = 24;

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
          maxLength={length ?? LABEL_LENGTH}
          autocomplete="off"
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}
