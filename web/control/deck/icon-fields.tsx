import type { IconWidget } from "../../../appliance/control/wire.ts";
import { IconPicker } from "./icon-picker.tsx";
import { LabelField } from "./label-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

/** Which icon, and what is written below it. */
export function IconFields({ widget, onEdit }: FieldsProps<IconWidget>) {
  return (
    <>
      <LabelField
        label="Label"
        value={widget.label}
        onSet={(label) => onEdit(withField(widget, "label", label))}
      />
      <IconPicker value={widget.icon} onChoose={(icon) => onEdit({ ...widget, icon })} />
    </>
  );
}
