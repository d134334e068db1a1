import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { formatView, parseView, type View } from "./view.ts";

/**
 * Changes a view. Each change is a step of the browser's history, but for `typing` and for a
 * `correction`, which replace the step they are in.
 */
export type ChangeView = (change: Partial<View>, how?: "typing" | "correction") => void;

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const TYPING_PAUSE_MS = 300;

/** The view in the address: read at start and on back and forward, written on every change. */
export function useView(): [View, ChangeView] {
  const [view, setView] = useState(() => parseView(location.search));
  const latest = useRef(view);
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);

  const change = useCallback<ChangeView>((part, how) => {
    latest.current = { ...latest.current, ...part };
    setView(latest.current);
    clearTimeout(typing.current);
    if (how === "typing") {
      typing.current = setTimeout(() => write("replaceState", latest.current), TYPING_PAUSE_MS);
    } else {
      write(how === "correction" ? "replaceState" : "pushState", latest.current);
    }
  }, []);

  useEffect(() => {
    // An address typed by hand or from an older page is brought to its present form.
    write("replaceState", latest.current);
    const read = () => {
      clearTimeout(typing.current);
      latest.current = parseView(location.search);
      setView(latest.current);
    };
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);

  return [view, change];
}

function write(how: "pushState" | "replaceState", view: View): void {
  const address = location.pathname + formatView(view);
  if (address !== location.pathname + location.search) history[how](null, "", address);
  else if (location.hash !== "") history.replaceState(null, "", address);
}
