import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { formatView, parseView, type View } from "./view.ts";

/** Changes the view, as a step of the browser's history. */
export type ChangeView = (change: Partial<View>) => void;

/** The view in the address: read at start and on back and forward, written on every change. */
export function useView(): [View, ChangeView] {
  const [view, setView] = useState(() => parseView(location.search));
  const latest = useRef(view);

  const change = useCallback<ChangeView>((part) => {
    latest.current = { ...latest.current, draft: null, ...part };
    setView(latest.current);
    const address = location.pathname + formatView(latest.current);
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
  }, []);

  useEffect(() => {
    const read = () => {
      latest.current = parseView(location.search);
      setView(latest.current);
    };
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);

  return [view, change];
}
