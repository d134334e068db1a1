import { useEffect, useState } from "preact/hooks";
import { ask } from "./api.ts";

/** The answer, undefined at first, and a function that replaces it by an answer from elsewhere. */
export type Polled<T> = [T | undefined, (answer: T) => void];

/**
 * Polls a path of the box while the page is visible.
 * @param pause milliseconds, which may depend on the last answer
 */
export function usePolled<T>(
  path: string,
  pause: number | ((answer: T | undefined) => number),
): Polled<T> {
  const [answer, setAnswer] = useState<T>();
  const everyMs = typeof pause === "number" ? pause : pause(answer);
  useEffect(() => {
    const read = () => {
      if (document.visibilityState !== "visible") return;
      // The answer on the page stays there; the page says itself that the box does not answer.
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
