import { useEffect, useState } from "preact/hooks";

/** The width of a phone, as in the style sheets. */
export const NARROW = "(max-width: 640px)";

/** Whether a media query holds, told again when that changes. */
export function useMedia(query: string): boolean {
  const [holds, set] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const tell = () => set(list.matches);
    list.addEventListener("change", tell);
    return () => list.removeEventListener("change", tell);
  }, [query]);
  return holds;
}
