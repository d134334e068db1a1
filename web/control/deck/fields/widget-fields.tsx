import { useEffect, useId, useState } from "preact/hooks";
import { BOUNDS } from "../../../../appliance/base/bounds.ts";
import {
  choicesOf,
  DEFAULT_EXPIRY,
  DEFAULT_TEXT_SIZE,
  EXPIRIES,
  FIELD_LIMITS,
  TEXT_SIZES,
} from "../../../../appliance/base/input/deck-fields.ts";
import type {
  IconWidget,
  ImageAnswer,
  ImageWidget,
  PushWidget,
  Widget,
  WorldclockWidget,
} from "../../../../appliance/control/wire.ts";
import { ask } from "../../api.ts";
import { Area, Choice, Input, Labelled, Problem } from "../../parts.tsx";
import { useAction } from "../../use-action.ts";
import { ChannelField } from "./channel-field.tsx";
import { ColorField, ColorPair } from "./color-field.tsx";
import { CountdownFields, GaugeFields } from "./gauge-fields.tsx";
import { IconPicker } from "./icon-picker.tsx";
import { KeyNameField, LabelField } from "./label-field.tsx";
import { RulesField, withRules } from "./rules-field.tsx";
import { StatFields } from "./stat-fields.tsx";
import { ToggleFields } from "./toggle-fields.tsx";
import { WakeField } from "./wake-field.tsx";
import { type FieldsProps, withField } from "./widgets.ts";

/** The fields of a widget's own type, then its colours. */
export function WidgetFields({ widget, onEdit }: FieldsProps<Widget>) {
  return (
    <>
      {widget.type === "push" && <PushFields widget={widget} onEdit={onEdit} />}
      {widget.type === "stat" && <StatFields widget={widget} onEdit={onEdit} />}
      {(widget.type === "gauge" || widget.type === "bar") && (
        <GaugeFields widget={widget} onEdit={onEdit} />
      )}
      {widget.type === "toggle" && <ToggleFields widget={widget} onEdit={onEdit} />}
      {widget.type === "countdown" && <CountdownFields widget={widget} onEdit={onEdit} />}
      {widget.type === "image" && <ImageFields widget={widget} onEdit={onEdit} />}
      {widget.type === "icon" && <IconFields widget={widget} onEdit={onEdit} />}
      {widget.type === "worldclock" && <WorldclockFields widget={widget} onEdit={onEdit} />}
      {widget.type === "text" && (
        <Area
          label="Text"
          hint="Latin, Greek and Cyrillic letters, and signs; others are drawn as ?"
          rows={3}
          maxLength={FIELD_LIMITS.text}
          value={widget.text}
          onText={(text) => onEdit({ ...widget, text })}
        />
      )}
      {(widget.type === "text" || widget.type === "push") && (
        <Choice
          legend="Size of the text, at most"
          value={widget.size ?? DEFAULT_TEXT_SIZE}
          options={choicesOf(TEXT_SIZES)}
          onChoose={(size) =>
            onEdit(withField(widget, "size", size === DEFAULT_TEXT_SIZE ? undefined : size))
          }
        />
      )}
      <Colors widget={widget} onEdit={onEdit} />
    </>
  );
}

function PushFields({ widget, onEdit }: FieldsProps<PushWidget>) {
  const { expire = DEFAULT_EXPIRY, fallback = "" } = widget;
  return (
    <>
      <ChannelField
        channel={widget.channel}
        onChoose={(channel) => onEdit({ ...widget, channel })}
      />
      <Choice
        legend="When the text expires"
        value={expire}
        options={choicesOf(EXPIRIES)}
        onChoose={(next) => onEdit({ ...widget, expire: next })}
      />
      {expire === "text" && (
        <Area
          label="Text to show then"
          rows={2}
          maxLength={FIELD_LIMITS.text}
          value={fallback}
          onText={(text) => onEdit({ ...widget, fallback: text })}
        />
      )}
      <RulesField rules={widget} onSet={(rules) => onEdit(withRules(widget, rules))} />
      <WakeField widget={widget} onEdit={onEdit} />
    </>
  );
}

function Colors({ widget, onEdit }: FieldsProps<Widget>) {
  const set = (name: "color" | "background", color: string | undefined) =>
    onEdit(withField(widget, name, color));
  const start = "#000000";
  return (
    <fieldset class="colors">
      <legend>Colours</legend>
      {widget.type === "empty" || widget.type === "image" ? (
        <ColorField
          label="Background"
          value={widget.background}
          start={start}
          onSet={(color) => set("background", color)}
        />
      ) : (
        <ColorPair colors={widget} start={start} onSet={set} />
      )}
    </fieldset>
  );
}

function IconFields({ widget, onEdit }: FieldsProps<IconWidget>) {
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

function WorldclockFields({ widget, onEdit }: FieldsProps<WorldclockWidget>) {
  const list = useId();
  return (
    <>
      <Input
        label="Time zone"
        hint="A name like Europe/Zurich or America/New_York."
        list={list}
        spellcheck={false}
        value={widget.timeZone}
        onText={(text) => onEdit({ ...widget, timeZone: text.trim() })}
      />
      <datalist id={list}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <KeyNameField hint="The city of the zone unless given." widget={widget} onEdit={onEdit} />
    </>
  );
}

/** The picture, which is uploaded as soon as it is chosen. */
function ImageFields({ widget, onEdit }: FieldsProps<ImageWidget>) {
  const { problem, run } = useAction();
  const [preview, setPreview] = useState("");
  useEffect(() => () => URL.revokeObjectURL(preview), [preview]);
  const upload = (file: File) =>
    run(async () => {
      const { image } = await ask<ImageAnswer>("PUT", "api/images", file);
      setPreview(URL.createObjectURL(file));
      onEdit({ ...widget, image });
    });
  return (
    <>
      <Labelled
        label="Picture"
        hint={`A PNG or JPEG of up to ${BOUNDS.images.bytes / 1_024} kB. It is fitted to the key.`}
      >
        {(at) => (
          <input
            {...at}
            type="file"
            accept="image/png,image/jpeg"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) void upload(file);
            }}
          />
        )}
      </Labelled>
      <Problem text={problem} />
      {preview !== "" && <img class="preview" src={preview} alt="What was chosen" />}
    </>
  );
}
