import { useState } from "preact/hooks";
import { Field } from "../../shared/field.tsx";
import { useShell } from "../context.ts";

/**
 * The fields of a new site: its id, and with the first one the zone in which days begin, that of this browser at first.
 * @param isFocused whether to type the id at once
 */
export function useNewSite(isFocused: boolean) {
  const { asksZone } = useShell().box;
  const [id, setId] = useState("");
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
  const fields = (
    <>
      <Field
        label="Id"
        isFocused={isFocused}
        hint="A short name: a-z, 0-9, underscore and hyphen."
        placeholder="my-blog"
        isRequired
        value={id}
        onInput={(text) => setId(text.trim().toLowerCase())}
      />
      {asksZone && (
        <Field
          label="Days begin at midnight in"
          hint="A time zone, like Europe/Zurich or UTC: for all sites. DAY_ZONE changes it later, from the next midnight in that zone."
          isRequired
          value={zone}
          onInput={(text) => setZone(text.trim())}
        />
      )}
    </>
  );
  return { wish: { id, ...(asksZone && { zone }) }, fields };
}
