import type { ParsedUrlQuery } from "node:querystring";
import type { Middleware } from "koa";
import type { Client } from "../../../base/http/client.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { compactCount } from "../../../base/text/compact.ts";
import type { Numbers } from "../../../store/store.ts";
import { queryValue } from "../counting/payload.ts";
import type { Sites } from "../sites.ts";
import { SharedBadgeCounts } from "./badge-counts.ts";
import { askerOf } from "./reading.ts";

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;
const MAX_LABEL = 24;
const NO_LABEL = /[^\p{L}\p{N} _.%+-]/gu;
const COLOR = /^(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

interface BadgeBox {
  readonly text: string;
  readonly color: string;
}

/** `GET /badge`: page views as an SVG, for sites that opted in. */
export function badgeRoute(sites: Sites, numbers: Numbers, client: Client): Middleware {
  const counts = new SharedBadgeCounts(numbers);
  return async (ctx) => {
    ctx.set("Cross-Origin-Resource-Policy", "cross-origin");
    const name = queryValue(ctx.query, "site") ?? queryValue(ctx.query, "s");
    const site = sites.forCollection(client.host(ctx.req), name);
    if (!site?.badge)
      throw new HttpError(404, "not_found", "There is no site with a public badge by this name.");
    const days = daysOf(ctx.query);
    const now = numbers.clock.now();
    const today = numbers.zone.today(now);
    const { window, total } = await counts.get(
      { site: site.key, from: today - (days === "all" ? 1 : days) + 1, to: today },
      askerOf(ctx, "public"),
    );
    const both = queryValue(ctx.query, "total") === "1" && days !== "all";
    ctx.type = "image/svg+xml";
    ctx.set("Cache-Control", "public, max-age=300");
    const zone = days === 1 ? numbers.zone.nameAt(now) : undefined;
    ctx.body = badge(ctx.query, days, {
      count: days === "all" ? total : window,
      total: both ? total : null,
      zone,
    });
  };
}

/** @param zone the zone whose today it is; its name is in the title, since readers may be in any */
function badge(
  query: ParsedUrlQuery,
  days: number | "all",
  { count, total, zone }: { count: number; total: number | null; zone: string | undefined },
): string {
  const label = labelOf(query) || `views (${days === "all" ? days : `${days}d`})`;
  const color = matching(query, "color", COLOR) ?? "007ec6";
  const boxes: BadgeBox[] = [
    { text: label, color: `#${matching(query, "labelColor", COLOR) ?? "555"}` },
    { text: compactCount(count), color: `#${color}` },
  ];
  let name = `${label}: ${compactCount(count)}`;
  if (total !== null) {
    boxes.push({
      text: `${compactCount(total)} total`,
      color: `#${matching(query, "totalColor", COLOR) ?? "4c1"}`,
    });
    name += `, ${compactCount(total)} total`;
  }
  return draw(boxes, name, zone === undefined ? name : `${name} (today in ${zone})`);
}

/** `all`, or a number of days within the range; 30 when it is no number. */
function daysOf(query: ParsedUrlQuery): number | "all" {
  const text = queryValue(query, "days")?.trim() ?? "";
  if (text === "all") return "all";
  const days = text === "" ? Number.NaN : Number(text);
  if (Number.isNaN(days)) return DEFAULT_DAYS;
  return Math.min(MAX_DAYS, Math.max(1, Math.floor(days)));
}

/** The requested label, without invalid characters; may be empty. */
function labelOf(query: ParsedUrlQuery): string {
  const asked = queryValue(query, "label") ?? "";
  const clean = asked.normalize("NFC").replace(NO_LABEL, "").trim();
  return Array.from(clean).slice(0, MAX_LABEL).join("").trim();
}

function matching(query: ParsedUrlQuery, key: string, shape: RegExp): string | undefined {
  const value = queryValue(query, key);
  return value !== undefined && shape.test(value) ? value : undefined;
}

const HEIGHT = 20;
const PADDING = 6;

/** Widths of characters in Verdana at 11 px, rounded; others have WIDEST. */
const WIDTHS: readonly (readonly [pixels: number, characters: string])[] = [
  [3, "il"],
  [4, "jft. "],
  [4.7, "Ir"],
  [5, "-"],
  [5.75, "csz"],
  [6.2, "LF"],
  [6.6, "aekovxyP"],
  [6.8, "bdgpqYT"],
  [7, "Ehnu0123456789_"],
  [7.6, "ASVBXZKRC"],
  [8.1, "UNH"],
  [8.6, "DGOQ"],
  [9, "+w"],
  [9.3, "M"],
  [10.8, "mW"],
];
const WIDEST = 12;
const PIXELS = new Map(WIDTHS.flatMap(([pixels, all]) => [...all].map((one) => [one, pixels])));

function textWidth(text: string): number {
  return [...text].reduce((sum, character) => sum + (PIXELS.get(character) ?? WIDEST), 0);
}

/** Boxes side by side in the look of shields.io. */
function draw(boxes: readonly BadgeBox[], name: string, title: string): string {
  let x = 0;
  const placed = boxes.map(({ text, color }) => {
    const textLength = Math.ceil(textWidth(text));
    const box = { x, width: textLength + 2 * PADDING, textLength, text: escapeXml(text), color };
    x += box.width;
    return box;
  });
  const fills = placed.map(
    (box) => `<rect x="${box.x}" width="${box.width}" height="${HEIGHT}" fill="${box.color}"/>`,
  );
  const texts = placed.flatMap((box) => {
    const middle = box.x + box.width / 2;
    const text = (y: number, attributes: string) =>
      `<text x="${middle}" y="${y}" textLength="${box.textLength}"${attributes}>${box.text}</text>`;
    return [text(15, ' aria-hidden="true" fill="#010101" fill-opacity=".3"'), text(14, "")];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${HEIGHT}" role="img" aria-label="${escapeXml(name)}">`,
    `<title>${escapeXml(title)}</title>`,
    `<linearGradient id="s" x2="0" y2="100%"><stop offset="0" stop-color="#bbb" stop-opacity=".1"/><stop offset="1" stop-opacity=".1"/></linearGradient>`,
    `<clipPath id="r"><rect width="${x}" height="${HEIGHT}" rx="3" fill="#fff"/></clipPath>`,
    `<g clip-path="url(#r)">${fills.join("")}<rect width="${x}" height="${HEIGHT}" fill="url(#s)"/></g>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-rendering="geometricPrecision">${texts.join("")}</g>`,
    `</svg>`,
  ].join("");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
