import { useState } from "preact/hooks";
import { ask } from "../../api.ts";
import { useAction } from "../../use-action.ts";

/** A draft of settings that are saved by `PUT`; what is not edited stays as it is. */
export function useSettings<Change extends object, Answer>(
  path: string,
  onSaved: (answer: Answer) => void,
) {
  const { busy, problem, run } = useAction();
  const [draft, setDraft] = useState<Partial<Change>>({});
  const [done, setDone] = useState("");
  return {
    busy,
    problem,
    done,
    draft,
    isChanged: Object.keys(draft).length > 0,
    edit(change: Partial<Change>): void {
      setDone("");
      setDraft({ ...draft, ...change });
    },
    save(change: Partial<Change>): Promise<boolean> {
      return run(async () => {
        onSaved(await ask<Answer>("PUT", path, change));
        setDraft({});
        setDone("Saved.");
      });
    },
  };
}
