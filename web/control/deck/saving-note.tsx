import type { Saving } from "./use-draft.ts";

/** A note about whether the input is stored. */
export function SavingNote({ saving }: { saving: Saving }) {
  switch (saving.state) {
    case "saved":
      return (
        <p class="saving" role="status">
          Saved
        </p>
      );
    case "saving":
      return (
        <p class="saving" role="status">
          Saving…
        </p>
      );
    case "lacking":
      return (
        <p class="saving" role="status">
          {saving.message}
        </p>
      );
    case "refused":
      return (
        <p class="saving bad" role="alert">
          {saving.message}
        </p>
      );
  }
}
