import { CHANNEL_LENGTH, CHANNEL_RULE } from "../../../appliance/base/names.ts";
import { Labelled } from "../parts.tsx";

/** A field for the name of a channel that may not exist yet. */
export function ChannelField({
  label = "Channel",
  hint = `${CHANNEL_RULE}.`,
  value,
  onInput,
}: {
  label?: string;
  hint?: string;
  value: string;
  onInput: (channel: string) => void;
}) {
  return (
    <Labelled label={label} hint={hint}>
      {(at) => (
        <input
          {...at}
          value={value}
          maxLength={CHANNEL_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value.trim().toLowerCase())}
        />
      )}
    </Labelled>
  );
}
