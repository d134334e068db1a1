import type { DayZone } from "../../base/day-zone.ts";
import type { ListRow } from "../../base/text/listing.ts";
import type { DigestFigures } from "./figures.ts";
import { partsOf, titleOf } from "./words.ts";

/** Programs for mail know styles of an element and little else; colors are left to those that invert them. */
const FONT = "font:15px/1.5 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const CELL = "padding:3px 16px 3px 0;vertical-align:top";
const NUMBER = `${CELL};text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums`;
/** As well to read on white as on black. */
const QUIET = "color:#767676";

/** A digest as the HTML of a mail: tables, no script, and nothing that is loaded from anywhere. */
export function digestHtml(figures: DigestFigures, zone: DayZone): string {
  const parts = partsOf(figures, zone).map(({ heading, rows }) => {
    const title =
      heading === "" ? "" : `<h2 style="font-size:15px;margin:20px 0 4px">${heading}</h2>`;
    return `${title}<table role="presentation" cellspacing="0" cellpadding="0" style="border-collapse:collapse">${rows.map((row) => rowHtml(row)).join("")}</table>`;
  });
  const name = escapedMarkup(figures.site);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapedMarkup(titleOf(figures))}</title></head>
<body style="margin:0;padding:16px;${FONT}"><div style="max-width:560px">
<h1 style="font-size:19px;margin:0">${name}</h1>
<p style="margin:0 0 16px;${QUIET}">${escapedMarkup(rangeOf(figures))}</p>
${parts.join("\n")}
</div></body></html>
`;
}

function rowHtml({ name, count, change = "" }: ListRow): string {
  if (count === undefined) return `<tr><td style="${CELL}">${escapedMarkup(name)}</td></tr>`;
  const moved = change === "" ? "" : `<td style="${CELL};${QUIET}">${escapedMarkup(change)}</td>`;
  // Paths have no spaces to break at; the names of figures have, and what is said of these is long.
  const breaks = change.includes(" ") ? "" : ";word-break:break-word";
  return `<tr><td style="${CELL}${breaks}">${escapedMarkup(name)}</td><td style="${NUMBER}">${count}</td>${moved}</tr>`;
}

function rangeOf({ from, to, zone }: DigestFigures): string {
  return `${from === to ? to : `${from} to ${to}`} (${zone})`;
}

/** A text as HTML and Slack take it, outside of tags. */
export function escapedMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
