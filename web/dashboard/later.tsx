import type { ComponentChild, ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

/** A part of the page whose code is loaded after the first screen. */
interface Part<Code> {
  /** in a sentence, like `the map` */
  name: string;
  load: () => Promise<Code>;
}

const LOADED = new Map<Part<unknown>, unknown>();

/** Loads a part's code once. @throws where it does not come */
export async function load<Code>(part: Part<Code>): Promise<Code> {
  const code = LOADED.get(part) ?? (await Promise.all([part.load(), style()]))[0];
  LOADED.set(part, code);
  return code as Code;
}

let styled: Promise<unknown> | undefined;

/** Adds the style sheet of all these parts. */
function style(): Promise<unknown> {
  styled ??= new Promise((resolve, reject) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: "below.css", onload: resolve, onerror: reject });
    document.head.append(link);
  });
  return styled;
}

interface LaterProps<Code> {
  part: Part<Code>;
  /** stands in its place until it is there */
  waiting?: ComponentChildren;
  children: (code: Code) => ComponentChildren;
}

/** A part of the page whose code is loaded when it is first shown. */
export function Later<Code>(props: LaterProps<Code>) {
  // Another part in its place begins anew.
  return <OnePart key={props.part.name} {...props} />;
}

function OnePart<Code>({ part, waiting, children }: LaterProps<Code>) {
  const [code, setCode] = useState(() => LOADED.get(part) as Code | undefined);
  const [isLost, lose] = useState(false);
  useEffect(() => {
    if (!code) load(part).then(setCode, () => lose(true));
  }, []);
  if (code) return <>{children(code)}</>;
  if (!isLost) return <>{waiting ?? <p role="status">Loading {part.name}…</p>}</>;
  return <p role="alert">Loading {part.name} failed. Check the connection and reload the page.</p>;
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

/** A part that is made again only when something it shows has changed: typing redraws no chart. */
export function usePart<Props extends object>(
  Part: (props: Props) => ComponentChild,
  props: Props,
  isDrawn = true,
) {
  const shown = Object.values(props).filter((one) => typeof one !== "function");
  return useMemo(() => isDrawn && <Part {...props} />, [isDrawn, ...shown]);
}
