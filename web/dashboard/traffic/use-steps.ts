import { useEffect, useState } from "preact/hooks";

/**
 * The number of parts that are drawn, up to `length`: one more after each frame, since all of them at once would block the
 * page. No part waits until it is scrolled to, so printing and searching the page find them all.
 */
export function useSteps(length: number): number {
  const [drawn, setDrawn] = useState(0);
  useEffect(() => {
    if (drawn < length) setDrawn(drawn + 1);
  }, [drawn, length]);
  return drawn;
}
