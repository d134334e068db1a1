import { useId, useState } from "preact/hooks";
import { GOAL_LIMITS, type Goal } from "../../../appliance/base/text/goals.ts";
import type { GoalValuesAnswer } from "../../../appliance/control/wire.ts";
import { type DraftOf, goalOf } from "../../shared/draft.ts";
import { ask } from "../api.ts";
import { ListField } from "./list-field.tsx";

interface GoalsFieldProps {
  /** the path of the site in the control API */
  site: string;
  draft: DraftOf<"goal"> | null;
}

/** The goals of a site: an event or a page, with a name; the dashboard says how often each was reached. */
export function GoalsField({ site, draft }: GoalsFieldProps) {
  const [kind, setKind] = useState<Goal["kind"]>(draft?.of ?? "event");
  const [seen, setSeen] = useState<GoalValuesAnswer | null>(null);
  const listId = useId();
  const propose = () =>
    // Any other value can be typed all the same.
    ask<GoalValuesAnswer>("GET", `${site}/goal-values`).then(setSeen, () => {});
  return (
    <ListField<"goals", Goal>
      path={`${site}/goals`}
      name="goals"
      title="Goals"
      hint={
        <>
          An event counts each time it happens, a page once for each of its visitors a day. A star
          at the end takes in all that begin so: <code>/thanks/*</code>
        </>
      }
      most={GOAL_LIMITS.goals}
      filled={draft && { value: draft.value }}
      nameOf={({ name }) => name}
      show={(goal) => (
        <span dir="auto">
          {goal.name}{" "}
          <small>
            {goal.kind} {goal.value}
            {goal.unit && `, summed up in ${goal.unit}`}
          </small>
        </span>
      )}
      read={(given) => {
        const value = String(given.get("value"));
        const unit = String(given.get("unit") ?? "").trim();
        const name = String(given.get("name")).trim() || value;
        return { name, kind, value, ...(unit !== "" && { unit }) };
      }}
    >
      <select
        aria-label="Kind of goal"
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Goal["kind"])}
      >
        <option value="event">Event</option>
        <option value="page">Page</option>
      </select>
      <input
        name="value"
        required
        aria-label={kind === "event" ? "Name of the event" : "Path of the page"}
        placeholder={kind === "event" ? "signup" : "/thanks"}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={GOAL_LIMITS.value}
        list={listId}
        onFocus={seen === null ? propose : undefined}
      />
      <datalist id={listId}>
        {seen?.[kind]
          .filter((value) => goalOf(kind, value) !== null)
          .map((value) => (
            <option key={value} value={value} />
          ))}
      </datalist>
      <input
        name="name"
        aria-label="Name of the goal"
        placeholder="Name, if another"
        autocomplete="off"
        maxLength={GOAL_LIMITS.name}
      />
      {kind === "event" && (
        <input
          name="unit"
          class="short"
          aria-label="Unit of the numbers that its events carry"
          placeholder="Unit: €"
          title="Where your events carry a number named value, its sum is told in this unit."
          autocomplete="off"
          maxLength={GOAL_LIMITS.unit}
        />
      )}
    </ListField>
  );
}
