import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The part that is not on the first screen: the lists, the content of menus and of what keys open. A page needs all of it soon. */
export const REST = { name: "the rest of the page", load: () => import("./below.tsx") };

interface MenuProps {
  /** the text or sign on the button */
  label: ComponentChildren;
  /** the button's name where its label alone does not say it */
  name?: string;
  class?: string;
  buttonClass?: string;
  onOpen?: () => void;
  /** the content; `close` also gives the focus back to the button */
  children: (close: () => void) => ComponentChildren;
}

/** A button with a panel below it, which closes on Escape and on a press or a focus outside. */
export function Menu({ label, name, onOpen, children, ...classes }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    document.addEventListener("focusin", leave);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("focusin", leave);
    };
  }, [isOpen]);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    close();
  };
  const toggle = () => {
    if (!isOpen) onOpen?.();
    setOpen(!isOpen);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only Escape, from any element inside
    <div ref={root} class={`menu ${classes.class ?? ""}`} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        class={classes.buttonClass}
        aria-label={name}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {label}
      </button>
      {isOpen && <div class="menu-body">{children(close)}</div>}
    </div>
  );
}
