import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog: Escape, the cross and a click beside it close it; the focus then goes back. */
export function Dialog({ title, class: className = "", onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    const back = document.activeElement;
    shown?.showModal();
    return () => {
      // Escape has closed it and given the focus back before; by now it may be elsewhere.
      if (shown?.open && back instanceof HTMLElement) back.focus();
    };
  }, []);
  const closeBeside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    // The keyboard closes it with Escape, which the browser answers by itself.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <dialog
      ref={dialog}
      class={className}
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={closeBeside}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
