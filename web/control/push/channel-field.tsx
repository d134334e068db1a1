import { CHANNEL_LENGTH, CHANNEL_RULE } from "../../../appliance/base/names.ts";
import { Input, VERBATIM } from "../parts.tsx";

interface ChannelFieldProps {
  label?: string;
  hint?: string;
  /** the id of the channels to choose from; none unless given */
  list?: string;
  value: string;
  onInput: (channel: string) => void;
}

/** A field for the name of a channel that may not exist yet. */
export function ChannelField({
  label = "Channel",
  hint = `${CHANNEL_RULE}.`,
  onInput,
  ...rest
}: ChannelFieldProps) {
  return (
    <Input
      label={label}
      hint={hint}
      {...rest}
      {...VERBATIM}
      maxLength={CHANNEL_LENGTH}
      onText={(text) => onInput(text.trim().toLowerCase())}
    />
  );
}
