import { useState } from "preact/hooks";
import { MARK_LIMITS, type Mark, type Marks } from "../../../appliance/base/text/marks.ts";
import { ask } from "../api.ts";
import { Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";

/** The marks of a site: events by day, which its chart shows. */
export function MarksField({ path }: { path: string }) {
  const { busy, problem, run } = useAction();
  const [marks, setMarks] = useState<readonly Mark[] | null>(null);
  const read = () => run(async () => setMarks((await ask<Marks>("GET", path)).marks));
  const change = (changed: readonly Mark[]) =>
    run(async () => setMarks((await ask<Marks>("PUT", path, { marks: changed })).marks));
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const given = new FormData(form);
    const [day, text] = [String(given.get("day")), String(given.get("text"))];
    void change([...(marks ?? []), { day, text }]).then((isDone) => isDone && form.reset());
  };
  return (
    <details onToggle={(event) => event.currentTarget.open && marks === null && void read()}>
      <summary>Marks on the chart</summary>
      {marks !== null && (
        <div class="stack">
          <p class="hint">
            A release, a post, a fair: the chart shows it on its day. Scripts add them with{" "}
            <code>tallydeck mark</code>.
          </p>
          {marks.length > 0 && (
            <ul class="entries">
              {[...marks].reverse().map((mark) => (
                <li key={`${mark.day} ${mark.text}`} class="row">
                  <span>
                    <small>{mark.day}</small> <bdi>{mark.text}</bdi>
                  </span>
                  <span class="spacer" />
                  <button
                    type="button"
                    disabled={busy}
                    aria-label={`Remove ${mark.text}`}
                    onClick={() => void change(marks.filter((one) => one !== mark))}
                  >
                    Remove
                  </button>
                </li>
              ))}
            </ul>
          )}
          {marks.length < MARK_LIMITS.marks && (
            <form class="row" onSubmit={add}>
              <input type="date" name="day" required aria-label="Day" />
              <input
                name="text"
                required
                aria-label="What happened"
                placeholder="Released 2.0"
                autocomplete="off"
                maxLength={MARK_LIMITS.text}
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
