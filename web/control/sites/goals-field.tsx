import { useState } from "preact/hooks";
import { GOAL_LIMITS, type Goal } from "../../../appliance/base/text/goals.ts";
import type { DraftOf } from "../../shared/draft.ts";
import { ListField } from "./list-field.tsx";

/** The goals of a site: an event or a page, with a name; the dashboard says how often each was reached. */
export function GoalsField({ path, draft }: { path: string; draft: DraftOf<"goal"> | null }) {
  const [kind, setKind] = useState<Goal["kind"]>(draft?.of ?? "event");
  return (
    <ListField<"goals", Goal>
      path={path}
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
          </small>
        </span>
      )}
      read={(given) => {
        const value = String(given.get("value"));
        return { name: String(given.get("name")).trim() || value, kind, value };
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
      />
      <input
        name="name"
        aria-label="Name of the goal"
        placeholder="Name, if another"
        autocomplete="off"
        maxLength={GOAL_LIMITS.name}
      />
    </ListField>
  );
}
