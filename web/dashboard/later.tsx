import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

interface LaterProps<Loaded> {
  /** the name of the part in a sentence, like `the map` */
  name: string;
  load: () => Promise<Loaded>;
  children: (loaded: Loaded) => ComponentChildren;
}

/** A part of the page whose code is loaded when it is first shown, since most visits never see it. */
export function Later<Loaded>({ name, load, children }: LaterProps<Loaded>) {
  const [loaded, setLoaded] = useState<Loaded | "loading" | "failed">("loading");
  useEffect(() => {
    load().then(setLoaded, () => setLoaded("failed"));
  }, []);
  if (loaded === "loading") return <p role="status">Loading {name}…</p>;
  if (loaded === "failed")
    return <p role="alert">Loading {name} failed. Check the connection and open it again.</p>;
  return <>{children(loaded)}</>;
}

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
