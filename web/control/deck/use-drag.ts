import { useEffect, useRef, useState } from "preact/hooks";

/** A place that is being dragged. */
export interface Drag {
  from: string;
  /** The place below the pointer that would take it; empty for none. */
  over: string;
  copy: boolean;
  /** The pointer's place in the window. */
  x: number;
  y: number;
}

interface DragOptions {
  /** Whether one place can take the other's. */
  fits: (from: string, to: string) => boolean;
  onDrop: (from: string, to: string, copy: boolean) => void;
}

/** A mouse that moves less clicks. */
const CLICK_PX = 6;
/** A finger that stays so long drags; one that moves before scrolls. */
const HOLD_MS = 300;
const TREMBLE_PX = 10;

/** Lets pointers drag the places of a frame, each an element with `data-slot`, onto each other. */
export function useDrag(
  frame: { readonly current: HTMLElement | null },
  options: DragOptions,
): Drag | null {
  const [drag, setDrag] = useState<Drag | null>(null);
  const newest = useRef(options);
  newest.current = options;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    return listenForDrags(element, newest, setDrag);
  }, []);
  return drag;
}

/** @returns a function that ends it */
function listenForDrags(
  frame: HTMLElement,
  options: { readonly current: DragOptions },
  show: (drag: Drag | null) => void,
): () => void {
  let armed: { slot: string; x: number; y: number; isTouch: boolean } | undefined;
  let drag: Drag | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The click that follows a drop chooses nothing. */
  let isClickDue = false;

  const set = (next: Drag | null) => {
    drag = next;
    show(next);
  };
  const end = () => {
    clearTimeout(timer);
    armed = undefined;
    if (drag !== null) set(null);
  };
  const begin = (slot: string, x: number, y: number) =>
    set({ from: slot, over: "", copy: false, x, y });
  const down = (event: PointerEvent) => {
    end();
    isClickDue = false;
    const slot = placeOf(event.target);
    if (slot === "" || event.button !== 0 || !event.isPrimary) return;
    const { clientX: x, clientY: y } = event;
    const isTouch = event.pointerType === "touch";
    armed = { slot, x, y, isTouch };
    if (isTouch) timer = setTimeout(() => begin(slot, x, y), HOLD_MS);
  };
  const move = (event: PointerEvent) => {
    if (armed === undefined) return;
    const { clientX: x, clientY: y } = event;
    const way = Math.hypot(x - armed.x, y - armed.y);
    if (drag === null && armed.isTouch && way > TREMBLE_PX) return end();
    if (drag === null && !armed.isTouch && way > CLICK_PX) begin(armed.slot, armed.x, armed.y);
    if (drag === null) return;
    const below = placeOf(document.elementFromPoint(x, y));
    const fits = below !== "" && options.current.fits(drag.from, below);
    set({ ...drag, x, y, copy: event.altKey, over: fits ? below : "" });
  };
  const up = (event: PointerEvent) => {
    const done = drag;
    end();
    if (done === null) return;
    isClickDue = true;
    if (done.over !== "") options.current.onDrop(done.from, done.over, event.altKey);
  };
  const key = (event: KeyboardEvent) => {
    if (drag === null) return;
    if (event.key === "Escape") end();
    if (event.key === "Alt") set({ ...drag, copy: event.type === "keydown" });
  };
  const click = (event: MouseEvent) => {
    if (!isClickDue) return;
    isClickDue = false;
    event.stopPropagation();
    event.preventDefault();
  };
  const keepStill = (event: Event) => {
    if (drag !== null) event.preventDefault();
  };
  const stops = [
    on(frame, "pointerdown", down),
    on(frame, "click", click, { capture: true }),
    // A finger that drags does not scroll, nor call a menu.
    on(frame, "touchmove", keepStill, { passive: false }),
    on(frame, "contextmenu", keepStill),
    on(window, "pointermove", move),
    on(window, "pointerup", up),
    on(window, "pointercancel", end),
    on(window, "keydown", key),
    on(window, "keyup", key),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

function on<K extends keyof HTMLElementEventMap>(
  target: EventTarget,
  name: K,
  handle: (event: HTMLElementEventMap[K]) => void,
  options?: AddEventListenerOptions,
): () => void {
  const listener = handle as EventListener;
  target.addEventListener(name, listener, options);
  return () => target.removeEventListener(name, listener, options);
}

function placeOf(target: EventTarget | null): string {
  const place = target instanceof Element ? target.closest<HTMLElement>("[data-slot]") : null;
  return place?.dataset.slot ?? "";
}
