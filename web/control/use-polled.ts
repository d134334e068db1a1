import { useEffect, useState } from "preact/hooks";
import { ask } from "./api.ts";

/**
 * What the box answers at a path, again and again while somebody looks; undefined until it has
 * answered. The second shows an answer that came another way.
 */
export function usePolled<T>(path: string, everyMs: number): [T | undefined, (answer: T) => void] {
  const [answer, setAnswer] = useState<T>();
  useEffect(() => {
    const read = () => {
      if (document.visibilityState !== "visible") return;
      // What is on the page stays there; the page says itself that the box does not answer.
      ask<T>("GET", path).then(setAnswer, () => {});
    };
    read();
    const timer = setInterval(read, everyMs);
    document.addEventListener("visibilitychange", read);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", read);
    };
  }, [path, everyMs]);
  return [answer, setAnswer];
}
