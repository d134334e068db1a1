import { Check } from "../../parts.tsx";

interface WakeFieldProps<W> {
  widget: W;
  onEdit: (widget: W) => void;
}

/** A switch: an alarm about the subject of a key brings its page to the front. */
export function WakeField<W extends { wake?: true }>({ widget, onEdit }: WakeFieldProps<W>) {
  return (
    <Check
      name="An alarm wakes the deck and shows this page"
      isOn={widget.wake === true}
      onSet={(isOn) => {
        const { wake: _, ...rest } = widget;
        onEdit((isOn ? { ...rest, wake: true } : rest) as W);
      }}
    />
  );
}
