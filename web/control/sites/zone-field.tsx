import { Field } from "../../shared/field.tsx";

/** The zone of this browser, which is offered for the first site. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** A field for the zone in which days begin, shown with the first site. */
export function ZoneField({ zone, onInput }: { zone: string; onInput: (zone: string) => void }) {
  return (
    <Field
      label="Days begin at midnight in"
      hint="A time zone, like Europe/Zurich or UTC: for all sites. DAY_ZONE changes it later, from the next midnight in that zone."
      isRequired
      value={zone}
      onInput={(text) => onInput(text.trim())}
    />
  );
}
