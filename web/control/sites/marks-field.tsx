import { MARK_LIMITS, type Mark } from "../../../appliance/base/text/marks.ts";
import type { DraftOf } from "../../shared/draft.ts";
import { ListField } from "./list-field.tsx";

/** The marks of a site: events by day, which its chart shows. */
export function MarksField({ path, draft }: { path: string; draft: DraftOf<"mark"> | null }) {
  return (
    <ListField<"marks", Mark>
      path={path}
      name="marks"
      title="Marks on the chart"
      hint={
        <>
          A release, a post, a fair: the chart shows it on its day. Scripts add them with{" "}
          <code>tallydeck mark</code>.
        </>
      }
      most={MARK_LIMITS.marks}
      isReversed
      filled={draft && { day: draft.day }}
      nameOf={({ text }) => text}
      show={({ day, text }) => (
        <span>
          <small>{day}</small> <bdi>{text}</bdi>
        </span>
      )}
      read={(given) => ({ day: String(given.get("day")), text: String(given.get("text")) })}
    >
      <input type="date" name="day" required aria-label="Day" />
      <input
        name="text"
        required
        aria-label="What happened"
        placeholder="Released 2.0"
        autocomplete="off"
        maxLength={MARK_LIMITS.text}
      />
    </ListField>
  );
}
