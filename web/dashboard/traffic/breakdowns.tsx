import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { DEPTHS } from "../../../appliance/base/reading.ts";
import { rangeName } from "../../shared/dates.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { isAsked, pressable, toggled } from "../filters/where.ts";
import { Heatmap } from "../heatmap/heatmap.tsx";
import { spellingsOf } from "../history.ts";
import { SEARCH_ID } from "../keys/keys.ts";
import { Later, useSteps } from "../later.tsx";
import type { View } from "../view.ts";
import { goalUrlOf, mergeUrlOf } from "../web-ui/goal-url.ts";
import { BreakdownCard } from "./breakdown.tsx";
import {
  type Breakdown,
  breakdownsOf,
  filtered,
  type Group,
  groupsOf,
  inColumns,
  leftOutText,
  originOf,
} from "./breakdown-model.ts";
import { HOURS_OF_WEEK, READ_PAGES } from "./dimensions.ts";
import { comparable } from "./hosts.ts";
import { ReadPages } from "./read-pages.tsx";
import type { Shown } from "./shown.ts";
import type { Star } from "./use-stars.ts";

const MAP = { name: "the map", load: () => import("../zone/map.tsx") };

type BreakdownsProps = Pick<
  Shown,
  "history" | "range" | "token" | "where" | "stars" | "now" | "change" | "toggleStar"
> &
  Pick<View, "filter" | "layout" | "open" | "front"> & {
    /** the figure that the hours of the week are of */
    heated: Shown["metric"];
    /** the address of the Web UI, for its owner */
    webUi: string | null;
  };

export function Breakdowns(props: BreakdownsProps) {
  const { history, range, filter, layout, change } = props;
  const all = useMemo(() => breakdownsOf(history, range), [history, range]);
  const shown = useMemo(() => filtered(all, filter), [all, filter]);
  const groups = useMemo(() => groupsOf(shown), [shown]);
  const origin = useMemo(() => originOf(all), [all]);
  const leftOut = useMemo(() => leftOutText(history, range), [history, range]);
  const [offset, setOffset] = useState<string | null>(null);
  // The state is here, since a card is created again when it moves to another column.
  const [isMapOpen, openMap] = useState(false);
  const [body, count] = useColumnCount();
  const one = (breakdown: Breakdown) => ({ name: breakdown.name, breakdowns: [breakdown] });
  // One dimension under the other in bars, each with its own name.
  const cards = layout === "cards" ? groups : shown.map(one);
  const drawn = useSteps(cards.length);
  const card = (group: Group) => (
    <GroupCard
      key={group.name}
      {...props}
      {...{ group, origin, setOffset, isMapOpen, openMap }}
      isDrawn={cards.indexOf(group) < drawn}
    />
  );
  return (
    <section aria-label="Breakdowns" class={`breakdowns ${layout}`}>
      <div class="search-row">
        <Search text={filter} onChange={(text) => change({ filter: text }, "typing")} />
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
            ? `Nothing ${history.where.length > 0 ? "that fits " : ""}was counted from ${rangeName(range.from, range.to)}.`
            : `No value holds “${filter.trim()}” in these days.`}
        </p>
      )}
      <div ref={body} class="columns">
        {layout === "cards"
          ? inColumns(groups, count).map((column, i) => (
              <div class="column" key={i}>
                {column.map(card)}
              </div>
            ))
          : cards.map(card)}
      </div>
      {leftOut !== null && <p class="hint left-out">{leftOut}</p>}
      {offset !== null && <ZoneDialog offset={offset} onClose={() => setOffset(null)} />}
    </section>
  );
}

type GroupCardProps = BreakdownsProps & {
  group: Group;
  origin: string | null;
  setOffset: (offset: string) => void;
  isMapOpen: boolean;
  openMap: (isOpen: boolean) => void;
  isDrawn: boolean;
};

function GroupCard({ group, origin, setOffset, ...props }: GroupCardProps) {
  const { history, range, where, stars, open, front, filter, heated, now } = props;
  const { webUi, token, isMapOpen, openMap, isDrawn, change, toggleStar } = props;
  const { breakdowns } = group;
  const shown = breakdowns.find(({ name }) => front.includes(name)) ?? breakdowns[0];
  if (!shown) return null;
  const dimension = shown.name;
  const isOpen = open.includes(dimension);
  const others = front.filter((name) => breakdowns.every((one) => one.name !== name));
  const isMapped = dimension === "country" && isMapOpen;
  const tools = {
    origin,
    pressed: new Set(
      where
        .filter((one) => isAsked(one, dimension, one.value))
        .map(({ value }) => comparable(dimension, value)),
    ),
    starred: new Set(stars.filter(of(dimension)).map(({ value }) => value)),
    ask: pressable(dimension)
      ? (value: string) =>
          change({
            where: toggled(
              ...([where, dimension, value] as const),
              dimension === "depth"
                ? DEPTHS.slice(DEPTHS.indexOf(value))
                : spellingsOf(history, dimension, value),
            ),
          })
      : null,
    star: (value: string) => toggleStar({ dimension, value }),
    goalUrl: goalUrlOf(webUi, history.site, dimension),
    mergeUrl: mergeUrlOf(webUi, history.site, dimension),
    choose: dimension === "app_tz_offset" ? setOffset : null,
  };
  return (
    <BreakdownCard
      title={breakdowns.length > 1 ? group.name : shown.title}
      breakdowns={breakdowns}
      front={shown}
      isOpen={isOpen}
      isDrawn={isDrawn}
      filter={filter.trim()}
      tools={tools}
      aside={
        dimension === "country" && (
          <button
            type="button"
            class="quiet map-switch"
            aria-expanded={isMapOpen}
            onClick={() => openMap(!isMapOpen)}
          >
            Map
          </button>
        )
      }
      onToggle={() =>
        change({ open: isOpen ? open.filter((name) => name !== dimension) : [...open, dimension] })
      }
      onFront={(name) =>
        change({ front: name === breakdowns[0]?.name ? others : [...others, name] })
      }
    >
      {isMapped && (
        <Later part={MAP}>
          {({ CountryMap }) => <CountryMap rows={shown.rows} ask={(value) => tools.ask?.(value)} />}
        </Later>
      )}
      {dimension === READ_PAGES && isDrawn && (
        <ReadPages
          {...{ history, range, token, origin }}
          ask={(value) => change({ where: toggled(where, "path", value) })}
        />
      )}
      {dimension === HOURS_OF_WEEK && isDrawn && (
        <Heatmap history={history} range={range} metric={heated} now={now} />
      )}
    </BreakdownCard>
  );
}

interface ZoneDialogProps {
  offset: string;
  onClose: () => void;
}

function ZoneDialog({ offset, onClose }: ZoneDialogProps) {
  const [now] = useState(Date.now);
  return (
    <Dialog title={`App time zone offset ${offset}`} class="zone-dialog" onClose={onClose}>
      <Later part={MAP}>{({ ZoneMap }) => <ZoneMap {...{ offset, now }} />}</Later>
    </Dialog>
  );
}

const of = (dimension: string) => (one: Star) => one.dimension === dimension;

const COLUMN_PX = 340;
const MAX_COLUMNS = 4;

/** The page's padding. */
const BESIDE_PX = 40;

const columnsIn = (width: number) =>
  Math.max(1, Math.min(MAX_COLUMNS, Math.floor(width / COLUMN_PX)));

/**
 * The number of columns, with a ref for measuring. It starts with an estimate by the window, which is nearly always right:
 * otherwise every card would be created twice.
 */
function useColumnCount() {
  const body = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(() => columnsIn(document.body.clientWidth - BESIDE_PX));
  useLayoutEffect(() => {
    const read = () => setCount(columnsIn(body.current?.clientWidth ?? 0));
    read();
    const observer = new ResizeObserver(read);
    if (body.current) observer.observe(body.current);
    return () => observer.disconnect();
  }, []);
  return [body, count] as const;
}

/**
 * The search field. It keeps its own text, and breakdowns follow once a frame, so that slow rendering loses no key.
 */
function Search({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const frame = useRef(0);
  const told = useRef(text);
  // A layout effect runs before more can be typed: one after painting would take back the newest key.
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
    <label class="search">
      <span class="offscreen">Search the lists</span>
      <input
        ref={input}
        id={SEARCH_ID}
        type="search"
        placeholder="Search all values"
        title="Key: /"
        spellcheck={false}
        defaultValue={text}
        onInput={follow}
        onKeyDown={leave}
      />
    </label>
  );
}
