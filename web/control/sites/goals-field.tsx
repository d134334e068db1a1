import { useState } from "preact/hooks";
import { GOAL_LIMITS, type Goal, type Goals } from "../../../appliance/base/text/goals.ts";
import { ask } from "../api.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

/** The goals of a site: an event or a page, with a name; the dashboard says how often each was reached. */
export function GoalsField({ path }: { path: string }) {
  const { busy, problem, run } = useAction();
  const [goals, setGoals] = useState<readonly Goal[] | null>(null);
  const [kind, setKind] = useState<Goal["kind"]>("event");
  const read = () => run(async () => setGoals((await ask<Goals>("GET", path)).goals));
  const change = (changed: readonly Goal[]) =>
    run(async () => setGoals((await ask<Goals>("PUT", path, { goals: changed })).goals));
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const value = String(given.get("value"));
    const name = String(given.get("name")).trim() || value;
    void change([...(goals ?? []), { name, kind, value }]).then((isDone) => isDone && form.reset());
  };
  return (
    <details onToggle={(event) => event.currentTarget.open && goals === null && void read()}>
      <summary>Goals</summary>
      {goals !== null && (
        <div class="stack">
          <p class="hint">
            An event counts each time it happens, a page once for each of its visitors a day. A star
            at the end takes in all that begin so: <code>/thanks/*</code>
          </p>
          {goals.length > 0 && (
            <ul class="entries">
              {goals.map((goal, at) => (
                <li key={`${goal.kind} ${goal.value}`} class="row">
                  <span dir="auto">
                    {goal.name}{" "}
                    <small>
                      {goal.kind} {goal.value}
                    </small>
                  </span>
                  <span class="spacer" />
                  <button
                    type="button"
                    disabled={busy}
                    aria-label={`Remove ${goal.name}`}
                    onClick={() => void change(goals.filter((_, i) => i !== at))}
                  >
                    Remove
                  </button>
                </li>
              ))}
            </ul>
          )}
          {goals.length < GOAL_LIMITS.goals && (
            <form class="row" onSubmit={add}>
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
              <button type="submit" disabled={busy}>
                Add
              </button>
            </form>
          )}
        </div>
      )}
      <Problem text={problem} />
    </details>
  );
}
