import { useEffect, useState } from "preact/hooks";
import { copyText } from "./copy.ts";

interface CopyButtonProps {
  text: string;
  /** the name of the copied text, for people who cannot see the place of the button */
  label: string;
}

type State = "ready" | "copied" | "failed";

const WORDS: Record<State, string> = { ready: "Copy", copied: "Copied", failed: "Select and copy" };
const SHOWN_MS = 1_600;

/** Copies a text and says for a moment that it did, or that this browser does not let pages copy. */
function CopyButton({ text, label }: CopyButtonProps) {
  const [state, setState] = useState<State>("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(text)) ? "copied" : "failed");
  return (
    <button type="button" class={`copy ${state}`} onClick={copy}>
      <span aria-hidden="true">{WORDS[state]}</span>
      <span class="offscreen" role="status">
        {state === "ready" ? "" : WORDS[state]}
      </span>
      <span class="offscreen">Copy {label}</span>
    </button>
  );
}

/** A text to copy, whole and selectable, with its button. */
export function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div class="snippet">
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
