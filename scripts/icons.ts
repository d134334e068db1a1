/** Makes the one file of all icons, of Lucide's SVG: see appliance/base/text/icons.ts for its shape. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { IconFile } from "../appliance/base/text/icons.ts";
import type { Made } from "./web-assets.ts";

const ROOT = join(import.meta.dirname, "..");
const MODULE = "node_modules/@iconify-json/lucide";

interface IconSet {
  icons: Record<string, { body: string; hidden?: boolean }>;
}

type Attributes = Readonly<Record<string, string>>;

/** @throws {Error} when an icon has a part that is not known here */
export async function icons(): Promise<Made> {
  const read = (path: string) => readFile(join(ROOT, path), "utf8");
  const set = JSON.parse(await read(`${MODULE}/icons.json`)) as IconSet;
  // A hidden icon is gone with the next version.
  const kept = Object.entries(set.icons).filter(([, { hidden }]) => hidden !== true);
  const file: IconFile = {
    license: await read("web/icons/LICENSE"),
    icons: kept.map(([name]) => name),
    paths: kept.map(([, { body }]) => pathOf(body)),
  };
  return { body: Buffer.from(JSON.stringify(file)), modules: [MODULE] };
}

/** An icon as one path. */
function pathOf(body: string): string {
  return [...body.matchAll(/<(\w+)([^>]*?)\/?>/g)]
    .map(([, tag = "", text = ""]) => {
      const attributes = Object.fromEntries(
        [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      );
      return partOf(tag, attributes);
    })
    .join("");
}

function partOf(tag: string, attributes: Attributes): string {
  const number = (name: string) => Number(attributes[name] ?? 0);
  switch (tag) {
    case "g":
      return "";
    case "path": {
      const { d = "" } = attributes;
      // A path that begins relative would go on from the end of the one before.
      return d.startsWith("m") ? `M0 0${d}` : d;
    }
    case "circle":
      return ellipse(number("cx"), number("cy"), number("r"), number("r"));
    case "ellipse":
      return ellipse(number("cx"), number("cy"), number("rx"), number("ry"));
    case "rect":
      return rectangle(attributes, number);
    default:
      throw new Error(`An icon has a <${tag}>, which scripts/icons.ts does not know.`);
  }
}

function ellipse(x: number, y: number, rx: number, ry: number): string {
  const half = (sign: 1 | -1) => `a${rx} ${ry} 0 1 0 ${round(sign * 2 * rx)} 0`;
  return `M${round(x - rx)} ${y}${half(1)}${half(-1)}z`;
}

function rectangle(attributes: Attributes, number: (name: string) => number): string {
  const [x, y, width, height] = [number("x"), number("y"), number("width"), number("height")];
  const rx = Math.min(Number(attributes.rx ?? attributes.ry ?? 0), width / 2);
  const ry = Math.min(Number(attributes.ry ?? attributes.rx ?? 0), height / 2);
  if (rx === 0) return `M${x} ${y}h${width}v${height}H${x}z`;
  const corner = (dx: number, dy: number) => `a${rx} ${ry} 0 0 1 ${dx} ${dy}`;
  const [across, down] = [round(width - 2 * rx), round(height - 2 * ry)];
  return [
    `M${round(x + rx)} ${y}h${across}${corner(rx, ry)}v${down}${corner(-rx, ry)}`,
    `h${-across}${corner(-rx, -ry)}v${-down}${corner(rx, -ry)}z`,
  ].join("");
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
