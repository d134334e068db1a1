import { useId } from "preact/hooks";
import type { WorldclockWidget } from "../../../../appliance/control/wire.ts";
import { Labelled } from "../../parts.tsx";
import { LabelField } from "./label-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

/** Whose time is shown. */
export function WorldclockFields({ widget, onEdit }: FieldsProps<WorldclockWidget>) {
  const list = useId();
  return (
    <>
      <Labelled label="Time zone" hint="A name like Europe/Zurich or America/New_York.">
        {(at) => (
          <input
            {...at}
            list={list}
            value={widget.timeZone}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onEdit({ ...widget, timeZone: event.currentTarget.value.trim() })}
          />
        )}
      </Labelled>
      <datalist id={list}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <LabelField
        label="Name on the key"
        hint="The city of the zone unless given."
        value={widget.label}
        onSet={(label) => onEdit(withField(widget, "label", label))}
      />
    </>
  );
}
