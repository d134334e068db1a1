import type { ComponentChildren } from "preact";
import { whole } from "../../shared/format.ts";
import { Form, Problem } from "../parts.tsx";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

interface ListFieldProps<Name extends string, Entry> {
  /** the path of the setting, whose body is `{[name]: Entry[]}` */
  path: string;
  name: Name;
  title: string;
  hint: ComponentChildren;
  most: number;
  /** the newest first */
  isReversed?: boolean;
  /** as of its form, which is then shown at once */
  filled?: Readonly<Record<string, string>> | null;
  nameOf: (entry: Entry) => string;
  /** @param replace puts another entry in its place */
  show: (entry: Entry, replace: (by: Entry) => void) => ComponentChildren;
  /** a new entry, of the controls of `children` */
  read: (given: FormData) => Entry;
  /** the controls for a new entry */
  children: ComponentChildren;
}

/** A setting of a site that is a list: its entries, which can be removed, and a form for another one. */
export function ListField<Name extends string, Entry>(props: ListFieldProps<Name, Entry>) {
  const { path, name, title, most, isReversed = false, filled = null, nameOf, show } = props;
  type Body = Record<Name, readonly Entry[]>;
  const { busy, problem, kept, save } = useSetting<Body>(path);
  const entries = kept?.[name];
  const change = (changed: readonly Entry[]) => save({ [name]: changed });
  const add = (form: HTMLFormElement) => {
    const entry = props.read(new FormData(form));
    void change([...(entries ?? []), entry]).then((isDone) => isDone && form.reset());
  };
  const shown = [...(entries ?? [])];
  if (isReversed) shown.reverse();
  return (
    <Section
      title={title}
      state={entries && (entries.length === 0 ? "none" : whole(entries.length))}
      isOpen={filled !== null}
    >
      {entries !== undefined && (
        <>
          <p class="hint">{props.hint}</p>
          {entries.length > 0 && (
            <ul class="entries">
              {shown.map((entry) => (
                <li key={JSON.stringify(entry)} class="row">
                  {show(
                    entry,
                    (by) => void change(entries.map((one) => (one === entry ? by : one))),
                  )}
                  <span class="spacer" />
                  <button
                    type="button"
                    disabled={busy}
                    aria-label={`Remove ${nameOf(entry)}`}
                    onClick={() => void change(entries.filter((one) => one !== entry))}
                  >
                    Remove
                  </button>
                </li>
              ))}
            </ul>
          )}
          {entries.length < most && (
            <Form class="row" filled={filled} onSubmit={({ currentTarget }) => add(currentTarget)}>
              {props.children}
              <button type="submit" disabled={busy}>
                Add
              </button>
            </Form>
          )}
        </>
      )}
      <Problem text={problem} />
    </Section>
  );
}
