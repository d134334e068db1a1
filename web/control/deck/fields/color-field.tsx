import { Check } from "../../parts.tsx";

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
      <Check
        name={label}
        isOn={value !== undefined}
        onSet={(isOn) => onSet(isOn ? start : undefined)}
      />
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

interface ColorPairProps {
  colors: { color?: string; background?: string };
  /** the background it begins with */
  start: string;
  onSet: (name: "color" | "background", color: string | undefined) => void;
}

/** The colours of a text and its background. */
export function ColorPair({ colors, start, onSet }: ColorPairProps) {
  return (
    <>
      <ColorField
        label="Text"
        value={colors.color}
        start="#ffffff"
        onSet={(color) => onSet("color", color)}
      />
      <ColorField
        label="Background"
        value={colors.background}
        start={start}
        onSet={(color) => onSet("background", color)}
      />
    </>
  );
}
