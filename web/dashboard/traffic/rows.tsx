import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { OTHER } from "../../../appliance/base/names.ts";
import { percent } from "../../shared/format.ts";
import type { Row } from "./breakdown-model.ts";
import { isOfHosts } from "./hosts.ts";
import { SourceMark } from "./source-mark.tsx";
import { Figure } from "./tiles.tsx";
import { isCode, linkOf } from "./values.ts";

/** Rows that are rendered at a time; two thousand at once would block the page. */
const CHUNK = 50;

/** The actions that a row offers, and which of them were taken. */
export interface RowTools {
  /** the address that paths are below */
  origin: string | null;
  /** the address where a value becomes a goal; null for lists without goals, and for who cannot set any */
  goalUrl: ((value: string) => string | null) | null;
  /** the same for where it is made one with another */
  mergeUrl: ((value: string) => string | null) | null;
  /** the values of the page's filters */
  pressed: Set<string>;
  starred: Set<string>;
  copied: string | null;
  /** filters by a value; null for a dimension without filters */
  ask: ((value: string) => void) | null;
  star: (value: string) => void;
  copy: (value: string) => void;
  /** the effect of choosing a row, instead of asking for it */
  choose: ((value: string) => void) | null;
}

/** The state that the rows of one list share. */
interface Latest extends RowTools {
  isLong: boolean;
  /** the row of a long list that the pointer or the focus is at */
  at: string | null;
  enter: (value: string) => void;
}

interface RowsProps extends RowTools {
  dimension: string;
  /** the name of what is counted */
  counts: string;
  rows: Row[];
  filter: string;
}

/** Renders the first rows at once, and more with each frame. */
export function Rows({ dimension, counts, rows, filter, ...tools }: RowsProps) {
  const made = useMade(rows.length);
  const list = useRef<HTMLDivElement>(null);
  const filtered = useRef(filter);
  useLayoutEffect(() => {
    // A new list is at its top; scrolling there would make the browser lay out the page for each of them.
    if (filtered.current !== filter) list.current?.scrollTo(0, 0);
    filtered.current = filter;
  }, [filter]);
  const held = useRef<Row[][]>([]);
  const chunks = useMemo(() => {
    held.current = inChunks(rows.slice(0, made), held.current);
    return held.current;
  }, [rows, made]);
  const most = useMemo(() => Math.max(...rows.map(({ share }) => share)), [rows]);
  const [entered, enter] = useState<string | null>(null);
  // The buttons of two thousand rows are most of their weight: there a row has them when needed.
  const isLong = rows.length > CHUNK;
  // One stop of the Tab key: the row that had the focus last, or the first one.
  useLayoutEffect(() => {
    const found = list.current?.querySelector<HTMLElement>(FOCUSABLE);
    if (found && !list.current?.querySelector('[tabindex="0"]')) found.tabIndex = 0;
  });
  const now: Latest = { ...tools, isLong, at: isLong ? entered : null, enter };
  const latest = useRef(now);
  latest.current = now;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows, from whatever is inside
    <div ref={list} class="rows" onKeyDown={move} onFocusIn={stopHere}>
      <table>
        <thead class="offscreen">
          <tr>
            <th scope="col">Value</th>
            <th scope="col">{counts}</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        {chunks.map(
          (chunk, i) =>
            chunk.length > 0 && (
              <Chunk
                // A chunk is a position in the list, with changing rows.
                key={i}
                {...{ dimension, most, latest }}
                rows={chunk}
                marks={chunk.map(({ value }) => markOf(value, now)).join()}
              />
            ),
        )}
      </table>
    </div>
  );
}

/** The number of rows rendered so far; a longer list begins again with the first ones. */
function useMade(length: number): number {
  const [{ made, of }, setMade] = useState({ made: CHUNK, of: length });
  const now = length > of ? CHUNK : made;
  if (length !== of) setMade({ made: now, of: length });
  useEffect(() => {
    if (now >= length) return;
    const frame = requestAnimationFrame(() => setMade({ made: now + CHUNK, of: length }));
    return () => cancelAnimationFrame(frame);
  }, [now, length]);
  return now;
}

/**
 * The rows by their places in the whole list, so that a filter takes rows away and moves none. A
 * chunk that is as it was is the same array.
 */
function inChunks(rows: Row[], held: Row[][]): Row[][] {
  const chunks: Row[][] = [];
  for (const row of rows) {
    const at = Math.floor(row.place / CHUNK);
    while (chunks.length <= at) chunks.push([]);
    chunks[at]?.push(row);
  }
  return chunks.map((chunk, i) => {
    const before = held[i];
    const isSame =
      before?.length === chunk.length && chunk.every((row, place) => row === before[place]);
    return isSame ? before : chunk;
  });
}

/** The part of a row's look that changes without its figures. */
function markOf(value: string, { pressed, starred, copied, at }: Latest): string {
  return `${at === value ? "a" : ""}${pressed.has(value) ? "p" : ""}${starred.has(value) ? "s" : ""}${copied === value ? "c" : ""}`;
}

const FOCUSABLE = ":is(a, button)";

/** Moves the focus by arrows: from row to row, and along the buttons of a row. */
function move(event: KeyboardEvent): void {
  const { currentTarget: list, target, key } = event;
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[key];
  const row = target instanceof Element && target.closest("tr");
  if (!(list instanceof Element) || step === undefined || !row) return;
  event.preventDefault();
  event.stopPropagation();
  const isAlong = key === "ArrowLeft" || key === "ArrowRight";
  const all: Element[] = [
    ...(isAlong ? row : list).querySelectorAll(isAlong ? FOCUSABLE : "tbody tr"),
  ];
  const next = all[all.indexOf(isAlong ? target : row) + step];
  const found = isAlong ? next : next?.querySelector(FOCUSABLE);
  if (found instanceof HTMLElement) found.focus();
}

/** Makes what has the focus the list's one stop of the Tab key. */
function stopHere({ currentTarget: list, target }: FocusEvent): void {
  if (!(list instanceof Element && target instanceof HTMLElement)) return;
  for (const one of list.querySelectorAll<HTMLElement>('[tabindex="0"]')) one.tabIndex = -1;
  target.tabIndex = 0;
}

interface ChunkProps {
  dimension: string;
  rows: Row[];
  most: number;
  marks: string;
  latest: { current: Latest };
}

/** Some rows, drawn again only when one of them changed. */
function Chunk({ dimension, rows, most, marks, latest }: ChunkProps) {
  const { origin, goalUrl, mergeUrl } = latest.current;
  const drawn = useMemo(
    () => rows.map((row) => <RowLine key={row.value} {...{ dimension, row, most, latest }} />),
    [dimension, rows, most, marks, origin, goalUrl === null, mergeUrl === null],
  );
  return <tbody>{drawn}</tbody>;
}

interface RowProps {
  dimension: string;
  row: Row;
  most: number;
  latest: { current: Latest };
}

function RowLine({ dimension, row, most, latest }: RowProps) {
  const { value } = row;
  const { pressed, starred, isLong, at, enter } = latest.current;
  const isPressed = pressed.has(value);
  const isStarred = starred.has(value);
  const look = isPressed ? "pressed" : "";
  return (
    <tr
      class={isStarred ? `${look} starred` : look}
      style={{ "--bar": row.share / most }}
      onPointerEnter={isLong ? () => enter(value) : undefined}
      onFocusIn={isLong ? () => enter(value) : undefined}
    >
      <th scope="row">
        <RowValue {...{ dimension, row, latest }} isPressed={isPressed} />
        {(!isLong || at === value) && <RowButtons {...{ dimension, value, latest }} />}
      </th>
      <td class="count">{row.texts?.[0] ?? <Figure metric="pv" value={row.count} />}</td>
      <td class="share">{row.texts?.[1] ?? percent(row.share)}</td>
    </tr>
  );
}

interface RowButtonsProps extends Pick<RowProps, "dimension" | "latest"> {
  value: string;
}

function RowButtons({ dimension, value, latest }: RowButtonsProps) {
  const { starred, copied, origin } = latest.current;
  const link = linkOf(dimension, value, origin);
  const goal = latest.current.goalUrl?.(value);
  const merge = latest.current.mergeUrl?.(value);
  const isStarred = starred.has(value);
  return (
    <span class="row-tools">
      {link !== null && (
        <a
          class="quiet"
          tabIndex={-1}
          href={link}
          target="_blank"
          rel="noreferrer noopener"
          aria-label={`Open ${value}`}
          title={link}
        >
          ↗
        </a>
      )}
      <button
        type="button"
        class="quiet star"
        tabIndex={-1}
        aria-pressed={isStarred}
        aria-label={`Star ${value}`}
        title={isStarred ? "Take the tile away" : "Make it a tile"}
        onClick={() => latest.current.star(value)}
      >
        {isStarred ? "★" : "☆"}
      </button>
      {goal && (
        <a
          class="quiet"
          tabIndex={-1}
          href={goal}
          aria-label={`Make ${value} a goal`}
          title="Make this a goal"
        >
          ◎
        </a>
      )}
      {merge && (
        <a
          class="quiet"
          tabIndex={-1}
          href={merge}
          aria-label={`Make ${value} one with another`}
          title="Make it one with another value"
        >
          ⇢
        </a>
      )}
      <button
        type="button"
        class="quiet copy-value"
        tabIndex={-1}
        aria-label={`Copy ${value}`}
        onClick={() => latest.current.copy(value)}
      >
        {copied === value ? "✓" : "Copy"}
      </button>
    </span>
  );
}

interface RowValueProps extends Pick<RowProps, "dimension" | "row" | "latest"> {
  isPressed: boolean;
}

/** A value as text. Pressing it filters by it, where that is possible. */
function RowValue({ dimension, row: { value, name }, latest, isPressed }: RowValueProps) {
  const { choose, ask } = latest.current;
  const isChoice = choose === null;
  const text = (
    <>
      {isOfHosts(dimension) && <SourceMark of={value} />}
      {name ?? value}
      {name !== null && isCode(dimension) && <small> {value}</small>}
    </>
  );
  if ((isChoice && ask === null) || value === OTHER)
    return (
      <span class="value" dir="auto" title={value}>
        {text}
      </span>
    );
  return (
    <button
      type="button"
      class="value"
      tabIndex={-1}
      // The part that is cut off is then the end of it, also in scripts that run from right to
      // left.
      dir="auto"
      title={isChoice ? value : "Show on the map"}
      aria-pressed={isChoice ? isPressed : undefined}
      onClick={({ currentTarget }) => {
        // Safari gives buttons no focus: the row with it is kept on the screen.
        currentTarget.focus();
        (latest.current.choose ?? latest.current.ask)?.(value);
      }}
    >
      {text}
    </button>
  );
}
