import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field } from "../../shared/field.tsx";
import { ask } from "../api.ts";
import { Choice, CodeArea, Form, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

interface Named<C> {
  key: keyof C & string;
  label: string;
}

/** A line of the form, for a setting of `C`. Without a kind it is a text. */
export type Row<C, A = C> =
  | (Named<C> & {
      kind?: "text" | "number";
      hint?: string;
      placeholder?: string;
      isRequired?: true;
    })
  /** Certificates of authorities, as PEM. */
  | (Named<C> & { kind: "certificates"; hint: string })
  | (Named<C> & { kind: "check" })
  | (Named<C> & {
      kind: "choice";
      /** `sets`: what is chosen with it */
      options: readonly { id: string; name: string; sets?: Partial<C> }[];
    })
  /** Two, beside each other. */
  | { kind: "pair"; of: readonly [Row<C, A>, Row<C, A>] }
  /** User and password of the box at a server. */
  | { kind: "sign-in"; hint?: string }
  | {
      kind: "own";
      show: (now: A & Partial<C>, edit: (change: Partial<C>) => void) => ComponentChildren;
    };

interface SettingsFormProps<C, A> {
  path: string;
  answer: A;
  rows: readonly Row<C, A>[];
  /** Settings that are right for most as they are. */
  more: readonly Row<C, A>[];
  /** The word on the button that saves. */
  submit?: string;
  /** Is saved with what was edited. */
  along?: Partial<C> | undefined;
  /** The change that removes all of it; none while there is nothing. */
  removal?: Partial<C> | undefined;
  onSaved?: (answer: A) => void;
  /** Stands above the buttons. */
  children?: (now: A & Partial<C>) => ComponentChildren;
}

/** Settings that are edited as a draft, and saved by `PUT`; what is not edited stays as it is. */
export function SettingsForm<C extends object, A extends object>({
  path,
  answer,
  submit = "Save",
  along,
  removal,
  onSaved = () => {},
  ...parts
}: SettingsFormProps<C, A>) {
  const { busy, problem, run } = useAction();
  const [draft, setDraft] = useState<Partial<C>>({});
  const [done, setDone] = useState("");
  const now = { ...answer, ...draft };
  const edit = (change: Partial<C>) => {
    setDone("");
    setDraft({ ...draft, ...change });
  };
  const save = (change: Partial<C>) =>
    run(async () => {
      onSaved(await ask<A>("PUT", path, change));
      setDraft({});
      setDone("Saved.");
    });
  const lines = (rows: readonly Row<C, A>[]) =>
    rows.map((row, at) => <Line key={at} row={row} now={now} edit={edit} />);
  return (
    <Form onSubmit={() => save({ ...along, ...draft })}>
      {lines(parts.rows)}
      <details class="part">
        <summary>More settings</summary>
        <div class="stack">{lines(parts.more)}</div>
      </details>
      {parts.children?.(now)}
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary" disabled={busy || Object.keys(draft).length === 0}>
          {submit}
        </button>
        {removal !== undefined && (
          <button type="button" disabled={busy} onClick={() => void save(removal)}>
            Remove
          </button>
        )}
        <p role="status">{done}</p>
      </div>
    </Form>
  );
}

interface LineProps<C, A> {
  row: Row<C, A>;
  now: A & Partial<C>;
  edit: (change: Partial<C>) => void;
}

function Line<C extends object, A extends object>({ row, now, edit }: LineProps<C, A>) {
  const values: Readonly<Record<string, unknown>> = now;
  const set = (key: string, value: unknown) => edit({ [key]: value } as Partial<C>);
  const text = (key: string) => String(values[key] ?? "");
  switch (row.kind) {
    case "own":
      return row.show(now, edit);
    case "pair":
      return (
        <div class="pair">
          {row.of.map((one, at) => (
            <Line key={at} row={one} now={now} edit={edit} />
          ))}
        </div>
      );
    case "sign-in":
      return (
        <>
          <div class="pair">
            <Field label="User" value={text("user")} onInput={(user) => set("user", user)} />
            <Field
              label="Password"
              isSecret
              autocomplete="new-password"
              placeholder={values.hasPassword ? "unchanged" : ""}
              value={text("password")}
              onInput={(password) => set("password", password)}
            />
          </div>
          {row.hint !== undefined && <p class="hint">{row.hint}</p>}
        </>
      );
    case "check":
      return (
        <label class="switch">
          <input
            type="checkbox"
            checked={values[row.key] === true}
            onChange={(event) => set(row.key, event.currentTarget.checked)}
          />{" "}
          {row.label}
        </label>
      );
    case "choice":
      return (
        <Choice
          legend={row.label}
          value={text(row.key)}
          options={row.options}
          onChoose={(id) => {
            const { sets } = row.options.find((option) => option.id === id) ?? {};
            edit({ [row.key]: id, ...sets } as Partial<C>);
          }}
        />
      );
    case "certificates":
      return (
        <CodeArea
          label={row.label}
          hint={row.hint}
          rows={4}
          placeholder="-----BEGIN CERTIFICATE-----"
          value={text(row.key)}
          onText={(typed) => set(row.key, typed)}
        />
      );
    default: {
      const { kind, key, ...field } = row;
      return (
        <Field
          {...field}
          value={text(key)}
          onInput={(typed) => set(key, kind === "number" ? Number(typed) : typed)}
        />
      );
    }
  }
}
