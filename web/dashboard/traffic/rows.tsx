import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { percent, whole } from "../../shared/format.ts";
import type { Row } from "./breakdown-model.ts";
import { isCode, linkOf } from "./values.ts";

/** Rows made in one go; two thousand at once would hold up the page. */
const CHUNK = 50;

/** What can be done with a row, and what of it was done. */
export interface RowTools {
  /** the address that paths are below */
  origin: string | null;
  /** value → the slot of its line in the chart */
  slots: Map<string, number>;
  starred: Set<string>;
  copied: string | null;
  ask: (value: string) => void;
  star: (value: string) => void;
  copy: (value: string) => void;
  /** what choosing a row does instead of asking for it */
  choose: ((value: string) => void) | null;
}

/** What the rows of one list share. */
interface Latest extends RowTools {
  isLong: boolean;
  /** the row of a long list that somebody is at */
  at: string | null;
  enter: (value: string) => void;
}

interface RowsProps extends RowTools {
  dimension: string;
  rows: Row[];
}

/** The first rows at once, and more with every frame until all are there. */
export function Rows({ dimension, rows, ...tools }: RowsProps) {
  const [made, setMade] = useState(CHUNK);
  useEffect(() => {
    if (made >= rows.length) return;
    const frame = requestAnimationFrame(() => setMade(made + CHUNK));
    return () => cancelAnimationFrame(frame);
  }, [made, rows.length]);
  const chunks = useMemo(() => inChunks(rows), [rows]);
  const most = useMemo(() => Math.max(...rows.map(({ share }) => share)), [rows]);
  const [entered, enter] = useState<string | null>(null);
  // The buttons of two thousand rows are most of their weight: there a row has them when needed.
  const isLong = rows.length > CHUNK;
  const now: Latest = { ...tools, isLong, at: isLong ? entered : null, enter };
  const latest = useRef(now);
  latest.current = now;
  return (
    <div class="rows" tabIndex={isLong ? 0 : undefined}>
      <table>
        <thead class="offscreen">
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Count</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        {chunks.slice(0, made / CHUNK).map((chunk, i) => (
          <Chunk
            // A chunk is a place in the list: its rows come and go.
            key={i}
            {...{ dimension, most, latest }}
            rows={chunk}
            marks={chunk.map(({ value }) => markOf(value, now)).join()}
          />
        ))}
      </table>
    </div>
  );
}

function inChunks(rows: Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, i) =>
    rows.slice(i * CHUNK, (i + 1) * CHUNK),
  );
}

/** What of a row's look changes without its figures. */
function markOf(value: string, { slots, starred, copied, at }: Latest): string {
  return `${at === value ? "a" : ""}${slots.get(value) ?? ""}${starred.has(value) ? "s" : ""}${copied === value ? "c" : ""}`;
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
  const { origin, choose } = latest.current;
  const drawn = useMemo(
    () => rows.map((row) => <RowLine key={row.value} {...{ dimension, row, most, latest }} />),
    [dimension, rows, most, marks, origin, choose === null],
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
  const { slots, starred, isLong, at, enter } = latest.current;
  const slot = slots.get(value);
  const isStarred = starred.has(value);
  const look = slot === undefined ? "" : `asked ask-${slot}`;
  return (
    <tr
      class={isStarred ? `${look} starred` : look}
      style={{ "--bar": row.share / most }}
      onPointerEnter={isLong ? () => enter(value) : undefined}
      onFocusIn={isLong ? () => enter(value) : undefined}
    >
      <th scope="row">
        <RowValue {...{ dimension, row, latest }} isAsked={slot !== undefined} />
        {(!isLong || at === value) && <RowButtons {...{ dimension, value, latest }} />}
      </th>
      <td class="count">{whole(row.count)}</td>
      <td class="share">{percent(row.share)}</td>
    </tr>
  );
}

interface RowButtonsProps extends Pick<RowProps, "dimension" | "latest"> {
  value: string;
}

function RowButtons({ dimension, value, latest }: RowButtonsProps) {
  const { starred, copied, origin } = latest.current;
  const link = linkOf(dimension, value, origin);
  const isStarred = starred.has(value);
  return (
    <span class="row-tools">
      {link !== null && (
        <a
          class="quiet"
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
        aria-pressed={isStarred}
        aria-label={`Star ${value}`}
        title={isStarred ? "Take the tile away" : "Make it a tile"}
        onClick={() => latest.current.star(value)}
      >
        {isStarred ? "★" : "☆"}
      </button>
      <button
        type="button"
        class="quiet copy-value"
        aria-label={`Copy ${value}`}
        onClick={() => latest.current.copy(value)}
      >
        {copied === value ? "✓" : "Copy"}
      </button>
    </span>
  );
}

interface RowValueProps extends Pick<RowProps, "dimension" | "row" | "latest"> {
  isAsked: boolean;
}

/** A value as text, whatever it holds: pressing it asks for its days. */
function RowValue({ dimension, row: { value, name }, latest, isAsked }: RowValueProps) {
  const isChoice = latest.current.choose === null;
  return (
    <button
      type="button"
      class="value"
      // What is cut off is then the end of it, also in scripts that run from right to left.
      dir="auto"
      title={isChoice ? value : "Show on the map"}
      aria-pressed={isChoice ? isAsked : undefined}
      onClick={() => (latest.current.choose ?? latest.current.ask)(value)}
    >
      {name ?? value}
      {name !== null && isCode(dimension) && <small>{value}</small>}
    </button>
  );
}
