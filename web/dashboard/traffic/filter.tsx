import { useLayoutEffect, useRef } from "preact/hooks";
import { FILTER_ID } from "../keys.ts";

/**
 * The field keeps what is typed by itself and the breakdowns follow once a frame, so that no key
 * is lost however long drawing takes.
 */
export function Filter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const frame = useRef(0);
  const told = useRef(text);
  // Before anything more can be typed: an effect after painting would take back the newest key.
  useLayoutEffect(() => {
    if (input.current && text !== told.current) input.current.value = text;
    told.current = text;
  }, [text]);
  const follow = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      told.current = input.current?.value ?? "";
      onChange(told.current);
    });
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !input.current) return;
    if (input.current.value === "") input.current.blur();
    input.current.value = "";
    follow();
  };
  return (
    <label class="filter">
      <span class="offscreen">Filter</span>
      <input
        ref={input}
        id={FILTER_ID}
        type="search"
        placeholder="Filter all values"
        title="Key: /"
        spellcheck={false}
        defaultValue={text}
        onInput={follow}
        onKeyDown={leave}
      />
    </label>
  );
}
