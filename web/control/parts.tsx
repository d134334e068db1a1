import type {
  ComponentChildren,
  JSX,
  PartialInputHTMLAttributes,
  TargetedSubmitEvent,
} from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Snippet } from "../shared/copy-button.tsx";
import { focused } from "../shared/field.tsx";
import { Help } from "../shared/help.tsx";
import { boxNow } from "./api.ts";

interface ProblemProps {
  text: string;
  /** the controls to do something about it right there */
  children?: ComponentChildren;
}

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

interface CardProps {
  id: string;
  title: string;
  /** as of its title; none unless given */
  help?: string;
  isBusy?: boolean;
  children: ComponentChildren;
}

/** A part of a section, with a title. */
export function Card({ id, title, help, isBusy, children }: CardProps) {
  const titleId = `${id}-title`;
  return (
    <section class="card stack" aria-labelledby={titleId} aria-busy={isBusy}>
      {help === undefined ? (
        <h2 id={titleId}>{title}</h2>
      ) : (
        <CardTitle id={titleId} help={help}>
          {title}
        </CardTitle>
      )}
      {children}
    </section>
  );
}

interface AnswerCardProps<A> extends Omit<CardProps, "isBusy" | "children"> {
  /** none until it is there */
  answer: A | null | undefined;
  hint?: ComponentChildren;
  children: (answer: A) => ComponentChildren;
}

/** A card about an answer of the machine. */
export function AnswerCard<A>({ answer, hint, children, ...card }: AnswerCardProps<A>) {
  const isBusy = answer === undefined || answer === null;
  return (
    <Card {...card} isBusy={isBusy}>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {isBusy ? <p class="hint">Asking the machine…</p> : children(answer)}
    </Card>
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

interface FormProps {
  class?: string;
  autocomplete?: "off";
  /** the texts by name that it begins with where a link has filled it in: the focus goes to what is left to type */
  filled?: Readonly<Record<string, string>> | null;
  onSubmit: (event: TargetedSubmitEvent<HTMLFormElement>) => unknown;
  children: ComponentChildren;
}

/** A form that the page itself sends. */
export function Form({ class: className = "stack", filled = null, onSubmit, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (filled === null) return;
    const find = (what: string) => form.current?.querySelector<HTMLInputElement>(what);
    // No default values, which would come back after it is sent.
    for (const [name, text] of Object.entries(filled))
      Object.assign(find(`[name=${name}]`) ?? {}, { value: text });
    const next = find("input:placeholder-shown") ?? find("input");
    next?.focus();
    next?.select();
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <form
      ref={form}
      class={className}
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event);
      }}
    />
  );
}

interface Labels {
  label: ComponentChildren;
  hint?: ComponentChildren;
}

interface LabelledProps extends Labels {
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

interface SelectProps<T> extends Labels {
  value: T | undefined;
  options: readonly { id: T; name: string }[];
  disabled?: boolean;
  onChoose: (id: T) => void;
}

/** A list of options, of which one holds. */
export function Select<T extends string | number>({
  value,
  options,
  disabled = false,
  onChoose,
  ...labels
}: SelectProps<T>) {
  const choose = (text: string) => {
    const chosen = options.find(({ id }) => String(id) === text);
    if (chosen !== undefined) onChoose(chosen.id);
  };
  return (
    <Labelled {...labels}>
      {(at) => (
        <select
          {...at}
          value={value}
          disabled={disabled}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A text that is no prose, like a name or an address: nothing may change it while it is typed. */
export const VERBATIM = { autocapitalize: "none", spellcheck: false } as const;

interface InputProps
  extends Labels,
    Omit<PartialInputHTMLAttributes<HTMLInputElement>, "label" | "role" | "type"> {
  type?: "text" | "password" | "url" | "search" | "date";
  /** the id of the texts to choose from */
  list?: string;
  /** as of a `Field` */
  isFocused?: boolean;
  onText?: (text: string) => void;
  /** Is called with the trimmed text once it is typed. */
  onSet?: (text: string) => void;
}

/** A line to type into. */
export function Input({ label, hint, isFocused = false, onText, onSet, ...rest }: InputProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(at) => (
        <input
          autocomplete="off"
          // Each type has props of its own, which are none of these.
          {...(rest as JSX.IntrinsicElements["input"])}
          {...at}
          ref={isFocused ? focused : null}
          onInput={(event) => onText?.(event.currentTarget.value)}
          onChange={(event) => onSet?.(event.currentTarget.value.trim())}
        />
      )}
    </Labelled>
  );
}

interface AreaProps extends Labels, Omit<JSX.IntrinsicElements["textarea"], "label" | "onInput"> {
  value: string;
  onText: (text: string) => void;
}

/** Lines to type into. */
export function Area({ label, hint, onText, ...rest }: AreaProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(at) => (
        <textarea {...rest} {...at} onInput={(event) => onText(event.currentTarget.value)} />
      )}
    </Labelled>
  );
}

/** The same for code. */
export function CodeArea(props: AreaProps) {
  return <Area {...props} class="code" spellcheck={false} />;
}

interface CheckProps {
  name: string;
  isOn: boolean;
  disabled?: boolean;
  onSet: (isOn: boolean) => void;
}

/** A box to tick. */
export function Check({ name, isOn, disabled = false, onSet }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        disabled={disabled}
        onChange={(event) => onSet(event.currentTarget.checked)}
      />
      {name}
    </label>
  );
}

/** A fact in a list of them. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
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
