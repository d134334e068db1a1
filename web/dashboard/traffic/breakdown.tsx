import { useEffect, useState } from "preact/hooks";
import { copyText } from "../../shared/copy.ts";
import { percent, whole } from "../../shared/format.ts";
import { type Breakdown, linkOf, type Row } from "./breakdown-model.ts";

const TOP = 10;
const COPIED_MS = 1_600;

interface BreakdownCardProps {
  breakdown: Breakdown;
  isOpen: boolean;
  onToggle: () => void;
  /** what choosing a row does, for dimensions whose rows lead somewhere */
  onChoose: ((value: string) => void) | null;
}

/** One dimension: its values with count and share, the first ten until all are asked for. */
export function BreakdownCard({ breakdown, isOpen, onToggle, onChoose }: BreakdownCardProps) {
  const { name, title, rows, total } = breakdown;
  const shown = isOpen ? rows : rows.slice(0, TOP);
  const most = rows[0]?.share || 1;
  const titleId = `dimension-${name}`;
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (value: string) => {
    if (await copyText(value)) setCopied(value);
  };
  return (
    <section
      class={`card dimension ${isOpen ? "long" : ""}`}
      data-dimension={name}
      aria-labelledby={titleId}
    >
      <header>
        <h3 id={titleId}>{title}</h3>
        <span class="total">{whole(total)}</span>
      </header>
      <table>
        <thead class="offscreen">
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Count</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <BreakdownRow
              key={row.value}
              row={row}
              most={most}
              isCopied={copied === row.value}
              onCopy={copy}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
      <span class="offscreen" role="status">
        {copied === null ? "" : "Copied"}
      </span>
      {rows.length > TOP && (
        <button type="button" class="quiet more" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? `Show top ${TOP}` : `Show all ${whole(rows.length)}`}
        </button>
      )}
    </section>
  );
}

interface RowProps {
  row: Row;
  most: number;
  isCopied: boolean;
  onCopy: (value: string) => void;
  onChoose: ((value: string) => void) | null;
}

function BreakdownRow({ row, most, isCopied, onCopy, onChoose }: RowProps) {
  return (
    <tr style={{ "--bar": row.share / most }}>
      <th scope="row">
        <RowValue row={row} onChoose={onChoose} />
        <button
          type="button"
          class="quiet copy-value"
          aria-label={`Copy ${row.value}`}
          onClick={() => onCopy(row.value)}
        >
          {isCopied ? "✓" : "⧉"}
        </button>
      </th>
      <td class="count">{whole(row.count)}</td>
      <td class="share">{percent(row.share)}</td>
    </tr>
  );
}

/** A value as text, whatever it holds: a link only when it is a web address. */
function RowValue({ row, onChoose }: Pick<RowProps, "row" | "onChoose">) {
  const { value, name } = row;
  const link = linkOf(value);
  if (onChoose) {
    return (
      <button type="button" class="value" title="Show on the map" onClick={() => onChoose(value)}>
        <bdi>{value}</bdi>
      </button>
    );
  }
  if (link !== null) {
    return (
      <a class="value" href={link} target="_blank" rel="noopener noreferrer" title={value}>
        <bdi>{value}</bdi>
      </a>
    );
  }
  return (
    <span class="value" title={value}>
      {/* A path runs from left to right, whichever way the words in it do. */}
      <bdi dir={value.startsWith("/") ? "ltr" : "auto"}>{name ?? value}</bdi>
      {name !== null && <small>{value}</small>}
    </span>
  );
}
