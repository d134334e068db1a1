import type { TargetedInputEvent } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  hint?: string;
  isSecret?: boolean;
  name?: string;
  /** the value it begins with, when nothing is done with it before the form is sent */
  initial?: string;
  value?: string;
  placeholder?: string;
  autocomplete?: string;
  isRequired?: boolean;
  /** whether to type here at once, because there is nothing else to do first */
  isFocused?: boolean;
  onInput?: (text: string) => void;
}

/** Takes the focus for what has just come. */
export const focused = (input: HTMLInputElement | null) => input?.focus();

/** A text to type, with its name above and a hint below. */
export function Field({ label, hint, isSecret = false, isRequired = false, ...rest }: FieldProps) {
  const id = useId();
  const {
    name,
    initial,
    value,
    placeholder,
    autocomplete = "off",
    isFocused = false,
    onInput,
  } = rest;
  const shared = {
    id,
    ref: isFocused ? focused : null,
    required: isRequired,
    autocomplete,
    spellcheck: false,
    ...(name !== undefined && { name }),
    ...(initial !== undefined && { defaultValue: initial }),
    ...(value !== undefined && { value }),
    ...(placeholder !== undefined && { placeholder }),
    ...(hint !== undefined && { "aria-describedby": `${id}-hint` }),
    ...(onInput && {
      onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
    }),
  };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {isSecret ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}
