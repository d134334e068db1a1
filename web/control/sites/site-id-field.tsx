import { Field } from "../../shared/field.tsx";

/** A field for the id of a new site. */
export function SiteIdField({ id, onInput }: { id: string; onInput: (id: string) => void }) {
  return (
    <Field
      label="Id"
      hint="A short name: a-z, 0-9, underscore and hyphen."
      placeholder="my-blog"
      isRequired
      value={id}
      onInput={(text) => onInput(text.trim().toLowerCase())}
    />
  );
}
