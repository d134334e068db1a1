import { useId, useState } from "preact/hooks";
import { Dialog } from "../shared/dialog.tsx";

interface ConfirmProps {
  title: string;
  text: string;
  yes: string;
  /** has to be typed first, where much is lost */
  word?: string;
  onYes: () => void;
  onClose: () => void;
}

/** A dialog before an action that cannot be undone. */
export function Confirm({ title, text, yes, word, onYes, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const id = useId();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onClose();
    onYes();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{text}</p>
        {word !== undefined && (
          <div class="field">
            <label htmlFor={id}>
              Type <code>{word}</code> to go on
            </label>
            <input
              id={id}
              value={typed}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </div>
        )}
        <div class="actions">
          <button
            type="submit"
            class="danger"
            disabled={word !== undefined && typed.trim() !== word}
          >
            {yes}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
