import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shared/dialog.tsx";
import { Form, Input, VERBATIM } from "./parts.tsx";

interface ConfirmProps {
  title: string;
  text: string;
  yes: string;
  /** has to be typed first, where much is lost */
  word?: string | undefined;
  onYes: () => unknown;
  onClose: () => void;
}

/** A dialog before an action that cannot be undone. */
export function Confirm({ title, text, yes, word, onYes, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const submit = () => {
    onClose();
    onYes();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={submit}>
        <p>{text}</p>
        {word !== undefined && (
          <Input
            label={
              <>
                Type <code>{word}</code> to go on
              </>
            }
            {...VERBATIM}
            value={typed}
            onText={setTyped}
          />
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
      </Form>
    </Dialog>
  );
}

interface AskFirstProps extends Omit<ConfirmProps, "onClose"> {
  label: ComponentChildren;
  class?: string;
  "aria-label"?: string;
  disabled: boolean;
  /** without, it is done at once */
  asks?: boolean;
}

/** A button whose action a dialog asks about first. */
export function AskFirst({
  label,
  asks = true,
  title,
  text,
  yes,
  word,
  onYes,
  ...at
}: AskFirstProps) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button type="button" {...at} onClick={() => (asks ? setAsked(true) : onYes())}>
        {label}
      </button>
      {isAsked && (
        <Confirm {...{ title, text, yes, word, onYes }} onClose={() => setAsked(false)} />
      )}
    </>
  );
}
