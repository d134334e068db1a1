interface WakeFieldProps<W> {
  widget: W;
  onEdit: (widget: W) => void;
}

/** A switch: an alarm about the subject of a key brings its page to the front. */
export function WakeField<W extends { wake?: true }>({ widget, onEdit }: WakeFieldProps<W>) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={widget.wake === true}
        onChange={(event) => {
          const { wake: _, ...rest } = widget;
          onEdit((event.currentTarget.checked ? { ...rest, wake: true } : rest) as W);
        }}
      />
      An alarm wakes the deck and shows this page
    </label>
  );
}
