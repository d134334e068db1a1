import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { Snippet } from "../shared/copy-button.tsx";
import { Help } from "../shared/help.tsx";
import { boxNow } from "./api.ts";

interface ProblemProps {
  text: string;
  /** the controls to do something about it right there */
  children?: ComponentChildren;
}

/** A problem, if there is one. */
export function Problem({ text, children }: ProblemProps) {
  return (
    <div role="alert" class="problem">
      {text !== "" && (
        <p class="notice bad">
          {text}
          {children}
        </p>
      )}
    </div>
  );
}

interface CardTitleProps {
  id: string;
  /** its part of the documentation, like `backup#in-the-web-ui` */
  help: string;
  children: string;
}

/** The title of a card, with the way to its part of the documentation. */
export function CardTitle({ id, help, children }: CardTitleProps) {
  return (
    <div class="entry">
      <h2 id={id}>{children}</h2>
      <Help of={help} about={children} />
    </div>
  );
}

/** A secret that is shown only once. */
export function Secret({ title, token, label }: { title: string; token: string; label: string }) {
  return (
    <div class="notice secret" role="status">
      <p>
        <strong>{title}</strong> Copy it now: it is not shown again.
      </p>
      <Snippet text={token} label={label} />
    </div>
  );
}

interface ChoiceProps<T extends string> {
  legend: string;
  value: T;
  options: readonly { id: T; name: string }[];
  onChoose: (id: T) => void;
}

/** A few options beside each other, of which one holds. */
export function Choice<T extends string>({ legend, value, options, onChoose }: ChoiceProps<T>) {
  const name = useId();
  return (
    <fieldset class="radios">
      <legend>{legend}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.id}>
            <input
              type="radio"
              name={name}
              checked={option.id === value}
              onChange={() => onChoose(option.id)}
            />
            <span>{option.name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  name: string;
  hint?: ComponentChildren;
  isOn: boolean;
  disabled: boolean;
  onSwitch: (isOn: boolean) => void;
}

/** A switch that takes effect at once. */
export function Switch({ name, hint, isOn, disabled, onSwitch }: SwitchProps) {
  return (
    <div>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          checked={isOn}
          disabled={disabled}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />{" "}
        {name}
      </label>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

interface LabelledProps {
  label: string;
  hint?: ComponentChildren;
  /** makes the control, which has to take these attributes */
  children: (at: { id: string; "aria-describedby"?: string }) => ComponentChildren;
}

/** A control other than a plain text with its name above and a hint below. */
export function Labelled({ label, hint, children }: LabelledProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { "aria-describedby": `${id}-hint` }) })}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** The time by the clock of the box, again every second. */
export function useNow(): number {
  const [now, setNow] = useState(boxNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(boxNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
