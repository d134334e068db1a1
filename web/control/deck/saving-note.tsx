import type { Saving } from "./use-draft.ts";

/** A note about whether the input is stored. */
export function SavingNote({ saving }: { saving: Saving }) {
  const isBad = saving.state === "refused";
  return (
    <p class={isBad ? "saving bad" : "saving"} role={isBad ? "alert" : "status"}>
      {"message" in saving ? saving.message : WORDS[saving.state]}
    </p>
  );
}

const WORDS = { saved: "Saved", saving: "Saving…" } as const;
