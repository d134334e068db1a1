import type { ToggleSide, ToggleWidget } from "../../../../appliance/control/wire.ts";
import { ChannelField } from "./channel-field.tsx";
import { ColorPair } from "./color-field.tsx";
import { IconPicker } from "./icon-picker.tsx";
import { LabelField } from "./label-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

const SIDES = [
  { id: "on", name: "When on", text: "On" },
  { id: "off", name: "When off", text: "Off" },
] as const;

/** The channel that says whether it is on, and the two faces. */
export function ToggleFields({ widget, onEdit }: FieldsProps<ToggleWidget>) {
  return (
    <>
      <ChannelField
        channel={widget.channel}
        onChoose={(channel) => onEdit({ ...widget, channel })}
      />
      {SIDES.map(({ id, name, text }) => (
        <Side
          key={id}
          name={name}
          usual={text}
          side={widget[id] ?? {}}
          onEdit={(side) =>
            onEdit(withField(widget, id, Object.keys(side).length > 0 ? side : undefined))
          }
        />
      ))}
    </>
  );
}

interface SideProps {
  name: string;
  /** the text where none is set */
  usual: string;
  side: ToggleSide;
  onEdit: (side: ToggleSide) => void;
}

function Side({ name, usual, side, onEdit }: SideProps) {
  const put = (field: keyof ToggleSide, value: string | undefined) => {
    const { [field]: _, ...rest } = side;
    onEdit(value === undefined || value === "" ? rest : { ...rest, [field]: value });
  };
  return (
    <fieldset class="stack colors-of">
      <legend>{name}</legend>
      <LabelField
        label="Text"
        hint={`${usual}, unless there is an icon.`}
        value={side.text}
        onSet={(text) => put("text", text)}
      />
      <details>
        <summary>Icon{side.icon === undefined ? "" : `: ${side.icon}`}</summary>
        <IconPicker value={side.icon ?? ""} onChoose={(icon) => put("icon", icon)} />
        {side.icon !== undefined && (
          <button type="button" onClick={() => put("icon", undefined)}>
            No icon
          </button>
        )}
      </details>
      <div class="row">
        <ColorPair colors={side} start="#166534" onSet={put} />
      </div>
    </fieldset>
  );
}
