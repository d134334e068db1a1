import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import type { useAction } from "../use-action.ts";

interface EraseSiteProps {
  id: string;
  busy: boolean;
  /** reads the sites afterwards */
  run: ReturnType<typeof useAction>["run"];
  onErased?: () => void;
}

/** A button that erases a site with all its counts, after a question. */
export function EraseSite({ id, busy, run, onErased }: EraseSiteProps) {
  const erase = async () => {
    await ask("DELETE", `api/sites/${id}?confirm=${id}`);
    onErased?.();
  };
  return (
    <AskFirst
      label="Erase…"
      class="danger"
      disabled={busy}
      title={`Erase ${id}?`}
      text="All its counters, surveys and tokens are erased. This cannot be undone."
      yes="Erase"
      word={id}
      onYes={() => run(erase)}
    />
  );
}
