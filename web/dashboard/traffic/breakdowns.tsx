import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { rangeName } from "../../shared/dates.ts";
import type { DayRange, History } from "../history.ts";
import { FILTER_ID } from "../keys.ts";
import type { ChangeView } from "../use-view.ts";
import type { View } from "../view.ts";
import { ZoneDialog } from "../zone/zone-dialog.tsx";
import { BreakdownCard } from "./breakdown.tsx";
import { type Breakdown, breakdownsOf, filtered } from "./breakdown-model.ts";

interface BreakdownsProps {
  history: History;
  range: DayRange;
  filter: string;
  layout: View["layout"];
  open: string[];
  change: ChangeView;
}

export function Breakdowns({ history, range, filter, layout, open, change }: BreakdownsProps) {
  const all = useMemo(() => breakdownsOf(history, range), [history, range]);
  const shown = useMemo(() => filtered(all, filter), [all, filter]);
  const [offset, setOffset] = useState<string | null>(null);
  const toggle = (name: string) =>
    change({
      open: open.includes(name) ? open.filter((other) => other !== name) : [...open, name],
    });
  return (
    <section aria-label="Breakdowns" class="breakdowns">
      <div class="filter-row">
        <Filter text={filter} onChange={(text) => change({ filter: text }, "typing")} />
        <fieldset class="segments">
          <legend class="offscreen">View</legend>
          {(["cards", "bars"] as const).map((id) => (
            <button
              key={id}
              type="button"
              aria-pressed={layout === id}
              onClick={() => change({ layout: id })}
            >
              {id === "cards" ? "Cards" : "Bars"}
            </button>
          ))}
        </fieldset>
      </div>
      {shown.length === 0 && (
        <p class="hint" role="status">
          {filter.trim() === ""
            ? `Nothing was counted from ${rangeName(range.from, range.to)}.`
            : `No value holds “${filter.trim()}” in these days.`}
        </p>
      )}
      {groupsOf(shown).map(([group, list]) => (
        <section key={group} class={`group ${layout}`} aria-label={group}>
          <h2>{group}</h2>
          <div class="group-body">
            {list.map((breakdown) => (
              <BreakdownCard
                key={breakdown.name}
                breakdown={breakdown}
                isOpen={open.includes(breakdown.name)}
                onToggle={() => toggle(breakdown.name)}
                onChoose={breakdown.name === "app_tz_offset" ? setOffset : null}
              />
            ))}
          </div>
        </section>
      ))}
      {offset !== null && <ZoneDialog offset={offset} onClose={() => setOffset(null)} />}
    </section>
  );
}

function groupsOf(breakdowns: Breakdown[]): [string, Breakdown[]][] {
  const groups = new Map<string, Breakdown[]>();
  for (const breakdown of breakdowns) {
    const list = groups.get(breakdown.group) ?? [];
    list.push(breakdown);
    groups.set(breakdown.group, list);
  }
  return [...groups];
}

/**
 * The field keeps what is typed by itself and the breakdowns follow once a frame, so that no key
 * is lost however long drawing takes.
 */
function Filter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
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
