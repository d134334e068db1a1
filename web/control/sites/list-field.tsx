import type { ComponentChildren } from "preact";
import { whole } from "../../shared/format.ts";
import { Form, Problem } from "../parts.tsx";
import { Section } from "./section.tsx";
import { useSetting } from "./use-setting.ts";

interface EntriesProps<Entry> {
  /** undefined until they are known */
  entries: readonly Entry[] | undefined;
  busy: boolean;
  most: number;
  /** takes the place of all before; resolves to whether it is done */
  change: (entries: readonly Entry[]) => Promise<boolean>;
  hint: ComponentChildren;
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

type ListFieldProps<Name extends string, Entry> = Omit<
  EntriesProps<Entry>,
  "entries" | "busy" | "change"
> & {
  /** the path of the setting, whose body is `{[name]: Entry[]}` */
  path: string;
  name: Name;
  title: string;
};

/** A setting of a site that is a list. */
export function ListField<Name extends string, Entry>(props: ListFieldProps<Name, Entry>) {
  const { path, name, title, ...list } = props;
  type Body = Record<Name, readonly Entry[]>;
  const { busy, problem, kept, save } = useSetting<Body>(path);
  const entries = kept?.[name];
  const change = (changed: readonly Entry[]) => save({ [name]: changed });
  return (
    <Section
      title={title}
      state={entries && (entries.length === 0 ? "none" : whole(entries.length))}
      isOpen={props.filled != null}
    >
      <Entries<Entry> {...{ ...list, entries, busy, change }} />
      <Problem text={problem} />
    </Section>
  );
}

/** The entries of a list, which can be removed, and a form for another one. */
export function Entries<Entry>(props: EntriesProps<Entry>) {
  const { entries, busy, most, change, isReversed = false, filled = null, nameOf, show } = props;
  const add = (form: HTMLFormElement) => {
    const entry = props.read(new FormData(form));
    void change([...(entries ?? []), entry]).then((isDone) => isDone && form.reset());
  };
  const shown = [...(entries ?? [])];
  if (isReversed) shown.reverse();
  if (entries === undefined) return null;
  return (
    <>
      <p class="hint">{props.hint}</p>
      {entries.length > 0 && (
        <ul class="entries">
          {shown.map((entry) => (
            <li key={JSON.stringify(entry)} class="row">
              {show(entry, (by) => void change(entries.map((one) => (one === entry ? by : one))))}
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
  );
}
