import { ask } from "../api.ts";
import { Confirm } from "../confirm.tsx";
import { useShell } from "../context.ts";
import type { useAction } from "../use-action.ts";

interface EraseQuestionProps {
  /** of the site */
  id: string;
  run: ReturnType<typeof useAction>["run"];
  onClose: () => void;
}

/** A dialog before a site is erased with all its counts. */
export function EraseQuestion({ id, run, onClose }: EraseQuestionProps) {
  const { actions } = useShell();
  const erase = () =>
    run(async () => {
      await ask("DELETE", `api/sites/${id}?confirm=${id}`);
      await actions.readSites();
    });
  return (
    <Confirm
      title={`Erase ${id}?`}
      text="All its counters, surveys and tokens are erased. This cannot be undone."
      yes="Erase"
      word={id}
      onYes={erase}
      onClose={onClose}
    />
  );
}
