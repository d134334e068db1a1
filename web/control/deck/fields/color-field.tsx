interface ColorFieldProps {
  label: string;
  value: string | undefined;
  /** the colour it begins with when it is switched on */
  start: string;
  onSet: (color: string | undefined) => void;
}

/** A colour that may be left to the key. */
export function ColorField({ label, value, start, onSet }: ColorFieldProps) {
  return (
    <div class="color">
      <label class="check">
        <input
          type="checkbox"
          checked={value !== undefined}
          onChange={(event) => onSet(event.currentTarget.checked ? start : undefined)}
        />{" "}
        {label}
      </label>
      {value !== undefined && (
        <input
          type="color"
          aria-label={`${label} colour`}
          value={value}
          onInput={(event) => onSet(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
