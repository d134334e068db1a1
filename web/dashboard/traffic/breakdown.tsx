import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../../shared/copy.ts";
import { NO_FIGURE, whole } from "../../shared/format.ts";
import { Help } from "../../shared/help.tsx";
import { pressable } from "../filters/where.ts";
import { type Breakdown, hiddenRows, shownRows, TOP } from "./breakdown-model.ts";
import { isDrawnApart } from "./dimensions.ts";
import { Rows, type RowTools } from "./rows.tsx";

const COPIED_MS = 1_600;

interface BreakdownCardProps {
  title: string;
  /** the dimensions of the card; more than one are tabs */
  breakdowns: Breakdown[];
  /** the one in front */
  front: Breakdown;
  isOpen: boolean;
  /** whether it has its rows; before, it has their room */
  isDrawn: boolean;
  /** where one is set, tabs say how many of their values match */
  filter: string;
  tools: Omit<RowTools, "copy" | "copied">;
  onToggle: () => void;
  onFront: (name: string) => void;
  /** stands beside the title */
  aside: ComponentChildren;
  /** stands above the rows */
  children: ComponentChildren;
}

/** A card: the values of the dimension in front with count and share. */
export function BreakdownCard({ title, breakdowns, front, isOpen, ...props }: BreakdownCardProps) {
  const [copied, copy] = useCopied();
  const id = `dimension-${front.name}`;
  const rows = shownRows(front, isOpen);
  const isList = !isDrawnApart(front.name);
  const isTabbed = breakdowns.length > 1;
  const panel = isTabbed ? ({ role: "tabpanel", "aria-labelledby": `${id}-tab` } as const) : {};
  return (
    <section
      class={`card dimension ${isOpen ? "long" : ""}`}
      data-dimension={front.name}
      aria-labelledby={id}
    >
      <header>
        <h2 id={id}>
          {title}
          {isTabbed && <span class="offscreen">: {front.title}</span>}
        </h2>
        <Help of="dashboard#lists" about={title} />
        {props.aside}
        {isList && (
          <span class="total">
            {front.counts} {rows.length === 0 ? NO_FIGURE : whole(front.total)}
          </span>
        )}
      </header>
      {isTabbed && <Tabs breakdowns={breakdowns} front={front} {...props} />}
      <div id={`${id}-values`} style={{ "--room": Math.min(TOP + 1, front.room) }} {...panel}>
        {props.children}
        {isList && rows.length === 0 && (
          <p class="hint">
            {pressable(front.name) ? "Nothing fits." : "What is counted here fits no filter."}
          </p>
        )}
        {props.isDrawn && rows.length > 0 && (
          <Rows
            key={front.name}
            dimension={front.name}
            counts={front.counts}
            filter={props.filter}
            rows={rows}
            {...props.tools}
            {...{ copied, copy }}
          />
        )}
        {front.inside > 0 && (
          <p class="hint">
            {whole(front.inside)} {front.counts.toLowerCase()} from pages of the site are left out.
          </p>
        )}
        {hiddenRows(front) > 0 && (
          <button type="button" class="quiet more" aria-expanded={isOpen} onClick={props.onToggle}>
            {isOpen ? `Show top ${TOP}` : `Show all ${whole(front.rows.length)}`}
          </button>
        )}
      </div>
      <span class="offscreen" role="status">
        {copied === null ? "" : "Copied"}
      </span>
    </section>
  );
}

/** The value copied last, for a moment, and how to copy one. */
function useCopied(): [string | null, (value: string) => void] {
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return [
    copied,
    async (value) => {
      if (await copyText(value)) setCopied(value);
    },
  ];
}

type TabsProps = Pick<BreakdownCardProps, "breakdowns" | "front" | "filter" | "onFront">;

/** The tabs of a card. They are one stop of the Tab key, and arrows go from tab to tab. */
function Tabs({ breakdowns, front, filter, onFront }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  // Only along the line: the page stays where it is.
  useLayoutEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (tab && list.current)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [front.name]);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = breakdowns.indexOf(front) + step + breakdowns.length;
    const next = breakdowns[at % breakdowns.length];
    if (!next) return;
    onFront(next.name);
    const tab = list.current?.children[breakdowns.indexOf(next)];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <div ref={list} role="tablist" class="card-tabs" aria-label="Dimension">
      {breakdowns.map((one) => (
        <button
          key={one.name}
          id={`dimension-${one.name}-tab`}
          type="button"
          role="tab"
          aria-selected={one === front}
          aria-controls={one === front ? `dimension-${one.name}-values` : undefined}
          tabIndex={one === front ? 0 : -1}
          onClick={() => onFront(one.name)}
          onKeyDown={press}
        >
          {one.tab}
          {filter !== "" && <small>{whole(one.rows.length)}</small>}
        </button>
      ))}
    </div>
  );
}
